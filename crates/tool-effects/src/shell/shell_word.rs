//! Words of a command line: unquoting and quoting.

use foveal_parser_runtime::Node;
use serde_json::Value;

use super::syntax::node_text;

/// A word without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ShellWord {
    pub(super) text: String,
    /// Whether it holds a variable or substitution: the text is then not the program's argument.
    pub(super) expands: bool,
    /// Whether it holds an unquoted pattern (`*.rs`, `{a,b}`).
    pub(super) glob: bool,
}

impl ShellWord {
    pub(super) fn literal(text: impl Into<String>) -> ShellWord {
        ShellWord { text: text.into(), ..ShellWord::default() }
    }

    /// Reads the word of a node in the tree of `source`.
    pub(super) fn from_node(node: Node<'_>, source: &str) -> ShellWord {
        let mut word = ShellWord::default();
        word.push_node(node, source);
        word
    }

    fn push_node(&mut self, node: Node<'_>, source: &str) {
        let text = node_text(node, source);
        match node.kind() {
            "word" | "number" | "test_operator" | "regex" | "extglob_pattern" => {
                self.glob |= has_glob(text);
                self.text.push_str(&unescape_word(text));
            }
            "raw_string" => self.text.push_str(strip_quotes(text, '\'')),
            "string" => self.push_string(node, source),
            "ansi_c_string" => {
                self.text
                    .push_str(&unescape_ansi(strip_quotes(text.trim_start_matches('$'), '\'')));
            }
            "concatenation" => {
                let mut cursor = node.walk();
                for child in node.children(&mut cursor) {
                    self.push_node(child, source);
                }
                self.glob |= text.contains('{') && text.contains(',');
            }
            kind => {
                self.expands |= node.is_named() || kind == "$";
                self.text.push_str(text);
            }
        }
    }

    /// Appends the text of a string. The grammar has no nodes for some blanks in a string.
    fn push_string(&mut self, node: Node<'_>, source: &str) {
        const ESCAPED: &str = "$`\"\\";
        let end = node.end_byte();
        let mut at = node.start_byte() + 1;
        let mut cursor = node.walk();
        let put_in = node.named_children(&mut cursor).filter(|it| it.kind() != "string_content");
        for child in put_in {
            self.expands = true;
            let before = source.get(at..child.start_byte()).unwrap_or_default();
            self.text.push_str(&unescape(before, ESCAPED));
            self.text.push_str(&unescape(node_text(child, source), ESCAPED));
            at = child.end_byte();
        }
        let rest = source.get(at..end).unwrap_or_default();
        self.text.push_str(&unescape(rest.strip_suffix('"').unwrap_or(rest), ESCAPED));
    }

    /// Returns the text, if it is the program's argument.
    pub(super) fn known_text(&self) -> Option<&str> {
        (!self.expands && !self.glob).then_some(self.text.as_str())
    }
}

/// Returns whether `program` takes a script after `-c`.
pub(super) fn is_shell(program: &str) -> bool {
    matches!(program_name(program), "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish")
}

/// Returns a program's name without its folder.
pub(super) fn program_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Joins an argument list to one command line; returns the `-c` script of a shell unchanged.
pub(crate) fn join_arguments(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    if let [program, flag, script] = words[..]
        && is_shell(program)
        && flag.starts_with('-')
        && flag.ends_with('c')
    {
        return script.to_owned();
    }
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./=:,+@%".contains(&b);
        if !word.is_empty() && word.bytes().all(plain) {
            line.push_str(word);
        } else {
            line.push('\'');
            line.push_str(&word.replace('\'', r"'\''"));
            line.push('\'');
        }
    }
    line
}

fn strip_quotes(text: &str, quote: char) -> &str {
    let text = text.strip_prefix(quote).unwrap_or(text);
    text.strip_suffix(quote).unwrap_or(text)
}

/// Removes the backslash before any of `special`, and backslash and break at line ends.
pub(super) fn unescape(text: &str, special: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letters.peek() {
            Some('\n') if letter == '\\' => {
                letters.next();
            }
            Some(&next) if letter == '\\' && special.contains(next) => {
                out.push(next);
                letters.next();
            }
            _ => out.push(letter),
        }
    }
    out
}

fn unescape_word(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\n') | None => {}
                Some(next) => out.push(next),
            },
            _ => out.push(letter),
        }
    }
    out
}

fn unescape_ansi(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let Some(letter) = after.chars().next() else { return out };
        let after = &after[letter.len_utf8()..];
        let (radix, digits_max, number) = match letter {
            'x' => (16, 2, after),
            'u' => (16, 4, after),
            'U' => (16, 8, after),
            '0'..='7' => (8, 3, &rest[before.len() + 1..]),
            _ => (0, 0, ""),
        };
        let is_digit = |digit: char| radix > 0 && digit.is_digit(radix);
        let digits = number.chars().take(digits_max).take_while(|it| is_digit(*it)).count();
        rest = if digits == 0 { after } else { &number[digits..] };
        match letter {
            _ if digits > 0 => match u32::from_str_radix(&number[..digits], radix) {
                // For a shell, the text ends here.
                Ok(0) => return out,
                Ok(code) => out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
                Err(_) => out.push(char::REPLACEMENT_CHARACTER),
            },
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            other => out.push(other),
        }
    }
    out.push_str(rest);
    out
}

/// Returns whether an unquoted word holds a pattern that the shell would expand.
fn has_glob(text: &str) -> bool {
    let mut escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'*' | b'?' | b'[' => return true,
            _ => {}
        }
    }
    false
}
