//! Parser of simple command lines: one or several simple commands of words and quotes, joined by
//! pipes, `&&`, `||`, `;`, `&` and line breaks, with redirections and here-documents.
//!
//! A line is rejected if a shell would expand, evaluate or decide anything in it: variables,
//! substitutions, assignments, control flow, functions, groups, `eval`. The parser is written by
//! hand, without the grammar, so that the whole rule stands on one page.

/// A line that runs exactly the commands written in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommandLine {
    /// The commands and redirections, in order.
    pub parts: Vec<CommandLinePart>,
}

/// A command of a simple line, or a redirection beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLinePart {
    /// A program and its arguments.
    Command(Vec<CommandLineWord>),
    /// A redirection to or from a file other than `/dev/null`.
    Redirection {
        /// `<`, `>`, `>>` or `<>`.
        operator: &'static str,
        /// The file.
        target: CommandLineWord,
    },
}

/// A word of a simple line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandLineWord {
    /// The word without quotes: the argument of the program, unless it is a pattern.
    pub text: String,
    /// The word as written.
    pub source: String,
    /// Whether the shell may replace it by file names or several words (`*.rs`, `{a,b}`, `~`).
    pub is_pattern: bool,
}

/// Words that begin no simple command: keywords of control flow, assignments, and builtins that
/// make the shell evaluate their arguments.
#[rustfmt::skip]
const NON_SIMPLE_WORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "coproc", "[[", "]]", "{", "}", "!", "alias", "bind", "compgen",
    "complete", "declare", "enable", "eval", "export", "fc", "getopts", "hash", "let", "local",
    "mapfile", "read", "readarray", "readonly", "set", "shopt", "trap", "typeset", "unset", "wait",
];

/// Programs whose purpose is to run the command in their arguments.
#[rustfmt::skip]
const RUNNER_PROGRAMS: &[&str] = &[
    ".", "ash", "bash", "builtin", "busybox", "chroot", "command", "csh", "dash", "doas", "env",
    "exec", "fish", "flock", "gtimeout", "ionice", "ksh", "nice", "nohup", "nsenter", "parallel",
    "script", "setsid", "sh", "source", "ssh", "stdbuf", "strace", "su", "sudo", "tcsh", "time",
    "timeout", "unshare", "watch", "xargs", "zsh",
];

/// Longer lines are rejected.
const LINE_BYTES_MAX: usize = 64 * 1024;

impl SimpleCommandLine {
    /// Parses `line`; `None` if it is not a simple command line.
    pub fn parse(line: &str) -> Option<Self> {
        let is_odd = |sign: char| sign.is_control() && !matches!(sign, '\n' | '\t');
        if line.len() > LINE_BYTES_MAX || line.contains(is_odd) {
            return None;
        }
        let mut reader = CommandLineParser { line, rest: line, ..CommandLineParser::default() };
        while !reader.rest.is_empty() {
            reader.parse_next()?;
        }
        reader.finish()?;
        Some(Self { parts: reader.parts })
    }
}

impl CommandLinePart {
    /// Returns the part as written, with single blanks between words.
    pub fn source_text(&self) -> String {
        self.concat_words(|word| &word.source)
    }

    /// Returns the part without quotes, with single blanks between words.
    pub fn text(&self) -> String {
        self.concat_words(|word| &word.text)
    }

    /// Returns whether the part is a redirection.
    pub fn is_redirection(&self) -> bool {
        matches!(self, Self::Redirection { .. })
    }

    /// Returns whether the purpose of the program, in whatever folder, is to run the command in its
    /// arguments.
    pub fn is_runner(&self) -> bool {
        let Self::Command(words) = self else { return false };
        let program = words.first().map_or("", |word| word.text.as_str());
        RUNNER_PROGRAMS.contains(&program.rsplit('/').next().unwrap_or_default())
    }

    /// Returns the text before the first pattern, if there is one.
    pub fn text_before_pattern(&self) -> Option<String> {
        let (lead, words) = match self {
            Self::Command(words) => ("", &words[..]),
            Self::Redirection { operator, target } => (*operator, std::slice::from_ref(target)),
        };
        let at = words.iter().position(|word| word.is_pattern)?;
        let before: String = words[..at].iter().map(|word| format!("{} ", word.text)).collect();
        let part = words[at].text.split(['*', '?', '[', '{', '~']).next().unwrap_or_default();
        let blank = if lead.is_empty() { "" } else { " " };
        Some(format!("{lead}{blank}{before}{part}"))
    }

    fn concat_words(&self, text: impl Fn(&CommandLineWord) -> &str) -> String {
        match self {
            Self::Command(words) => words.iter().map(text).collect::<Vec<_>>().join(" "),
            Self::Redirection { operator, target } => format!("{operator} {}", text(target)),
        }
    }
}

#[derive(Default)]
struct CommandLineParser<'a> {
    line: &'a str,
    rest: &'a str,
    parts: Vec<CommandLinePart>,
    command: Vec<CommandLineWord>,
    redirections: Vec<CommandLinePart>,
    word: Option<CommandLineWord>,
    /// The position at which the word begins.
    start: usize,
    /// Whether the word so far has no quotes.
    is_bare: bool,
    /// A redirection that expects its file; with an inner `None`, the word is input text.
    redirect: Option<Option<&'static str>>,
    /// Delimiters of here-documents that begin after the line, and whether they are quoted.
    here_documents: Vec<(String, bool)>,
}

impl<'a> CommandLineParser<'a> {
    fn parse_next(&mut self) -> Option<()> {
        let sign = self.rest.chars().next()?;
        let behind = &self.rest[sign.len_utf8()..];
        match sign {
            '\'' => {
                let (text, rest) = behind.split_once('\'')?;
                self.push_quoted(text);
                self.rest = rest;
            }
            '"' => {
                self.push_quoted("");
                self.rest = behind;
                self.parse_double_quoted()?;
            }
            '\\' if behind.starts_with('\n') => self.rest = &behind[1..],
            '\\' => {
                let next = behind.chars().next()?;
                self.push_quoted(next.encode_utf8(&mut [0; 4]));
                self.rest = &behind[next.len_utf8()..];
            }
            // The exit status is always a number.
            '$' if behind.starts_with('?') => {
                self.push_quoted("0");
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
                self.skip_here_documents()?;
            }
            ';' if behind.starts_with([';', '&']) => return None,
            '<' | '>' => self.parse_redirection()?,
            // Some shells read it as the end of the command.
            '&' if behind.starts_with('>') => return None,
            ';' | '&' | '|' => {
                self.end_command()?;
                let is_pair = behind.starts_with(sign) && sign != ';';
                let is_pair = is_pair || sign == '|' && behind.starts_with('&');
                self.rest = &behind[usize::from(is_pair)..];
            }
            _ => {
                let is_start = self.word.is_none();
                self.is_bare |= is_start;
                let word = self.current_word();
                word.is_pattern |=
                    matches!(sign, '*' | '?' | '[' | '{' | '}') || sign == '~' && is_start;
                word.is_pattern |= sign == '~' && word.text.ends_with(['=', ':']);
                word.text.push(sign);
                self.rest = behind;
            }
        }
        Some(())
    }

    fn current_word(&mut self) -> &mut CommandLineWord {
        if self.word.is_none() {
            self.start = self.line.len() - self.rest.len();
        }
        self.word.get_or_insert_default()
    }

    fn push_quoted(&mut self, text: &str) {
        self.current_word().text.push_str(text);
        self.is_bare = false;
    }

    /// Parses up to the closing quote.
    fn parse_double_quoted(&mut self) -> Option<()> {
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
                    let (text, rest) = parse_literal_cat(behind)?;
                    word.text.push_str(text);
                    self.rest = rest;
                }
                // A dollar sign without a name stands for itself.
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

    fn parse_redirection(&mut self) -> Option<()> {
        let is_number =
            |word: &&CommandLineWord| word.text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(number) = self.word.as_ref().filter(|word| self.is_bare && is_number(word)) {
            // Some shells read longer numbers as words.
            if number.text.len() > 1 {
                return None;
            }
            self.word = None;
        }
        // `{name}>` assigns to the variable, and evaluates `name`.
        let may_assign = self.word.as_ref().is_some_and(|word| word.text.starts_with('{'));
        self.end_word()?;
        if may_assign || self.redirect.is_some() {
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
            return self.parse_here_document(rest);
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
        let operators = [(">>", ">>"), (">|", ">"), ("<>", "<>"), (">", ">"), ("<", "<")];
        let (written, operator) = operators.into_iter().find(|(it, _)| rest.starts_with(it))?;
        (self.redirect, self.rest) = (Some(Some(operator)), &rest[written.len()..]);
        Some(())
    }

    /// Parses the start of a here-document (`<<END`).
    fn parse_here_document(&mut self, rest: &'a str) -> Option<()> {
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
        self.here_documents.push((name.to_owned(), quote.is_some()));
        self.rest = behind;
        Some(())
    }

    fn skip_here_documents(&mut self) -> Option<()> {
        for (name, is_quoted) in std::mem::take(&mut self.here_documents) {
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
        self.line[self.start..self.line.len() - self.rest.len()].clone_into(&mut word.source);
        // The program `[` is not a pattern.
        word.is_pattern &= !(is_bare && word.text == "[");
        match self.redirect.take() {
            Some(Some(_)) if word.text == "/dev/null" => {}
            Some(Some(operator)) => {
                self.redirections.push(CommandLinePart::Redirection { operator, target: word });
            }
            Some(None) => {}
            None if self.command.is_empty() && !may_be_program(&word) => return None,
            None => self.command.push(word),
        }
        Some(())
    }

    fn end_command(&mut self) -> Option<()> {
        self.end_word()?;
        if self.redirect.is_some() || assigns_variable(&self.command) {
            return None;
        }
        if !self.command.is_empty() {
            self.parts.push(CommandLinePart::Command(std::mem::take(&mut self.command)));
        }
        self.parts.append(&mut self.redirections);
        Some(())
    }

    fn finish(&mut self) -> Option<()> {
        self.end_command()?;
        self.here_documents.is_empty().then_some(())
    }
}

/// Returns whether a word may be the program of a simple command.
fn may_be_program(word: &CommandLineWord) -> bool {
    let text = word.text.as_str();
    !text.is_empty() && !word.is_pattern && !text.contains('=') && !NON_SIMPLE_WORDS.contains(&text)
}

/// Returns whether an otherwise harmless builtin gets the name of a variable, in which a shell
/// evaluates subscripts.
fn assigns_variable(words: &[CommandLineWord]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let names = |word: &CommandLineWord| {
        let may_be_option = word.is_pattern && word.text.starts_with(['*', '?', '[', '{', '-']);
        may_be_option || matches!(word.text.as_bytes(), [b'-', b'v' | b'R', ..])
    };
    matches!(program.text.as_str(), "printf" | "test" | "[") && rest.iter().any(names)
}

/// Returns the text of `(cat <<'END' … END)` at the beginning of `source`, which the shell does not
/// expand, and the rest of `source`.
fn parse_literal_cat(source: &str) -> Option<(&str, &str)> {
    let (name, body) = source.strip_prefix("(cat <<'")?.split_once("'\n")?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    // The shell of macOS searches for the end inside the text, too.
    if cfg!(target_os = "macos") && body.contains(['(', '\'', '"', '`', '\\']) {
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

    fn spell_out(line: &str) -> Option<String> {
        let word = |word: &CommandLineWord| match word.is_pattern {
            true => format!("~{}", word.text),
            false => word.text.clone(),
        };
        let part = |part: &CommandLinePart| match part {
            CommandLinePart::Command(words) => words.iter().map(word).collect::<Vec<_>>().join("_"),
            CommandLinePart::Redirection { operator, target } => {
                format!("{operator}{}", word(target))
            }
        };
        Some(SimpleCommandLine::parse(line)?.parts.iter().map(part).collect::<Vec<_>>().join("|"))
    }

    #[test]
    fn parts_are_spelled_as_written_and_without_quotes() {
        let parts =
            SimpleCommandLine::parse("\"rm\"  'a b' x*y >  'o' 2>/dev/null").expect("plain").parts;
        let written: Vec<String> = parts.iter().map(CommandLinePart::source_text).collect();
        assert_eq!(written, ["\"rm\" 'a b' x*y", "> 'o'"]);
        let texts: Vec<String> = parts.iter().map(CommandLinePart::text).collect();
        assert_eq!(texts, ["rm a b x*y", "> o"]);
        let before: Vec<_> = parts.iter().map(CommandLinePart::text_before_pattern).collect();
        assert_eq!(before, [Some("rm a b x".to_owned()), None]);
        for (line, expected) in [("/usr/bin/env a", true), ("'sudo' a", true), ("git a", false)] {
            let line = SimpleCommandLine::parse(line).expect("plain");
            assert_eq!(line.parts[0].is_runner(), expected, "{line:?}");
        }
    }

    #[test]
    fn plain_lines_are_their_words() {
        for (line, expected) in [
            ("", ""),
            ("# git log", ""),
            ("git  log -1 \\\n --stat", "git_log_-1_--stat"),
            ("a 'b c' \"d e\"f g\\ h \"\\$x \\n\"", "a_b c_d ef_g h_$x \\n"),
            ("a && b || c; d | e & f\ng", "a|b|c|d|e|f|g"),
            ("a > b 2>&1 >> c < d 2>/dev/null", "a|>b|>>c|<d"),
            ("a > b |& c", "a|>b|c"),
            ("> a b >| c <> d", "b|>a|>c|<>d"),
            ("ls *.rs ~/a {a,b} 'x*'", "ls_~*.rs_~~/a_~{a,b}_x*"),
            ("cat <<E > a && b\nx\nE\nc", "cat|>a|b|c"),
            ("cat <<'E'\n$(x) `y`\nE", "cat"),
            ("cat <<< 'a b'; echo \"$?\" $?", "cat|echo_0_0"),
            ("git commit -m \"$(cat <<'E'\na `b` $(c)\nE\n)\"", "git_commit_-m_a `b` $(c)"),
            ("[ -f a ] && b", "[_-f_a_]|b"),
            ("echo a#b '#c' #d; e\nf", "echo_a#b_#c|f"),
            ("a\u{a0}b\u{3000}c d", "a\u{a0}b\u{3000}c_d"),
            ("a 2>b 3<&- 2x>d", "a_2x|>b|>d"),
            ("'a'b\"c\"\\d\\\ne", "abcde"),
            ("find . -exec a {} +; echo !x a=b ~ a~", "find_._-exec_a_~{}_+|echo_!x_a=b_~~_a~"),
            ("grep -E \"a$\" b", "grep_-E_a$_b"),
        ] {
            assert_eq!(spell_out(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    #[allow(clippy::too_many_lines)] // A flat table.
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
            "echo \"`a`\"",
            "echo \"a`b`c\"",
            "a <(b)",
            "(a)",
            "{ a; }",
            "f() { a; }",
            "if a; then b; fi",
            "for x in a; do b; done",
            "! a",
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
            "a &> b",
            "a &>> b",
            "a 12> b",
            "a > `b`",
            "a > $(b)",
            "a >(b)",
            "a <<'E' <(b)\nE",
            "a <\\\n<E\nb\nE",
            "cat <<E\n`b`\nE",
            "echo \"${x:-`b`}\"",
            "echo a$IFS",
            "until a; do b; done",
            "select x in a; do b; done",
            "case a in a) b;; esac",
            "function f { a; }",
            "coproc a",
            "alias a=b",
            "export PATH=.",
            "declare -i x",
            "set -k",
            "read x",
            "let 'a[`b`]'",
            "trap a EXIT",
            "mapfile -C a -c 1 x",
            "printf -v 'a[$(b)]' c",
            "[ -v 'a[$(b)]' ]",
            "test {-v,'a[$(b)]'}",
            "printf * a",
            "cat {a['$(b)']}<c",
            "cat {a}>c",
            "a\0b",
            "a\r\nb",
            "a \u{b} b",
            "'' a",
        ] {
            assert_eq!(spell_out(line), None, "{line}");
        }
    }
}
