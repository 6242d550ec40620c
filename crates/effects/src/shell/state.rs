//! Where a shell stands while it runs a command line, and which files words name from there.

use super::part::{Item, Kind, Part};
use super::word::Word;
use crate::effect::{Change, ReadTarget, Span, WriteTarget};
use crate::path;

/// Where the shell stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Directory {
    /// Known, or the unknown one it started in (`None`), to which paths stay relative.
    Known(Option<String>),
    /// Changed to where the command line does not tell.
    Lost,
}

impl Directory {
    pub(super) fn known(&self) -> Option<&str> {
        match self {
            Directory::Known(directory) => directory.as_deref(),
            Directory::Lost => None,
        }
    }
}

/// A shell at work.
pub(super) struct Shell {
    pub(super) directory: Directory,
    /// Where the first command that looks at something looked from.
    pub(super) first_directory: Option<String>,
    /// How many scripts this one is in.
    pub(super) shells: u8,
    /// How many programs are being started for each of some names.
    pub(super) handed_on: u8,
    /// Whether foveal is among the programs: what it prints was shaped already, or is the whole
    /// of what was.
    pub(super) prints_ours: bool,
    /// Whether another program prints something that is not made of its input.
    pub(super) prints_others: bool,
}

/// One program about to start.
pub(super) struct Invocation<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: &'a [Word],
    /// What comes in on standard input.
    pub(super) input: Option<Part>,
}

impl Shell {
    /// The path a word names, if the command line tells it.
    pub(super) fn path(&self, word: &Word) -> Option<String> {
        let text = word.known().filter(|text| !text.is_empty())?;
        match &self.directory {
            Directory::Known(directory) => Some(path::resolve(text, directory.as_deref())),
            Directory::Lost if path::is_rooted(text) => Some(path::resolve(text, None)),
            Directory::Lost => None,
        }
    }

    /// The files that `words` name, whole and one after the other, as `cat` prints them.
    pub(super) fn read_words(&mut self, words: &[Word]) -> Part {
        self.look_from_here();
        let mut part = Part::of(Kind::Read, Vec::new());
        for word in words {
            part.stdout.push(match self.path(word) {
                Some(path) if !path.starts_with("/dev/") => {
                    Item::Lines(ReadTarget { path, span: Span::All })
                }
                _ => Item::Unknown,
            });
            // What an unknown word reads cannot be watched.
            part.fragile |= word.known().is_none() || self.directory == Directory::Lost;
        }
        part
    }

    pub(super) fn look_from_here(&mut self) {
        if self.first_directory.is_none() {
            self.first_directory = self.directory.known().map(str::to_owned);
        }
    }

    pub(super) fn change_directory(&mut self, to: Option<&Word>) {
        let to = match to {
            None => Some("~"),
            Some(word) => word.known().filter(|text| *text != "-" && !text.starts_with('+')),
        };
        self.directory = match (to, &self.directory) {
            (Some(to), Directory::Known(directory)) => {
                Directory::Known(Some(path::resolve(to, directory.as_deref())))
            }
            (Some(to), Directory::Lost) if path::is_rooted(to) => {
                Directory::Known(Some(path::resolve(to, None)))
            }
            _ => Directory::Lost,
        };
    }

    /// The same change to each of `files` whose path the command line tells.
    pub(super) fn changed<'a>(
        &self,
        files: impl Iterator<Item = &'a Word>,
        change: &Change,
    ) -> Vec<WriteTarget> {
        files
            .filter_map(|word| self.path(word))
            .map(|path| WriteTarget { path, change: change.clone() })
            .collect()
    }
}
