//! A command line that is one or several plain commands: words and quotes, joined by pipes, `&&`,
//! `||`, `;`, `&` and line breaks, with redirections and literal input.
//!
//! Whatever a shell would expand, evaluate or decide makes a line no plain one: variables,
//! substitutions, assignments, control flow, functions, groups, `eval`. It is read by hand and not by
//! the grammar, so that all of the rule stands on one page.

/// A line that runs what is written in it, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlainLine {
    /// The commands, in their order.
    pub commands: Vec<PlainCommand>,
}

/// A program with its words, or redirections alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlainCommand {
    /// The program and its arguments.
    pub words: Vec<PlainWord>,
    /// Where its output goes, and where its input comes from.
    pub redirects: Vec<PlainRedirect>,
}

/// A word without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlainWord {
    /// The text that the program gets, unless the word is a pattern.
    pub text: String,
    /// Whether names of files, or several words, may stand in its place (`*.rs`, `{a,b}`, `~`).
    pub is_pattern: bool,
}

/// A redirection to or from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainRedirect {
    /// Whether the file is written.
    pub writes: bool,
    /// The file.
    pub target: PlainWord,
}

/// Words that begin no plain command: they control others, or run what their words say.
#[rustfmt::skip]
const NOT_PLAIN: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "time", "coproc", "[[", "{", "}", "!", "eval", "alias",
];

impl PlainLine {
    /// Reads `line`; `None` if it is no plain one.
    pub fn parse(line: &str) -> Option<Self> {
        if line.contains(|sign: char| sign.is_control() && !matches!(sign, '\n' | '\t')) {
            return None;
        }
        let mut reader = Reader { rest: line, ..Reader::default() };
        while !reader.rest.is_empty() {
            reader.step()?;
        }
        reader.is_over()?;
        Some(Self { commands: reader.commands })
    }
}

#[derive(Default)]
struct Reader<'a> {
    rest: &'a str,
    commands: Vec<PlainCommand>,
    command: PlainCommand,
    word: Option<PlainWord>,
    /// Whether the word so far is written without quotes.
    is_bare: bool,
    /// A redirection whose file comes next; `None` in it: the word is text.
    redirect: Option<Option<bool>>,
    /// Ends of literal input that begins behind the line, and whether it is quoted.
    inputs: Vec<(String, bool)>,
}

impl<'a> Reader<'a> {
    fn step(&mut self) -> Option<()> {
        let sign = self.rest.chars().next()?;
        let behind = &self.rest[sign.len_utf8()..];
        match sign {
            '\'' => {
                let (text, rest) = behind.split_once('\'')?;
                self.quoted(text);
                self.rest = rest;
            }
            '"' => {
                self.quoted("");
                self.rest = behind;
                self.double_quoted()?;
            }
            '\\' if behind.starts_with('\n') => self.rest = &behind[1..],
            '\\' => {
                let next = behind.chars().next()?;
                self.quoted(next.encode_utf8(&mut [0; 4]));
                self.rest = &behind[next.len_utf8()..];
            }
            // It is a number, whatever was run.
            '$' if behind.starts_with('?') => {
                self.quoted("0");
                self.rest = &behind[1..];
            }
            '$' | '`' | '(' | ')' => return None,
            ' ' | '\t' => {
                self.end_word()?;
                self.rest = behind;
            }
            '#' if self.word.is_none() => {
                self.rest = behind.find('\n').map_or("", |at| &behind[at..]);
            }
            '\n' => {
                self.end_command()?;
                self.rest = behind;
                self.skip_inputs()?;
            }
            ';' if behind.starts_with([';', '&']) => return None,
            '<' | '>' => self.redirection()?,
            '&' if behind.starts_with('>') => {
                self.end_word()?;
                self.rest = behind;
                self.redirection()?;
            }
            ';' | '&' | '|' => {
                self.end_command()?;
                let is_pair = behind.starts_with(sign) && sign != ';';
                let is_pair = is_pair || sign == '|' && behind.starts_with('&');
                self.rest = &behind[usize::from(is_pair)..];
            }
            _ => {
                let is_start = self.word.is_none();
                let word = self.word.get_or_insert_default();
                self.is_bare |= is_start;
                word.is_pattern |=
                    matches!(sign, '*' | '?' | '[' | '{' | '}') || sign == '~' && is_start;
                word.is_pattern |= sign == '~' && word.text.ends_with(['=', ':']);
                word.text.push(sign);
                self.rest = behind;
            }
        }
        Some(())
    }

    fn quoted(&mut self, text: &str) {
        self.word.get_or_insert_default().text.push_str(text);
        self.is_bare = false;
    }

    /// Reads up to the closing quote.
    fn double_quoted(&mut self) -> Option<()> {
        loop {
            let sign = self.rest.chars().next()?;
            let behind = &self.rest[sign.len_utf8()..];
            let word = self.word.get_or_insert_default();
            match sign {
                '"' => {
                    self.rest = behind;
                    return Some(());
                }
                '$' if behind.starts_with('?') => {
                    word.text.push('0');
                    self.rest = &behind[1..];
                }
                '$' if behind.starts_with("(cat <<") => {
                    let (text, rest) = literal_text(behind)?;
                    word.text.push_str(text);
                    self.rest = rest;
                }
                // A dollar that names nothing stands for itself.
                '$' if behind.starts_with([' ', '"', '.', ',', '/', ')', '|', '\n']) => {
                    word.text.push('$');
                    self.rest = behind;
                }
                '$' | '`' => return None,
                '\\' => {
                    let next = behind.chars().next()?;
                    if !matches!(next, '$' | '`' | '"' | '\\' | '\n') {
                        word.text.push('\\');
                    }
                    if next != '\n' {
                        word.text.push(next);
                    }
                    self.rest = &behind[next.len_utf8()..];
                }
                _ => {
                    word.text.push(sign);
                    self.rest = behind;
                }
            }
        }
    }

    fn redirection(&mut self) -> Option<()> {
        let is_number = |word: &PlainWord| word.text.bytes().all(|byte| byte.is_ascii_digit());
        if self.is_bare && self.word.as_ref().is_some_and(is_number) {
            self.word = None;
        }
        self.end_word()?;
        if self.redirect.is_some() {
            return None;
        }
        let rest = self.rest;
        if rest.starts_with("<(") || rest.starts_with(">(") {
            return None;
        }
        if let Some(rest) = rest.strip_prefix("<<<") {
            (self.redirect, self.rest) = (Some(None), rest);
            return Some(());
        }
        if let Some(rest) = rest.strip_prefix("<<") {
            return self.literal_input(rest);
        }
        let duplicated = rest.strip_prefix(">&").or_else(|| rest.strip_prefix("<&"));
        if let Some(behind) = duplicated {
            let end = behind.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(behind.len());
            let end = if behind.starts_with('-') { 1 } else { end };
            let is_over =
                behind[end..].chars().next().is_none_or(|next| " \t\n;|&)".contains(next));
            if end == 0 || !is_over {
                return None;
            }
            self.rest = &behind[end..];
            return Some(());
        }
        let operators = [(">>", true), (">|", true), ("<>", true), (">", true), ("<", false)];
        let (operator, writes) = operators.into_iter().find(|(it, _)| rest.starts_with(it))?;
        (self.redirect, self.rest) = (Some(Some(writes)), &rest[operator.len()..]);
        Some(())
    }

    /// Input that begins behind the line (`<<END`).
    fn literal_input(&mut self, rest: &'a str) -> Option<()> {
        let rest = rest.trim_start_matches([' ', '\t']);
        let quote = rest.chars().next().filter(|sign| matches!(sign, '\'' | '"'));
        let name = quote.map_or(rest, |_| &rest[1..]);
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let end = name.find(|sign| !is_name(sign)).unwrap_or(name.len());
        let (name, behind) = name.split_at(end);
        let behind = match quote {
            Some(quote) => behind.strip_prefix(quote)?,
            None => behind,
        };
        let is_over = behind.chars().next().is_none_or(|next| " \t\n;|&<>".contains(next));
        if name.is_empty() || !is_over {
            return None;
        }
        self.inputs.push((name.to_owned(), quote.is_some()));
        self.rest = behind;
        Some(())
    }

    fn skip_inputs(&mut self) -> Option<()> {
        for (name, is_quoted) in std::mem::take(&mut self.inputs) {
            loop {
                if self.rest.is_empty() {
                    return None;
                }
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if line == name {
                    break;
                }
                if !is_quoted && line.contains(['$', '`', '\\']) {
                    return None;
                }
            }
        }
        Some(())
    }

    fn end_word(&mut self) -> Option<()> {
        let is_bare = std::mem::take(&mut self.is_bare);
        let Some(mut word) = self.word.take() else { return Some(()) };
        // The program `[` is no pattern.
        word.is_pattern &= !(is_bare && word.text == "[");
        match self.redirect.take() {
            Some(Some(writes)) => {
                self.command.redirects.push(PlainRedirect { writes, target: word });
            }
            Some(None) => {}
            None => {
                let is_first = self.command.words.is_empty();
                if is_first && is_bare && NOT_PLAIN.contains(&word.text.as_str())
                    || is_first && (word.is_pattern || word.text.contains('='))
                    || is_first && matches!(word.text.as_str(), "eval" | "alias" | "")
                {
                    return None;
                }
                self.command.words.push(word);
            }
        }
        Some(())
    }

    fn end_command(&mut self) -> Option<()> {
        self.end_word()?;
        if self.redirect.is_some() {
            return None;
        }
        let command = std::mem::take(&mut self.command);
        if !command.words.is_empty() || !command.redirects.is_empty() {
            self.commands.push(command);
        }
        Some(())
    }

    fn is_over(&mut self) -> Option<()> {
        self.end_command()?;
        self.inputs.is_empty().then_some(())
    }
}

/// The text of `(cat <<'END' … END)` at the beginning of `source`, which is written as it is, and what
/// stands behind it.
fn literal_text(source: &str) -> Option<(&str, &str)> {
    let (name, body) = source.strip_prefix("(cat <<'")?.split_once("'\n")?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.strip_suffix('\n') == Some(name) {
            let rest = body[at + line.len()..].trim_start_matches(['\n', ' ', '\t']);
            return Some((body[..at].trim_end_matches('\n'), rest.strip_prefix(')')?));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Option<String> {
        let commands = PlainLine::parse(line)?.commands;
        let word = |word: &PlainWord| match word.is_pattern {
            true => format!("~{}", word.text),
            false => word.text.clone(),
        };
        let command = |command: &PlainCommand| {
            let mut parts: Vec<String> = command.words.iter().map(word).collect();
            for redirect in &command.redirects {
                let sign = if redirect.writes { '>' } else { '<' };
                parts.push(format!("{sign}{}", word(&redirect.target)));
            }
            parts.join("_")
        };
        Some(commands.iter().map(command).collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn plain_lines_are_their_words() {
        for (line, expected) in [
            ("", ""),
            ("# git log", ""),
            ("git  log -1 \\\n --stat", "git_log_-1_--stat"),
            ("a 'b c' \"d e\"f g\\ h \"\\$x \\n\"", "a_b c_d ef_g h_$x \\n"),
            ("a && b || c; d | e & f\ng", "a|b|c|d|e|f|g"),
            ("a > b 2>&1 >> c < d 2>/dev/null", "a_>b_>c_<d_>/dev/null"),
            ("a &> b |& c", "a_>b|c"),
            ("ls *.rs ~/a {a,b} 'x*'", "ls_~*.rs_~~/a_~{a,b}_x*"),
            ("cat <<E > a && b\nx\nE\nc", "cat_>a|b|c"),
            ("cat <<'E'\n$(x) `y`\nE", "cat"),
            ("cat <<< 'a b'; echo \"$?\" $?", "cat|echo_0_0"),
            ("git commit -m \"$(cat <<'E'\na `b` $(c)\nE\n)\"", "git_commit_-m_a `b` $(c)"),
            ("[ -f a ] && b", "[_-f_a_]|b"),
            ("grep -E \"a$\" b", "grep_-E_a$_b"),
        ] {
            assert_eq!(told(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn what_is_expanded_or_decided_is_not_plain() {
        for line in [
            "echo \"`echo '`$(touch C)`'`\"",
            "echo $x",
            "echo \"$x\"",
            "echo ${x:-a}",
            "echo $((1))",
            "echo $'a'",
            "echo $\"a\"",
            "echo `a`",
            "a <(b)",
            "(a)",
            "{ a; }",
            "f() { a; }",
            "if a; then b; fi",
            "for x in a; do b; done",
            "! a",
            "time a",
            "[[ a ]]",
            "x=1 a",
            "x=1",
            "'x'=1 a",
            "eval a",
            "\"eval\" a",
            "/bin/r? a",
            "~/a",
            "a 'b",
            "a \"b",
            "a \\",
            "a >",
            "a > > b",
            "a ;; b",
            "cat <<E\n$x\nE",
            "cat <<E\nx",
            "cat <<E",
            "cat <<-E\n\tx\n\tE",
            "cat <<\"E D\"\nx\nE D",
            "a \"$(cat <<E\nx\nE\n)\"",
            "a \"$(cat <<'E'\nx\nE\nb)\"",
            "a >&b",
            "a\r\nb",
            "a \u{b} b",
            "'' a",
        ] {
            assert_eq!(told(line), None, "{line}");
        }
    }
}
