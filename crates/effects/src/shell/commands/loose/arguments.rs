//! One word, put together from its parts.

use super::values::{Made, Variable, WRITTEN_MAX};
use crate::shell::word::Loose;

/// A part of a word.
#[derive(Debug)]
pub(super) enum Part {
    /// Letters that stand in the line.
    Text { text: String, is_quoted: bool },
    /// What is made elsewhere.
    Made { made: Made, is_quoted: bool },
    /// A variable of the environment, or a number.
    Given,
    /// A part of such a variable, which who writes the line has chosen.
    Chosen,
    /// A variable with values that stand in the line, and maybe others. If it `is_number`, they are
    /// numbers, and it has one of them for sure.
    Written { variable: Variable, is_quoted: bool, is_number: bool },
    /// A number that is worked out, or nothing.
    Number,
}

impl Part {
    pub(super) fn of_variable(variable: Variable, is_quoted: bool) -> Part {
        match variable {
            _ if variable == Variable::default() => Part::Given,
            Variable { made, written } if written.is_empty() => Part::Made { made, is_quoted },
            variable => Part::Written { variable, is_quoted, is_number: false },
        }
    }
}

/// One way to read a word: the words that it becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Reading {
    pub(super) texts: Vec<String>,
}

/// A word, and what it may begin with.
#[derive(Debug, Default)]
pub(super) struct Argument {
    /// The word as it is spelled, without quotes; variables and substitutions left out.
    text: String,
    /// Whether nothing is put into it.
    is_known: bool,
    /// What it, or one of the words that it is split into, may begin with.
    pub(super) loose: Loose,
    /// What the value of a variable may begin with to which it is assigned.
    pub(super) assigned: Made,
    /// The worst of all its parts.
    pub(super) whole_of_all: Loose,
    /// Whether it, or one of the words that it is split into, begins with what is made.
    pub(super) is_made: bool,
    /// Whether it begins with a dash, and what is made follows.
    pub(super) is_tail_made: bool,
    /// What it becomes with the values that the line writes, where it has such.
    pub(super) written: Vec<Reading>,
    /// The worst that is put into it anywhere.
    pub(super) holds: Loose,
    /// Whether a value is put into it that the line writes, with letters that are more than names
    /// to a shell.
    pub(super) holds_signs: bool,
    /// As it is spelled, with `1` for each number, and with nothing in its place, where nothing else
    /// is put into it.
    pub(super) numbered: Option<[String; 2]>,
}

impl Argument {
    pub(super) fn of(parts: &[Part]) -> Argument {
        let mut word = Argument { is_known: true, ..Argument::default() };
        let mut first_text = String::new();
        let mut is_pattern = false;
        let braces = parts.iter().any(
            |part| matches!(part, Part::Text { text, is_quoted: false } if text.contains('{')),
        );
        for part in parts {
            let is_begun = !word.text.is_empty() && !braces;
            let is_dash = word.text.starts_with(['-', '+']) && !word.text.contains('=');
            match part {
                Part::Text { text, is_quoted } => {
                    let begins = !*is_quoted && text.starts_with(['*', '?', '[']);
                    is_pattern |= !*is_quoted && text.contains(['*', '?', '[']);
                    if begins && !is_begun {
                        word.loose = word.loose.max(Loose::Names);
                        word.assigned.split = word.assigned.split.max(Loose::Names);
                    }
                    if word.is_known {
                        first_text.push_str(text);
                    }
                    word.text.push_str(text);
                }
                Part::Given | Part::Number => word.is_known = false,
                Part::Chosen => {
                    word.is_known = false;
                    word.holds = Loose::Anything;
                }
                Part::Made { made, is_quoted } => {
                    word.put(*made, *is_quoted, is_begun);
                    word.is_tail_made |= is_dash;
                }
                Part::Written { variable, is_quoted, .. } => {
                    let is_made = word.is_made || variable.made != Made::NOT;
                    word.put(variable.made, *is_quoted, is_begun);
                    word.is_made = is_made;
                    word.is_tail_made |= is_dash && variable.made != Made::NOT;
                    let mut values = variable.written.iter().flatten();
                    word.holds_signs |= values.any(|value| has_signs(value));
                    let is_pattern = |word: &str| word.starts_with(['*', '?', '[']);
                    let mut words = variable.written.iter().flatten();
                    if !is_quoted && words.any(|word| word.split(BLANKS).any(is_pattern)) {
                        word.loose = word.loose.max(Loose::Names);
                    }
                }
            }
        }
        if is_pattern {
            // A name that a pattern finds may hold blanks.
            word.assigned.split = word.assigned.split.max(Loose::Names);
        }
        if is_pattern && first_text.starts_with(['-', '+']) {
            word.loose = word.loose.max(Loose::Names);
        }
        word.written = readings(parts);
        word.numbered = numbered(parts);
        word
    }

    fn put(&mut self, made: Made, is_quoted: bool, is_begun: bool) {
        self.is_known = false;
        self.is_made |= !is_begun || !is_quoted;
        self.holds = self.holds.max(made.whole);
        self.whole_of_all = self.whole_of_all.max(made.split);
        self.assigned.split = self.assigned.split.max(made.split);
        if !is_begun {
            self.assigned.whole = self.assigned.whole.max(made.whole);
            self.loose = self.loose.max(made.whole);
        }
        if !is_quoted {
            self.loose = self.loose.max(made.split);
        }
    }

    /// The text, if nothing is put into it, no pattern either.
    pub(super) fn known(&self) -> Option<&str> {
        (self.is_known && self.loose == Loose::Not).then_some(&*self.text)
    }

    /// How it begins, as far as that stands in the line.
    pub(super) fn spelled(&self) -> &str {
        &self.text
    }

    /// As a text that is printed or read: what it is written as may be an option itself.
    pub(super) fn as_text(&self) -> Made {
        let texts = self.written.iter().flat_map(|reading| &reading.texts);
        let texts = texts.map(String::as_str).chain([self.text.as_str()]);
        let written = texts.map(of_text).fold(Made::NOT, Made::or);
        let whole = self.loose.max(self.assigned.whole);
        let made = Made { whole, split: self.assigned.split.max(self.loose) };
        made.or(written)
    }

    /// As a value of a variable.
    pub(super) fn as_value(&self) -> Variable {
        let mut written: Vec<Vec<String>> =
            self.written.iter().map(|reading| reading.texts.clone()).collect();
        if self.is_known && written.is_empty() {
            written.push(vec![self.text.clone()]);
        }
        let number = self.numbered.as_ref().filter(|_| written.is_empty());
        written.extend(number.map(|[text, _]| vec![text.clone()]));
        let is_known = self.is_known || self.numbered.is_some();
        let is_option = !is_known && self.text.starts_with(['-', '+']);
        let made = match is_option || self.is_tail_made {
            true => Made::ANYTHING,
            false => self.assigned,
        };
        Variable { made, written }
    }
}

/// What a text may begin with that is printed. Other words than options may have a program run
/// others, too: `SHELL=…` of `make`, `;` of `find`.
pub(super) fn of_text(text: &str) -> Made {
    let is_plain = |sign: char| sign.is_alphanumeric() || "_./:,@%^~-*?[] \t\n".contains(sign);
    let is_option = |text: &str| text.starts_with(['-', '+']) || !text.chars().all(is_plain);
    let loose = |is_loose: bool| if is_loose { Loose::Anything } else { Loose::Not };
    Made { whole: loose(is_option(text)), split: loose(text.split_whitespace().any(is_option)) }
}

/// Whether letters of a value do more in a script of a shell than name something.
fn has_signs(text: &str) -> bool {
    !text.chars().all(|sign| sign.is_alphanumeric() || "_./:@%+,=- ".contains(sign))
}

/// The letters of parts of which all others are numbers.
fn numbered(parts: &[Part]) -> Option<[String; 2]> {
    let [mut text, mut bare] = [String::new(), String::new()];
    let mut has_number = false;
    for part in parts {
        match part {
            Part::Text { text: letters, .. } => {
                text.push_str(letters);
                bare.push_str(letters);
            }
            Part::Number | Part::Written { is_number: true, .. } => {
                text.push('1');
                has_number = true;
            }
            Part::Made { .. } | Part::Given | Part::Chosen | Part::Written { .. } => return None,
        }
    }
    has_number.then_some([text, bare])
}

/// What the parts make with the values of variables that the line writes: the first of each, the
/// second of each, and so on.
fn readings(parts: &[Part]) -> Vec<Reading> {
    let count = parts.iter().map(|part| match part {
        Part::Written { variable, .. } => variable.written.len().min(WRITTEN_MAX),
        _ => 0,
    });
    // What is put in may be nothing, so that a dash behind it is the first letter.
    let bare = reading(parts, 0);
    let is_first = |part: &Part| !matches!(part, Part::Text { text, .. } if text.is_empty());
    let begins_made =
        !matches!(parts.iter().find(|part| is_first(part)), Some(Part::Text { .. } | Part::Number));
    let begins_option = bare.texts.iter().any(|text| text.starts_with(['-', '+']));
    match count.max().unwrap_or(0) {
        0 if begins_made && begins_option => vec![bare],
        count => (0..count).map(|at| reading(parts, at)).collect(),
    }
}

fn reading(parts: &[Part], at: usize) -> Reading {
    let mut texts = vec![String::new()];
    for part in parts {
        match part {
            Part::Text { text, .. } => push(&mut texts, text),
            Part::Made { .. } | Part::Given | Part::Chosen => {}
            Part::Number => push(&mut texts, "1"),
            Part::Written { variable, is_quoted, .. } => {
                let Some(value) = variable.written.get(at % variable.written.len().max(1)) else {
                    continue;
                };
                let words: Vec<&str> = match is_quoted {
                    true => value.iter().map(String::as_str).collect(),
                    false => value.iter().flat_map(|word| word.split(BLANKS)).collect(),
                };
                for (at, word) in words.into_iter().enumerate() {
                    if at > 0 {
                        texts.push(String::new());
                    }
                    push(&mut texts, word);
                }
            }
        }
    }
    texts.retain(|text| !text.is_empty());
    Reading { texts }
}

fn push(texts: &mut [String], text: &str) {
    if let Some(last) = texts.last_mut() {
        last.push_str(text);
    }
}

/// What a value is split at that is not quoted.
const BLANKS: [char; 3] = [' ', '\t', '\n'];
