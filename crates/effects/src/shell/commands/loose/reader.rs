//! What words and the output of commands may begin with, given what variables hold.

use tree_sitter::Node;

use super::arguments::{Argument, Part};
use super::certain::Certain;
use super::harmless::printed_by;
use super::numbers;
use super::values::{Made, Values, Variable};
use crate::shell::parse::{redirection, text_of};
use crate::shell::word::{Loose, Word, behind_digit, is_variable};

/// Substitutions within one another that are followed.
const DEPTH_MAX: u8 = 8;

/// Bytes of substitutions that are asked whether they print numbers.
const SHORT: usize = 200;

/// Reads words by what is known of variables.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) source: &'a str,
    pub(super) values: &'a Values,
    certain: &'a Certain,
    pub(super) depth: u8,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, values: &'a Values, certain: &'a Certain) -> Self {
        Self { source, values, certain, depth: 0 }
    }

    /// The word of a node.
    pub(super) fn argument(self, node: Node<'_>) -> Argument {
        let mut parts = Vec::new();
        self.add(node, false, &mut parts);
        Argument::of(&parts)
    }

    /// The words of a command, its name first.
    pub(super) fn arguments(self, command: Node<'_>) -> Vec<Argument> {
        word_nodes(command).into_iter().map(|node| self.argument(node)).collect()
    }

    /// The words of a command that to a shell are one with the word behind: to the grammar `a$b$c` is
    /// two, `a$b$` and `c`.
    pub(super) fn joined(self, command: Node<'_>) -> Vec<usize> {
        let nodes = word_nodes(command);
        let pairs = nodes.windows(2).enumerate();
        let meets = |pair: &[Node<'_>]| pair[0].end_byte() == pair[1].start_byte();
        pairs.filter(|(_, pair)| meets(pair)).map(|(at, _)| at).collect()
    }

    fn add(self, node: Node<'_>, is_quoted: bool, parts: &mut Vec<Part>) {
        let text = text_of(node, self.source);
        match node.kind() {
            "word" | "number" | "test_operator" | "regex" | "extglob_pattern" => {
                parts.push(Part::Text { text: Word::of(node, self.source).text, is_quoted });
            }
            "raw_string" => {
                let text = Word::of(node, self.source).text;
                parts.push(Part::Text { text, is_quoted: true });
            }
            "ansi_c_string" => parts.push(match has_numbers(text) {
                true => Part::Made { made: Made::ANYTHING, is_quoted: true },
                false => Part::Text { text: Word::of(node, self.source).text, is_quoted: true },
            }),
            "string" | "translated_string" => self.add_string(node, parts),
            "concatenation" => {
                let mut cursor = node.walk();
                for child in node.children(&mut cursor) {
                    self.add(child, is_quoted, parts);
                }
            }
            "simple_expansion" => {
                let behind = behind_digit(text);
                let name = text[..text.len() - behind.len()].trim_start_matches('$');
                parts.push(self.variable(node, name, is_quoted));
                if !behind.is_empty() {
                    parts.push(Part::Text { text: behind.to_owned(), is_quoted });
                }
            }
            "expansion" => {
                let name = text.trim_start_matches("${").trim_end_matches('}');
                parts.push(match name.strip_prefix('#') {
                    // `${#x}` is a length.
                    Some(measured) if is_variable(measured) => Part::Number,
                    None if is_variable(name) => self.variable(node, name, is_quoted),
                    _ => match Part::of_variable(self.expansion(node), is_quoted) {
                        Part::Given if chooses(name) => Part::Chosen,
                        part => part,
                    },
                });
            }
            "command_substitution" => {
                parts.push(match self.prints_number(node) {
                    true => Part::Number,
                    false => Part::Made { made: self.printed(node), is_quoted },
                });
            }
            "process_substitution" => {
                parts.push(Part::Text { text: "/dev/fd/63".to_owned(), is_quoted: true });
            }
            "brace_expression" => {
                parts.push(Part::Text { text: "1".to_owned(), is_quoted: true });
            }
            "arithmetic_expansion" => {
                parts.push(Part::Number);
            }
            _ if node.is_named() => {
                parts.push(Part::Made { made: Made::ANYTHING, is_quoted });
            }
            _ => parts.push(Part::Text { text: text.to_owned(), is_quoted }),
        }
    }

    fn variable(self, node: Node<'_>, name: &str, is_quoted: bool) -> Part {
        let variable = self.values.of(name);
        match variable.is_number() && self.certain.has(name, node.start_byte()) {
            true => Part::Written { variable, is_quoted, is_number: true },
            false => Part::of_variable(variable, is_quoted),
        }
    }

    /// The grammar has no nodes for some blanks in a string.
    fn add_string(self, node: Node<'_>, parts: &mut Vec<Part>) {
        let literal = |from: usize, to: usize| {
            let text = self.source.get(from..to).unwrap_or_default();
            Part::Text { text: text.to_owned(), is_quoted: true }
        };
        let mut at = node.start_byte();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            parts.push(literal(at, child.start_byte()));
            match child.kind() {
                "\"" | "$" => {}
                "string_content" => parts.push(literal(child.start_byte(), child.end_byte())),
                _ => self.add(child, true, parts),
            }
            at = child.end_byte();
        }
    }

    /// What `${…}` gives.
    fn expansion(self, node: Node<'_>) -> Variable {
        let inner = text_of(node, self.source).trim_start_matches("${").trim_end_matches('}');
        if inner.starts_with('#') {
            return Variable::default();
        }
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let end = match inner.find(|sign| !is_name(sign)) {
            Some(0) => inner.chars().next().map_or(0, char::len_utf8),
            end => end.unwrap_or(inner.len()),
        };
        let (name, mut rest) = inner.split_at(end);
        if name == "!" && !rest.is_empty() {
            return Variable::of(Made::ANYTHING);
        }
        if rest.starts_with('[') {
            rest = rest.split_once(']').map_or("@", |(_, behind)| behind);
        }
        let variable = self.values.of(name);
        let is_set = self.values.sets(name);
        let anything = || Variable::of(Made::ANYTHING);
        let operator = rest.strip_prefix(':').unwrap_or(rest);
        match operator.chars().next() {
            None | Some('?') => variable,
            Some('-' | '=' | '+') => self.or_default(node, variable, &operator[1..]),
            // The beginning stays.
            Some('%' | '^' | ',') => without_options(variable),
            Some('0') if rest.starts_with(':') => without_options(variable),
            Some('#') if name == "PWD" => Variable::of(Made::NAMES),
            Some('/') if !is_set && !rest.contains(['-', '+', '$', '`']) => {
                // What is put in may have blanks.
                let is_plain = |sign: char| !sign.is_whitespace() && !"\\'\"".contains(sign);
                let made = if rest.chars().all(is_plain) { Made::NOT } else { Made::SPLIT };
                Variable { made: variable.made.or(made), ..variable }
            }
            Some('/') => anything(),
            _ if is_set => anything(),
            _ => variable,
        }
    }

    /// What a variable gives, or else the text behind `:-`.
    fn or_default(self, node: Node<'_>, variable: Variable, text: &str) -> Variable {
        let text = text.trim_matches(['"', '\'']);
        let mut made = variable.made;
        let mut written = variable.written;
        if text.contains(['$', '`', '\\', '<', '>']) {
            let mut cursor = node.walk();
            let mut parts = Vec::new();
            for child in node.named_children(&mut cursor).skip(1) {
                self.add(child, false, &mut parts);
            }
            let word = Argument::of(&parts);
            made = made.or(Made { whole: word.whole_of_all, split: word.whole_of_all });
            written.extend(word.written.into_iter().map(|value| value.texts));
        } else if !text.is_empty() {
            written.push(vec![text.to_owned()]);
        }
        Variable { made, written }
    }

    /// What a substitution prints.
    pub(super) fn printed(self, substitution: Node<'_>) -> Made {
        if self.depth >= DEPTH_MAX {
            return Made::ANYTHING;
        }
        let inner = Reader { depth: self.depth + 1, ..self };
        let mut cursor = substitution.walk();
        let children: Vec<Node<'_>> = substitution.named_children(&mut cursor).collect();
        let printed = children.into_iter().map(|child| inner.output(child, Made::ANYTHING));
        printed.reduce(Made::or).unwrap_or(Made::ANYTHING)
    }

    /// Whether a substitution prints one number, or fails.
    fn prints_number(self, substitution: Node<'_>) -> bool {
        if !self.is_short(substitution) {
            return false;
        }
        let mut cursor = substitution.walk();
        let mut children = substitution.named_children(&mut cursor);
        let (Some(only), None) = (children.next(), children.next()) else { return false };
        let inner = Reader { depth: self.depth + 1, ..self };
        self.depth < DEPTH_MAX && numbers::is_printed(only, |command| inner.arguments(command))
    }

    /// Whether a substitution is short and has no other in it.
    fn is_short(self, substitution: Node<'_>) -> bool {
        let text = text_of(substitution, self.source);
        let inner = text.strip_prefix("$(").unwrap_or_default();
        inner.len() < SHORT && !inner.is_empty() && !inner.contains('`') && !inner.contains("$(")
    }

    /// Whether a word is a substitution that prints numbers, as `$(seq 5)` does.
    pub(super) fn prints_numbers(self, word: Node<'_>) -> bool {
        if !self.is_short(word) {
            return false;
        }
        let mut cursor = word.walk();
        let mut children = word.named_children(&mut cursor);
        let only = children.next().filter(|it| it.kind() == "command" && children.next().is_none());
        word.kind() == "command_substitution"
            && only.is_some_and(|command| numbers::are_counted(&self.arguments(command)))
    }

    /// What a statement prints that is fed this.
    pub(super) fn output(self, node: Node<'_>, fed: Made) -> Made {
        if self.depth >= DEPTH_MAX {
            return Made::ANYTHING;
        }
        let inner = Reader { depth: self.depth + 1, ..self };
        let mut cursor = node.walk();
        let children = node.named_children(&mut cursor);
        match node.kind() {
            "command" => self.output_of_command(node, self.input(node, fed)),
            "pipeline" => children.fold(fed, |fed, child| inner.output(child, fed)),
            "list" | "subshell" | "compound_statement" => {
                children.map(|child| inner.output(child, fed)).fold(Made::NOT, Made::or)
            }
            "redirected_statement" => {
                let fed = self.input(node, fed);
                let body = node.child_by_field_name("body");
                body.map_or(Made::ANYTHING, |body| inner.output(body, fed))
            }
            "variable_assignment" | "variable_assignments" | "test_command" | "comment" => {
                Made::NOT
            }
            _ => Made::ANYTHING,
        }
    }

    fn output_of_command(self, node: Node<'_>, fed: Made) -> Made {
        let mut cursor = node.walk();
        let is_usual = |child: &Node<'_>| {
            let text = text_of(*child, self.source);
            child.kind() != "variable_assignment"
                || text.starts_with("LC_") | text.starts_with("LANG=")
        };
        if !node.children(&mut cursor).all(|child| is_usual(&child)) {
            return Made::ANYTHING;
        }
        let words = self.arguments(node);
        let Some((program, rest)) = words.split_first() else { return Made::NOT };
        let Some(program) = program.known() else { return Made::ANYTHING };
        let name = ["/usr/bin/", "/bin/"].iter().find_map(|folder| program.strip_prefix(folder));
        // Names of time zones are what the variable says.
        if self.values.sets("TZ") && program == "date" {
            return Made::ANYTHING;
        }
        printed_by(name.unwrap_or(program), rest, fed, self.values)
    }

    /// What a statement has for its input, of which it is fed this where it has no redirection.
    pub(super) fn input(self, node: Node<'_>, fed: Made) -> Made {
        let mut cursor = node.walk();
        let mut fed = fed;
        for child in node.children(&mut cursor) {
            match child.kind() {
                "herestring_redirect" => {
                    let word = child.named_child(0).map(|word| self.argument(word));
                    fed = word.map_or(Made::ANYTHING, |word| word.as_text());
                }
                "heredoc_redirect" => {
                    let mut cursor = child.walk();
                    let body = child
                        .named_children(&mut cursor)
                        .find(|part| part.kind() == "heredoc_body");
                    let text = body.map_or("", |body| text_of(body, self.source));
                    let is_plain = |sign: char| sign.is_alphanumeric() || "#(['\"/.".contains(sign);
                    let whole = match text.trim_start().chars().next().is_none_or(is_plain) {
                        true => Loose::Not,
                        false => Loose::Anything,
                    };
                    fed = Made { whole, split: Loose::Anything };
                }
                "file_redirect" => {
                    let (operator, to) = redirection(child, self.source);
                    match to.first() {
                        Some(to) if operator == "<" && to.kind() == "process_substitution" => {
                            fed = self.printed(*to);
                        }
                        _ if operator.starts_with('<') => fed = Made::ANYTHING,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        fed
    }
}

/// The nodes of a command's words, its name first.
fn word_nodes(command: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = command.walk();
    let children = command.children(&mut cursor).filter_map(|child| match child.kind() {
        "command_name" => child.child(0),
        "variable_assignment" => None,
        kind if kind.ends_with("_redirect") => None,
        _ => Some(child),
    });
    children.collect()
}

/// Whether what stands in `${…}` takes or makes parts of a value, of which the letters may be code.
fn chooses(inner: &str) -> bool {
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let operator = inner.trim_start_matches(is_name);
    let is_default = |operator: &str| operator.is_empty() || operator.starts_with(['-', '=', '?']);
    !is_default(operator) && !operator.strip_prefix(':').is_some_and(is_default)
}

/// Whether letters are written as numbers.
fn has_numbers(text: &str) -> bool {
    let is_number = |sign: char| sign.is_ascii_digit() || matches!(sign, 'x' | 'u' | 'U' | 'c');
    text.match_indices('\\').any(|(at, _)| text[at + 1..].starts_with(is_number))
}

/// A variable of which only the end may be taken away: that could make another option of one.
fn without_options(variable: Variable) -> Variable {
    let is_option = |text: &String| text.trim_start().starts_with(['-', '+']);
    match variable.written.iter().flatten().any(is_option) {
        true => Variable::of(Made::ANYTHING),
        false => variable,
    }
}
