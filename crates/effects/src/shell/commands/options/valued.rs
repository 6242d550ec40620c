//! Options that take a word of whatever kind, so that it is no option itself.

/// How a program spells its options.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `-xyz` is three.
    Letters,
    /// `-xyz` is one.
    Words,
}

/// Options of a program that take a value.
pub(super) struct Valued {
    pub(super) spelling: Spelling,
    /// Letters that take the rest of their word, or the next.
    pub(super) letters: &'static str,
    /// Letters that take the rest of their word alone.
    attached: &'static str,
    /// Long ones that take the next word.
    long: &'static [&'static str],
}

const fn row(
    letters: &'static str,
    attached: &'static str,
    long: &'static [&'static str],
) -> Valued {
    Valued { spelling: Spelling::Letters, letters, attached, long }
}

const fn words(letters: &'static str, long: &'static [&'static str]) -> Valued {
    Valued { spelling: Spelling::Words, letters, attached: "", long }
}

impl Valued {
    /// Those of a program; of one that is not in the list, none.
    #[rustfmt::skip]
    pub(super) fn of(program: &str) -> Valued {
        match program {
            "awk" | "gawk" | "mawk" | "nawk" => row("FveifE", "", &["--assign", "--field-separator", "--file", "--source"]),
            "c++" | "c99" | "cc" | "clang" | "clang++" | "cpp" | "g++" | "gcc" | "gfortran" => words("oILDUxT", &["-include", "-isystem"]),
            "cargo" => row("pjFZC", "", &[
                "--bench", "--bin", "--color", "--example", "--exclude", "--features", "--jobs", "--manifest-path",
                "--message-format", "--package", "--profile", "--target", "--target-dir", "--test",
            ]),
            "docker" => row("Hlc", "", &["--context", "--log-level"]),
            "fd" | "fdfind" => row("cdeEjotS", "", &["--exclude", "--extension", "--max-depth", "--type"]),
            "find" => words("", &[
                "-amin", "-atime", "-cmin", "-cnewer", "-ctime", "-gid", "-group", "-iname", "-ipath", "-iregex",
                "-iwholename", "-lname", "-maxdepth", "-mindepth", "-mmin", "-mtime", "-name", "-newer", "-newermt",
                "-path", "-perm", "-regex", "-regextype", "-samefile", "-size", "-type", "-uid", "-user", "-wholename",
            ]),
            "git" => row("Cc", "", &["--namespace"]),
            "go" => words("Cop", &[
                "-bench", "-benchtime", "-count", "-coverpkg", "-coverprofile", "-cpu", "-gcflags", "-ldflags", "-mod",
                "-run", "-skip", "-tags", "-timeout",
            ]),
            "helm" => row("nf", "", &["--namespace", "--set", "--set-string", "--values", "--version"]),
            "kubectl" | "oc" => row("cfklLnosv", "", &[
                "--cluster", "--container", "--context", "--field-selector", "--filename", "--from-literal", "--image",
                "--namespace", "--output", "--patch", "--replicas", "--selector", "--since", "--tail", "--timeout", "--user",
            ]),
            "make" | "gmake" => row("CfIoW", "jlO", &["--directory", "--file", "--makefile"]),
            "psql" => row("dFhLpRTU", "", &[]),
            "mysql" | "mariadb" => row("hPSu", "pD", &[]),
            "ld" | "ld.bfd" | "ld.gold" | "ld.lld" | "lld" | "mold" => words("olLTmezhRy", &[]),
            "rg" => row("ABCEMTdefgjmrt", "", &[
                "--after-context", "--before-context", "--context", "--file", "--glob", "--iglob", "--max-count",
                "--regexp", "--replace", "--type", "--type-not",
            ]),
            "rsync" => row("fBT", "", &[
                "--bwlimit", "--chmod", "--exclude", "--exclude-from", "--files-from", "--filter", "--include", "--port",
                "--timeout",
            ]),
            "scp" | "sftp" | "sshfs" => row("cilPoJ", "", &[]),
            "sed" | "gsed" => row("efl", "i", &["--expression", "--file", "--line-length"]),
            "sort" => row("koStT", "", &["--field-separator", "--key", "--output"]),
            "split" => row("abCln", "", &[]),
            "ssh" => row("bBcDeEiJlLmopQRwW", "", &[]),
            "tar" | "bsdtar" | "gtar" => row("bCfgHKLNTVX", "", &[
                "--directory", "--exclude", "--exclude-from", "--file", "--files-from", "--group", "--mode", "--mtime",
                "--owner", "--strip-components", "--transform",
            ]),
            "wget" => row("aBiOoPQTtUw", "", &["--header", "--output-document", "--post-data", "--user-agent"]),
            _ => row("", "", &[]),
        }
    }

    /// Those of a command of `git`.
    #[rustfmt::skip]
    pub(super) fn of_git(command: &str) -> Valued {
        match command {
            "archive" => row("o", "", &["--format", "--output", "--prefix"]),
            "clone" => row("bjo", "", &["--branch", "--depth", "--origin", "--reference"]),
            "fetch" => row("jo", "", &["--deepen", "--depth", "--refmap"]),
            "grep" => row("ABCefm", "", &["--max-depth", "--threads"]),
            "push" => row("o", "", &["--push-option"]),
            "rebase" => row("sX", "", &["--onto", "--strategy", "--strategy-option"]),
            _ => row("", "", &[]),
        }
    }

    /// Whether the word behind an option is its value; `None`: that is not known.
    pub(super) fn takes_next(&self, option: &str) -> Option<bool> {
        if self.long.contains(&option) {
            return Some(true);
        }
        if option.contains('=') {
            return Some(false);
        }
        match self.spelling {
            Spelling::Letters if option.starts_with("--") => None,
            Spelling::Letters => {
                let letters = &option[1..];
                let at = letters.find(|it| self.letters.contains(it) || self.attached.contains(it));
                let is_last = |at: usize| letters[at..].chars().count() == 1;
                Some(at.is_some_and(|at| {
                    is_last(at) && letters[at..].starts_with(|it| self.letters.contains(it))
                }))
            }
            Spelling::Words => {
                let letter = option.strip_prefix('-').filter(|it| it.chars().count() == 1);
                letter.is_some_and(|letter| self.letters.contains(letter)).then_some(true)
            }
        }
    }

    /// The first letter of an option that takes a value.
    pub(super) fn letter(&self, option: &str) -> Option<char> {
        let letters = option.strip_prefix('-').filter(|it| !it.starts_with('-'))?;
        letters.chars().find(|it| self.letters.contains(*it) || self.attached.contains(*it))
    }

    /// Whether what is written of an option takes the rest of the word for its value.
    pub(super) fn takes_rest(&self, written: &str) -> bool {
        let Some(letters) = written.strip_prefix('-').filter(|it| !it.starts_with('-')) else {
            return false;
        };
        let takes = |letter: char| self.letters.contains(letter) || self.attached.contains(letter);
        match self.spelling {
            Spelling::Letters => letters.contains(takes),
            Spelling::Words => letters.starts_with(takes),
        }
    }
}
