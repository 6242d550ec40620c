//! What a line sets its variables to, and what its commands are fed.

use std::collections::HashMap;

use tree_sitter::Node;

use super::arguments::Argument;
use super::certain::Certain;
use super::reader::Reader;
use super::values::{Made, Values, Variable};
use crate::shell::parse::{Parsed, text_of};
use crate::shell::starters::{is_feeder, is_starter};
use crate::shell::word::{Loose, Word, name_of};

/// Values that rest on one another are followed this far.
const PASSES_MAX: usize = 6;

/// What is known of the values in a line.
#[derive(Debug, Default)]
pub(crate) struct LineValues {
    /// What its variables hold.
    pub(crate) values: Values,
    /// What its commands are fed that pass it on, by their nodes.
    fed: HashMap<usize, Made>,
    /// Where its variables are set for sure.
    certain: Certain,
}

/// A command with the values that are put into its words.
pub(crate) struct Loosened {
    /// As it is, if no number is put into it; else with a number in the place of each, and with
    /// nothing there. All are for those that ask what the command does.
    pub(crate) numbered: Vec<Vec<Word>>,
    /// With the values that the line writes, in each way in which that changes it.
    pub(crate) readings: Vec<Vec<Word>>,
}

impl LineValues {
    /// Those of a line that stands in another one with these.
    pub(crate) fn of(parsed: &Parsed<'_>, outer: &Values) -> LineValues {
        let source = parsed.source;
        let begin = if parsed.is_nested { outer.for_script() } else { outer.clone() };
        let mut found =
            LineValues { values: begin, fed: HashMap::new(), certain: Certain::default() };
        if !source.contains(['$', '`', '*', '?', '[', '{'])
            && !source.contains("xargs")
            && !source.contains("parallel")
        {
            return found;
        }
        found.certain = Certain::of(parsed.root(), source);
        for _ in 0..PASSES_MAX {
            let mut gatherer = Gatherer {
                reader: Reader::new(source, &found.values, &found.certain),
                next: found.values.clone(),
                fed: HashMap::new(),
            };
            gatherer.walk(parsed.root());
            let (next, fed) = (gatherer.next, gatherer.fed);
            let is_settled = next == found.values;
            found = LineValues { values: next, fed, ..found };
            if is_settled {
                return found;
            }
        }
        found.values.lose();
        found.fed.clear();
        found
    }

    /// What a command is fed.
    pub(crate) fn fed(&self, command: Node<'_>) -> Made {
        self.fed.get(&command.id()).copied().unwrap_or(Made::ANYTHING)
    }

    /// Tells the words of a command what they may become, and gives them with what is put in.
    pub(crate) fn loosen(&self, command: Node<'_>, source: &str, words: &mut [Word]) -> Loosened {
        let reader = Reader::new(source, &self.values, &self.certain);
        let arguments = reader.arguments(command);
        if arguments.len() != words.len() {
            // The grammar has given it words of redirections, too.
            for word in words.iter_mut() {
                word.loose = Loose::Anything;
            }
            return Loosened { numbered: vec![words.to_vec()], readings: Vec::new() };
        }
        let has_several = |argument: &Argument| {
            let options = argument.written.iter().flat_map(|reading| &reading.texts);
            argument.written.len() > 1
                && options.into_iter().any(|text| text.starts_with(['-', '+']))
        };
        let several = arguments.iter().filter(|argument| argument.written.len() > 1).count();
        for (word, argument) in words.iter_mut().zip(&arguments) {
            word.loose = argument.loose;
            word.is_made = argument.is_made;
            word.is_tail_made = argument.is_tail_made;
            word.holds = argument.holds;
            word.holds_signs = argument.holds_signs;
            // Of two that may each be one of several, not all pairs are read.
            if several > 1 && has_several(argument) {
                word.loose = Loose::Anything;
            }
        }
        for at in reader.joined(command) {
            self.join(words, at);
        }
        let count = arguments.iter().map(|argument| argument.written.len()).max().unwrap_or(0);
        Loosened {
            numbered: numbered(words, &arguments),
            readings: (0..count).map(|at| read_at(words, &arguments, at)).collect(),
        }
    }
}

impl LineValues {
    /// Tells of a word and the one behind it, which is its end, that they are not all of it.
    fn join(&self, words: &mut [Word], at: usize) {
        let Some([left, right]) = words.get_mut(at..at + 2) else { return };
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let end = right.text.find(|sign| !is_name(sign)).unwrap_or(right.text.len());
        let is_variable = left.text.ends_with('$') && end > 0;
        if is_variable && left.holes.last().is_none_or(|hole| hole.end < left.text.len()) {
            left.holes.push(left.text.len() - 1..left.text.len());
        }
        if is_variable && right.holes.first().is_none_or(|hole| hole.start >= end) {
            right.holes.insert(0, 0..end);
        }
        let is_given = is_variable && !self.values.sets(&right.text[..end]);
        for word in [left, right] {
            word.expands = true;
            word.splits = true;
            if !is_given {
                word.loose = Loose::Anything;
                word.holds = Loose::Anything;
            }
        }
    }
}

fn numbered(words: &[Word], arguments: &[Argument]) -> Vec<Vec<Word>> {
    if arguments.iter().all(|argument| argument.numbered.is_none()) {
        return vec![words.to_vec()];
    }
    let with = |at: usize| {
        let mut words = words.to_vec();
        for (word, argument) in words.iter_mut().zip(arguments).filter(|(word, _)| !word.glob) {
            if let Some(texts) = &argument.numbered {
                *word = Word { has_number: true, ..Word::literal(&texts[at]) };
            }
        }
        words
    };
    vec![with(0), with(1)]
}

/// The words with the values at one place.
fn read_at(words: &[Word], arguments: &[Argument], at: usize) -> Vec<Word> {
    let mut read = Vec::new();
    for (word, argument) in words.iter().zip(arguments) {
        match argument.written.get(at % argument.written.len().max(1)) {
            Some(reading) => read.extend(reading.texts.iter().map(|text| Word {
                text: text.clone(),
                loose: word.loose,
                ..Word::default()
            })),
            None => read.push(word.clone()),
        }
    }
    read
}

struct Gatherer<'a> {
    reader: Reader<'a>,
    next: Values,
    fed: HashMap<usize, Made>,
}

impl Gatherer<'_> {
    /// The tree can be as deep as the line is long.
    fn walk(&mut self, root: Node<'_>) {
        let mut waiting = vec![(root, Made::ANYTHING, false)];
        while let Some((node, fed, is_of_command)) = waiting.pop() {
            let mut cursor = node.walk();
            let children = node.named_children(&mut cursor);
            match node.kind() {
                "pipeline" => {
                    let mut fed = fed;
                    for child in children {
                        waiting.push((child, fed, false));
                        fed = self.reader.output(child, fed);
                    }
                    continue;
                }
                "command_substitution" | "process_substitution" => {
                    waiting.extend(children.map(|child| (child, Made::ANYTHING, false)));
                    continue;
                }
                "redirected_statement" => {
                    let fed = self.reader.input(node, fed);
                    waiting.extend(children.map(|child| (child, fed, false)));
                    continue;
                }
                "command" => {
                    let fed = self.reader.input(node, fed);
                    self.command(node, fed);
                }
                // Before `read` it is what that splits lines at, and changes nothing else.
                "variable_assignment" if is_of_command && self.is_of_blanks(node) => {}
                "variable_assignment" => self.assignment(node),
                "for_statement" => self.for_loop(node),
                "declaration_command" => self.declaration(node),
                "expansion" => self.expansion(node),
                _ => {}
            }
            let is_command = node.kind() == "command";
            waiting.extend(children.map(|child| (child, fed, is_command)));
        }
    }

    fn is_of_blanks(&self, assignment: Node<'_>) -> bool {
        text_of(assignment, self.reader.source).starts_with("IFS=")
    }

    fn add(&mut self, name: &str, value: Variable) {
        self.next.add(name, value);
    }

    fn assignment(&mut self, node: Node<'_>) {
        let text = text_of(node, self.reader.source);
        let name: &str = text.split(['=', '[', '+']).next().unwrap_or_default();
        let value = match node.child_by_field_name("value") {
            Some(list) if list.kind() == "array" => {
                let mut cursor = list.walk();
                self.list(list.named_children(&mut cursor).collect())
            }
            Some(value) => self.reader.argument(value).as_value(),
            None => Variable { written: vec![vec![String::new()]], ..Variable::default() },
        };
        self.add(name, value);
    }

    /// Words that one variable holds together.
    fn list(&self, words: Vec<Node<'_>>) -> Variable {
        let (mut made, mut all) = (Made::NOT, Vec::new());
        for word in words {
            let argument = self.reader.argument(word);
            let value = argument.as_value();
            made = made.or(value.made).or(Made { whole: argument.loose, split: argument.loose });
            // `[0]=a` is an element, too.
            let bare =
                |text: String| match text.strip_prefix('[').and_then(|it| it.split_once("]=")) {
                    Some((_, element)) => element.to_owned(),
                    None => text,
                };
            if argument.spelled().starts_with('[') && argument.known().is_none() {
                made = Made::ANYTHING;
            }
            all.extend(value.written.into_iter().flatten().map(bare));
        }
        let written = if all.is_empty() { Vec::new() } else { vec![all] };
        Variable { made, written }
    }

    fn for_loop(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("variable") else { return };
        let name = text_of(name, self.reader.source);
        let mut cursor = node.walk();
        let words: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).collect();
        if words.is_empty() {
            let value = self.reader.values.of("@");
            self.add(name, value);
        }
        for word in words {
            if self.reader.prints_numbers(word) {
                let written = vec![vec!["1".to_owned()]];
                self.add(name, Variable { written, ..Variable::default() });
                continue;
            }
            let value = self.list(vec![word]);
            // A word that is split gives the variable several values.
            let several = value.written.into_iter().flatten();
            let written = several.map(|text| vec![text]).collect();
            self.add(name, Variable { made: value.made, written });
        }
    }

    fn declaration(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "variable_assignment" | "variable_name" => {}
                _ => self.declared(&self.reader.argument(child)),
            }
        }
    }

    /// A word of a builtin that assigns: `NAME=value`, or an option.
    fn declared(&mut self, word: &Argument) {
        let text = word.spelled();
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
        };
        match text.split_once('=') {
            Some((name, value)) if is_name(name.trim_end_matches('+')) => {
                let value = match word.known() {
                    Some(_) => {
                        Variable { written: vec![vec![value.to_owned()]], ..Variable::default() }
                    }
                    None => Variable::of(Made::ANYTHING),
                };
                self.add(name.trim_end_matches('+'), value);
            }
            // `-n` makes a name of another variable.
            _ if text.starts_with('-') && text.contains('n') => self.next.lose(),
            _ if word.known().is_none() => self.next.lose(),
            _ => {}
        }
    }

    /// `${name:=…}`.
    fn expansion(&mut self, node: Node<'_>) {
        let text = text_of(node, self.reader.source);
        let Some((name, _)) = text.trim_start_matches("${").split_once('=') else { return };
        let name = name.trim_end_matches(':');
        if name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_') {
            self.add(name, Variable::of(Made::ANYTHING));
        }
    }

    fn command(&mut self, node: Node<'_>, fed: Made) {
        let words = self.reader.arguments(node);
        let texts: Vec<&str> = words.iter().map(Argument::spelled).collect();
        let Some(first) = texts.first() else { return };
        if texts.iter().any(|text| is_feeder(name_of(text))) {
            self.fed.insert(node.id(), fed);
        }
        let starts = |text: &&&str| matches!(**text, "builtin" | "command" | "time" | "-p" | "--");
        let own = texts.iter().take_while(starts).count();
        let (name, rest) = (texts.get(own).copied().unwrap_or_default(), words.get(own + 1..));
        let rest = rest.unwrap_or_default();
        match name {
            "read" => self.read(&texts[own + 1..], fed),
            "mapfile" | "readarray" => self.read_list(&texts[own + 1..], fed),
            "eval" => self.next.lose(),
            "set" => self.set(rest),
            "getopts" | "printf" => {
                let at = rest.iter().position(|word| word.spelled().starts_with("-v"));
                let name = if name == "printf" { at.map(|at| at + 1) } else { Some(1) };
                if let Some(name) = name.and_then(|at| rest.get(at)) {
                    self.add(name.spelled(), Variable::of(Made::ANYTHING));
                }
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                rest.iter().for_each(|word| self.declared(word));
            }
            _ if is_starter(name_of(first)) => {
                let is_set = |word: &&Argument| {
                    word.spelled().contains('=') && !word.spelled().starts_with('-')
                };
                words.iter().skip(1).filter(is_set).for_each(|word| self.declared(word));
            }
            _ => {}
        }
    }

    /// Variables that a line is read into: the first begins like the line.
    fn read(&mut self, words: &[&str], fed: Made) {
        let mut line = Made { whole: fed.split, split: fed.split };
        let mut names = Vec::new();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let Some(flags) = word.strip_prefix('-') else {
                names.push(word);
                continue;
            };
            let flags = flags.trim_start_matches(['r', 's', 'e']);
            match flags {
                "" => {}
                // Lines that end with no letter, as names of files do.
                "d" => match words.next() {
                    Some("") => line.whole = fed.whole,
                    _ => line = Made::ANYTHING,
                },
                "p" | "t" => drop(words.next()),
                _ => line = Made::ANYTHING,
            }
        }
        if names.is_empty() {
            names.push("REPLY");
        }
        for (place, name) in names.into_iter().enumerate() {
            let made = if place == 0 { line } else { Made::ANYTHING };
            self.add(name, Variable::of(made));
        }
    }

    /// A list that lines are read into.
    fn read_list(&mut self, words: &[&str], fed: Made) {
        let (mut line, mut name) = (Made { whole: fed.split, split: fed.split }, "MAPFILE");
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            match word {
                "-t" => {}
                "-d" | "-td" if words.next() == Some("") => line.whole = fed.whole,
                _ if word.starts_with('-') => line = Made::ANYTHING,
                _ => name = word,
            }
        }
        self.add(name, Variable::of(line));
    }

    /// `set -- a b`.
    fn set(&mut self, words: &[Argument]) {
        let is_flag = |word: &Argument| {
            word.known()
                .is_some_and(|text| text.starts_with(['-', '+']) && text != "--" && text != "-")
        };
        let flags = words.iter().take_while(|word| is_flag(word)).count();
        let is_pipefail = |word: &Argument| word.known() == Some("pipefail");
        for word in words[flags..].iter().filter(|word| !is_pipefail(word)) {
            if !matches!(word.known(), Some("--" | "-")) {
                let made = word.as_text();
                self.next.add_positional(Made { whole: made.whole.max(word.loose), ..made });
            }
        }
    }
}
