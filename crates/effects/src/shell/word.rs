//! Words of a command line: taken out of their quotes, and put into them.

use std::ops::Range;

use serde_json::Value;
use tree_sitter::Node;

use super::parse::text_of;

/// What a word may become at its beginning that its letters do not tell: there an option begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Loose {
    /// Nothing that begins an option, or only what it is written as.
    #[default]
    Not,
    /// Names of files, as they are found.
    Names,
    /// Anything.
    Anything,
}

/// One word without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Holds a variable or substitution: the text is not what the program gets.
    pub(super) expands: bool,
    /// Holds one that is not quoted: it may become no word, or several.
    pub(super) splits: bool,
    /// Holds an unquoted pattern (`*.rs`, `{a,b}`).
    pub(super) glob: bool,
    /// What the word, or one that it is split into, may begin with.
    pub(super) loose: Loose,
    /// Begins with what the line makes elsewhere, whatever that is.
    pub(super) is_made: bool,
    /// Begins with a dash and ends with what is made elsewhere (`-n$(cat x)`).
    pub(super) is_tail_made: bool,
    /// The worst that is put into it anywhere. Where the word is a script, that is part of it.
    pub(super) holds: Loose,
    /// A value of the line is put into it that is more than names to a shell.
    pub(super) holds_signs: bool,
    /// The digits in it may be others.
    pub(super) has_number: bool,
    /// The parts of the text in whose place something else is put, in their order.
    pub(super) holes: Vec<Range<usize>>,
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
                let expands = node.is_named() || kind == "$";
                self.expands |= expands;
                self.splits |= expands;
                let start = self.text.len();
                self.text.push_str(text);
                // What `<( … )` gives is a path.
                if node.is_named() && kind != "process_substitution" {
                    self.holes.push(start..self.text.len() - behind_digit(text).len());
                }
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
            let text = text_of(child, source);
            let start = self.text.len();
            self.text.push_str(&unescape(text, ESCAPED));
            self.holes.push(start..self.text.len() - behind_digit(text).len());
            at = child.end_byte();
        }
        let rest = source.get(at..end).unwrap_or_default();
        self.text.push_str(&unescape(rest.strip_suffix('"').unwrap_or(rest), ESCAPED));
    }

    /// Whether the word is what the program gets, letter for letter: no braces make several of it
    /// either.
    pub(super) fn is_written(&self) -> bool {
        self.known().is_some_and(|text| !text.contains('{'))
    }

    /// Whether it may become several words of which nobody knows the letters, so that one may be a
    /// program (`5$IFS./x`, `"$@"`).
    pub(super) fn may_be_several(&self) -> bool {
        const LISTS: &[&str] = &["$@", "$*", "${@", "${*"];
        let is_list = |text: &str| {
            LISTS.iter().any(|list| text.starts_with(list))
                || text.contains("[@]")
                || text.contains("[*]")
        };
        self.splits && self.loose == Loose::Anything
            || self.holes.iter().any(|hole| self.text.get(hole.clone()).is_some_and(is_list))
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

/// The letters behind a variable like `$1`, which the grammar takes for a part of its name.
pub(super) fn behind_digit(variable: &str) -> &str {
    let name = variable.strip_prefix('$').unwrap_or_default();
    if name.starts_with(|sign: char| sign.is_ascii_digit()) { &name[1..] } else { "" }
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

/// Whether a text can be the name of a variable, or is a number as `$1` has one.
pub(super) fn is_variable(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a word before a program sets a variable for it.
pub(super) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| is_variable(name))
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
