//! Settings of git, read as git reads them, and which of them may have something run.

/// One setting. Names are in lower case, as git compares them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting {
    section: String,
    subsection: Option<Vec<u8>>,
    name: String,
    /// Nothing where only the name stands.
    value: Option<Vec<u8>>,
}

/// What of the settings in `bytes` may have something run, as a text to be compared: all but what
/// is known to run nothing, in their order. Nothing if git would not read them.
pub(super) fn may_run(bytes: &[u8]) -> Option<String> {
    let mut may_run = parse(bytes)?;
    may_run.retain(|setting| !runs_nothing(setting));
    let told = may_run.iter().map(|setting| format!("{setting:?}\n"));
    Some(told.collect())
}

/// What commands change all the time, and what each new repository is given.
fn runs_nothing(setting: &Setting) -> bool {
    let Setting { section, subsection, name, value } = setting;
    // A way to fetch that is a program: `ext::sh -c …`.
    if value.as_ref().is_some_and(|value| value.windows(2).any(|two| two == b"::")) {
        return false;
    }
    match (&**section, subsection, &**name) {
        // Options of `git merge`, among them programs that merge.
        ("branch", Some(_), name) => name != "mergeoptions",
        ("remote", Some(_), name) => {
            matches!(
                name,
                "url" | "pushurl" | "fetch" | "push" | "tagopt" | "prune" | "gh-resolved"
            )
        }
        ("submodule", Some(_), name) => matches!(name, "url" | "active" | "branch"),
        ("pull", None, name) => matches!(name, "rebase" | "ff"),
        ("core", None, name) => matches!(
            name,
            "repositoryformatversion"
                | "filemode"
                | "bare"
                | "logallrefupdates"
                | "ignorecase"
                | "precomposeunicode"
                | "symlinks"
        ),
        _ => false,
    }
}

fn parse(bytes: &[u8]) -> Option<Vec<Setting>> {
    let mut reader = Reader { rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) };
    let (mut section, mut subsection) = (String::new(), None);
    let mut found = Vec::new();
    while let Some(byte) = reader.next() {
        match byte {
            byte if is_blank(byte) => {}
            b'#' | b';' => reader.skip_line(),
            b'[' => (section, subsection) = reader.section()?,
            byte if byte.is_ascii_alphabetic() => {
                let (name, value) = reader.setting(byte)?;
                let (section, subsection) = (section.clone(), subsection.clone());
                found.push(Setting { section, subsection, name, value });
            }
            _ => return None,
        }
    }
    Some(found)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    /// The next byte; both of the end of a line on Windows are one.
    fn next(&mut self) -> Option<u8> {
        let (byte, rest) = match self.rest {
            [b'\r', b'\n', rest @ ..] => (b'\n', rest),
            [byte, rest @ ..] => (*byte, rest),
            [] => return None,
        };
        self.rest = rest;
        Some(byte)
    }

    /// The next byte of a line that ends at the latest with the text.
    fn in_line(&mut self) -> u8 {
        self.next().unwrap_or(b'\n')
    }

    fn skip_line(&mut self) {
        while self.in_line() != b'\n' {}
    }

    /// What stands behind `[`: `section]`, `section.sub]`, `section "Sub"]`. There may be more on
    /// the same line.
    fn section(&mut self) -> Option<(String, Option<Vec<u8>>)> {
        let mut name = String::new();
        loop {
            match self.next()? {
                b']' => break,
                byte if is_blank(byte) => {
                    let subsection = self.subsection(byte)?;
                    return Some((name, Some(subsection)));
                }
                byte if is_of_name(byte) || byte == b'.' => {
                    name.push(char::from(byte.to_ascii_lowercase()));
                }
                _ => return None,
            }
        }
        Some(match name.split_once('.') {
            Some((section, sub)) => (section.to_owned(), Some(sub.into())),
            None => (name, None),
        })
    }

    fn subsection(&mut self, mut byte: u8) -> Option<Vec<u8>> {
        while is_blank(byte) {
            if byte == b'\n' {
                return None;
            }
            byte = self.next()?;
        }
        if byte != b'"' {
            return None;
        }
        let mut name = Vec::new();
        loop {
            let byte = match self.next()? {
                b'"' => break,
                b'\\' => self.next()?,
                byte => byte,
            };
            if byte == b'\n' {
                return None;
            }
            name.push(byte);
        }
        (self.next()? == b']').then_some(name)
    }

    /// A name that begins with `first`, and its value.
    fn setting(&mut self, first: u8) -> Option<(String, Option<Vec<u8>>)> {
        let mut name = String::from(char::from(first.to_ascii_lowercase()));
        let mut byte = self.in_line();
        while is_of_name(byte) {
            name.push(char::from(byte.to_ascii_lowercase()));
            byte = self.in_line();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.in_line();
        }
        match byte {
            b'\n' => Some((name, None)),
            b'=' => Some((name, Some(self.value()?))),
            _ => None,
        }
    }

    /// Blanks around it are no part of it, nor is a comment behind it; both are in quotes.
    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        let (mut is_quoted, mut kept) = (false, 0);
        loop {
            let byte = match self.in_line() {
                b'\n' if is_quoted => return None,
                b'\n' => break,
                b'#' | b';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                byte if is_blank(byte) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'"' => {
                    is_quoted = !is_quoted;
                    kept = value.len();
                    continue;
                }
                b'\\' => match self.in_line() {
                    b'\n' => continue,
                    b't' => b'\t',
                    b'b' => 8,
                    b'n' => b'\n',
                    byte @ (b'\\' | b'"') => byte,
                    _ => return None,
                },
                byte => byte,
            };
            value.push(byte);
            kept = value.len();
        }
        value.truncate(kept);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(settings: &str, expected: &[(&str, Option<&str>)]) {
        let found = parse(settings.as_bytes()).unwrap_or_else(|| panic!("refused: {settings:?}"));
        let found: Vec<(String, Option<String>)> = found
            .into_iter()
            .map(|found| {
                let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("a text");
                let sub = found.subsection.map(|sub| format!(".{}", text(sub))).unwrap_or_default();
                (format!("{}{sub}.{}", found.section, found.name), found.value.map(text))
            })
            .collect();
        let found: Vec<(&str, Option<&str>)> =
            found.iter().map(|(name, value)| (&**name, value.as_deref())).collect();
        assert_eq!(found, expected, "{settings:?}");
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        check("[a]b=c", &[("a.b", Some("c"))]);
        check("[branch \"a\"] [core] FSmonitor = x y ; z", &[("core.fsmonitor", Some("x y"))]);
        check("[branch \"a\"][core]fsmonitor=x", &[("core.fsmonitor", Some("x"))]);
        check(
            "[Remote.A] Url\n\tb = \"x # y\" # z\r\n",
            &[("remote.a.url", None), ("remote.a.b", Some("x # y"))],
        );
        check("[a \"B\\\"]\"] c = d\\\n  e\n", &[("a.B\"].c", Some("d  e"))]);
        check("\u{feff}# [a]\n;b = c\n[d] e = \"f \\\"\\n \" g\n", &[("d.e", Some("f \"\n  g"))]);
        check("a = b\n[c]\n\n d-1 =\n", &[(".a", Some("b")), ("c.d-1", Some(""))]);
        for refused in ["[a", "[a \"b]", "[a b]", "[a]\nb c", "[a]\n=b", "[a] b = \"c\nd\"", "]"] {
            assert_eq!(parse(refused.as_bytes()), None, "{refused:?}");
        }
    }

    #[test]
    fn only_what_runs_nothing_is_left_out() {
        for harmless in [
            "[core]\n\tbare = false\n[remote \"o\"]\n\turl = x\n\tfetch = +a:b\n",
            "[branch \"a\"]\n\tremote = o\n\tmerge = b\n\tvscode-merge-base = c\n",
            "[submodule \"a\"] url = b\n[pull]\n\trebase = true\n# fsmonitor = x\n",
        ] {
            assert_eq!(may_run(harmless.as_bytes()).as_deref(), Some(""), "{harmless}");
        }
        for runs in [
            "[branch \"a\"] [core] fsmonitor = x",
            "[remote \"a\"] uploadpack = x",
            "[remote \"a\"] url = ext::x",
            "[merge \"x\"] driver = y",
            "[branch] url = x",
            "[branch \"a\"] mergeOptions = -s x",
            "[submodule \"a\"] update = !x",
            "[include] path = x",
            "[core] worktree = ..",
        ] {
            let told = may_run(runs.as_bytes()).expect("git reads it");
            assert!(!told.is_empty(), "{runs}");
        }
        let twice = may_run(b"[core] pager = a\n pager = b\n");
        assert_ne!(twice, may_run(b"[core] pager = b\n pager = a\n"), "the last one holds");
    }
}
