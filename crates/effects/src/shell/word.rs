//! Words of a command line: taken out of their quotes, and put into them.

use foveal_parser_runtime::Node;
use serde_json::Value;

use super::parse::text_of;

/// One word without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Holds a variable or substitution: the text is not what the program gets.
    pub(super) expands: bool,
    /// Holds an unquoted pattern (`*.rs`, `{a,b}`).
    pub(super) glob: bool,
}

impl Word {
    pub(super) fn literal(text: impl Into<String>) -> Word {
        Word { text: text.into(), ..Word::default() }
    }

    /// The word that `node` of the tree of `source` stands for.
    pub(super) fn of(node: Node<'_>, source: &str) -> Word {
        let mut word = Word::default();
        word.add(node, source);
        word
    }

    fn add(&mut self, node: Node<'_>, source: &str) {
        let text = text_of(node, source);
        match node.kind() {
            "word" | "number" | "test_operator" | "regex" | "extglob_pattern" => {
                self.glob |= has_pattern(text);
                self.text.push_str(&unescape_word(text));
            }
            "raw_string" => self.text.push_str(strip(text, '\'')),
            "string" => self.add_string(node, source),
            "ansi_c_string" => {
                self.text.push_str(&unescape_ansi(strip(text.trim_start_matches('$'), '\'')));
            }
            "concatenation" => {
                let mut cursor = node.walk();
                for child in node.children(&mut cursor) {
                    self.add(child, source);
                }
                self.glob |= text.contains('{') && text.contains(',');
            }
            kind => {
                self.expands |= node.is_named() || kind == "$";
                self.text.push_str(text);
            }
        }
    }

    /// The grammar has no nodes for some blanks in a string.
    fn add_string(&mut self, node: Node<'_>, source: &str) {
        const ESCAPED: &str = "$`\"\\";
        let end = node.end_byte();
        let mut at = node.start_byte() + 1;
        let mut cursor = node.walk();
        let put_in = node.named_children(&mut cursor).filter(|it| it.kind() != "string_content");
        for child in put_in {
            self.expands = true;
            let before = source.get(at..child.start_byte()).unwrap_or_default();
            self.text.push_str(&unescape(before, ESCAPED));
            self.text.push_str(&unescape(text_of(child, source), ESCAPED));
            at = child.end_byte();
        }
        let rest = source.get(at..end).unwrap_or_default();
        self.text.push_str(&unescape(rest.strip_suffix('"').unwrap_or(rest), ESCAPED));
    }

    /// The text, if it is what the program gets.
    pub(super) fn known(&self) -> Option<&str> {
        (!self.expands && !self.glob).then_some(self.text.as_str())
    }
}

/// Whether `program` takes a script after `-c`.
pub(super) fn is_shell(program: &str) -> bool {
    matches!(name_of(program), "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish")
}

/// A program's name without the folder it is in.
pub(super) fn name_of(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The words of an argument list as one command line; a shell's `-c` script as it is.
pub(crate) fn joined(words: &[Value]) -> String {
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

fn strip(text: &str, quote: char) -> &str {
    let text = text.strip_prefix(quote).unwrap_or(text);
    text.strip_suffix(quote).unwrap_or(text)
}

/// Removes the backslash before any of `special` and before line breaks, with the break.
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
                // To a shell the text ends here.
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

/// Whether an unquoted word holds a pattern the shell would expand.
fn has_pattern(text: &str) -> bool {
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
