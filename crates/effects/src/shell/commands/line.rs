//! Command lines taken apart, and other spellings of the same commands.

use super::loose::{LineValues, Values};
use super::pieces::{Piece, Pieces, fragments, pieces};
use super::starts::{Starts, starts, starts_by_word};
use super::told::{runs_scripts, takes_script};
use crate::shell::parse::Parsed;
use crate::shell::starters::{is_feeder, is_starter, takes_lines};
use crate::shell::word::{Loose, Word, name_of};

/// A command line taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandLine {
    /// All that it may run or write to, in no particular order.
    pub commands: Vec<SimpleCommand>,
    /// Whether `commands` is all. If not, they are those that could be found.
    pub is_clear: bool,
    /// Whether that holds only if no file has a name like an option (`-x`, `a -x`): names of files
    /// become words of a program that runs others by options, as in `sed -i s/a/b/ *`.
    pub takes_names: bool,
    /// The folders that the line goes to one after another (`cd a`), as they are written; `None`
    /// for one that is not told.
    pub folders: Vec<Option<String>>,
}

/// One program with its words; or an assignment, a test, the head of a loop; or a redirection
/// to a file (`> file`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand {
    /// As it is written, assignments before the program included, redirections left out, single
    /// blanks between words.
    pub text: String,
    /// How else the same may be written: without quotes, without assignments, without the
    /// folder of the program, without what only starts another (`env`, `sudo`, `sh -c`).
    pub spellings: Vec<String>,
    /// The commands that it starts, as far as its words tell them: `rm {}` of `find -exec rm {} +`,
    /// those of the script of `sh -c`.
    pub starts: Vec<SimpleCommand>,
    /// Whether it starts something else, too.
    pub starts_more: bool,
}

/// Stands for what a feeder gives.
const FED: &str = "{}";

/// Starters that start one another.
const STARTERS_MAX: u8 = 16;

/// Words of a starter at which the program may stand.
const STARTED_MAX: usize = 16;

impl CommandLine {
    /// Takes `line` apart.
    pub fn of(line: &str) -> Self {
        nested(line, 0, &Values::default())
    }
}

impl CommandLine {
    fn untold(&self) -> Loose {
        match (self.is_clear, self.takes_names) {
            (false, _) => Loose::Anything,
            (true, true) => Loose::Names,
            (true, false) => Loose::Not,
        }
    }
}

/// A line in so many others, in which these values are known.
fn nested(line: &str, shells: u8, outer: &Values) -> CommandLine {
    let Some(parsed) = Parsed::of(line, shells) else { return CommandLine::default() };
    let known = LineValues::of(&parsed, outer);
    let Pieces { pieces, untold, folders } = pieces(&parsed, &known);
    let mut speller = Speller { line, shells, values: &known.values, untold, folders };
    let mut commands: Vec<SimpleCommand> =
        pieces.into_iter().map(|piece| speller.command(piece)).collect();
    let is_clear = speller.untold != Loose::Anything;
    if !is_clear {
        commands.extend(fragments(line).map(|piece| speller.command(piece)));
    }
    let takes_names = speller.untold == Loose::Names;
    CommandLine { commands, is_clear, takes_names, folders: speller.folders }
}

/// Finds other spellings of commands, and with them whether scripts in their words are clear.
struct Speller<'a> {
    line: &'a str,
    shells: u8,
    values: &'a Values,
    untold: Loose,
    folders: Vec<Option<String>>,
}

impl Speller<'_> {
    fn command(&mut self, piece: Piece) -> SimpleCommand {
        let Piece { text, words } = piece;
        let (starts, starts_more) =
            started(&words, self.line.len(), self.shells, STARTERS_MAX, self.values);
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let mut spellings = Vec::new();
        self.spell(&words, 0, &mut spellings);
        // A feeder may give nothing.
        let bare = spellings.iter().filter_map(|spelling| spelling.strip_suffix(FED));
        let bare: Vec<String> = bare.map(|spelling| spelling.trim_end().to_owned()).collect();
        spellings.extend(bare);
        spellings.retain(|spelling| *spelling != text);
        SimpleCommand { text, spellings, starts, starts_more }
    }

    fn spell(&mut self, words: &[&str], starters: u8, spellings: &mut Vec<String>) {
        let Some((program, rest)) = words.split_first() else { return };
        spellings.push(words.join(" "));
        let name = name_of(program);
        if name != *program {
            spellings.push([&[name], rest].concat().join(" "));
        }
        // To a rule about `rm` it is one.
        if name == "find" && rest.contains(&"-delete") {
            spellings.push("rm {}".to_owned());
        }
        if starters > STARTERS_MAX {
            self.untold = Loose::Anything;
            return;
        }
        if is_starter(name) || starts_by_word(name, rest.iter().copied()) {
            for at in 0..rest.len().min(STARTED_MAX) {
                let fed: &[&str] = if is_feeder(name) { &[FED] } else { &[] };
                self.spell(&[&rest[at..], fed].concat(), starters + 1, spellings);
                if is_starter(name_of(rest[at]))
                    || starts_by_word(name_of(rest[at]), rest[at + 1..].iter().copied())
                {
                    break;
                }
            }
        }
        let scripts: Vec<String> = match name {
            "eval" => vec![rest.join(" ")],
            "trap" => rest.iter().map(|word| (*word).to_owned()).collect(),
            _ if runs_scripts(name) => rest.iter().map(|word| (*word).to_owned()).collect(),
            _ if takes_lines(name) => rest.iter().filter_map(|word| line_in(word)).collect(),
            _ => Vec::new(),
        };
        let are_run = matches!(name, "eval" | "trap")
            || takes_lines(name)
            || (runs_scripts(name) && rest.iter().any(|word| takes_script(word)));
        for script in scripts.iter().filter(|script| script.len() < self.line.len()) {
            let line = nested(script, self.shells + 1, self.values);
            if are_run && !script.starts_with(['-', '+']) {
                self.untold = self.untold.max(line.untold());
                self.folders.extend(line.folders);
            }
            for command in line.commands {
                spellings.push(command.text);
                spellings.extend(command.spellings);
            }
        }
    }
}

/// What the command of these words in a line of `length` bytes starts, and whether that is not all;
/// up to `left` of them one within another.
fn started(
    words: &[Word],
    length: usize,
    shells: u8,
    left: u8,
    values: &Values,
) -> (Vec<SimpleCommand>, bool) {
    let (mut commands, mut more) = (Vec::new(), false);
    for start in starts(words) {
        match start {
            Starts::Command(words) if left > 0 => {
                let text =
                    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                let (starts, starts_more) = started(words, length, shells, left - 1, values);
                let spellings = Vec::new();
                commands.push(SimpleCommand { text, spellings, starts, starts_more });
            }
            Starts::Script(script) if script.len() < length => {
                let line = nested(&script, shells + 1, values);
                more |= !line.is_clear;
                commands.extend(line.commands);
            }
            Starts::Command(_) | Starts::Script(_) | Starts::Untold => more = true,
        }
    }
    (commands, more)
}

/// The line in a word of a starter, which a flag may stand before (`-cline`, `--command=line`).
fn line_in(word: &str) -> Option<String> {
    let line = match word.split_once('=') {
        Some((flag, line)) if flag.starts_with("--") => line,
        _ => word.strip_prefix("-c").or_else(|| word.strip_prefix("-S")).unwrap_or(word),
    };
    line.contains([' ', '\t', '\n']).then(|| line.to_owned())
}
