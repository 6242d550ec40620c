//! The state of a shell while it runs a command line, and the files that words name in its
//! directory.

use super::command_effect::{CommandEffect, CommandEffectKind, StdoutPart};
use super::shell_word::ShellWord;
use crate::effect::{ReadSpan, ReadTarget, WriteChange, WriteTarget};
use crate::path;

/// The current directory of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellDirectory {
    /// Known, or the unknown start directory (`None`), to which paths stay relative.
    Known(Option<String>),
    /// Changed to a directory that the command line does not determine.
    Lost,
}

impl ShellDirectory {
    pub(super) fn known_path(&self) -> Option<&str> {
        match self {
            ShellDirectory::Known(directory) => directory.as_deref(),
            ShellDirectory::Lost => None,
        }
    }
}

/// The state of a running shell.
pub(super) struct ShellState {
    pub(super) directory: ShellDirectory,
    /// The current directory of the first command that reads or searches.
    pub(super) first_directory: Option<String>,
    /// The number of scripts around this one.
    pub(super) script_depth: u8,
    /// The nesting of programs that run once for each of some names.
    pub(super) for_each_depth: u8,
    /// Whether foveal is among the programs. Its output is already shaped, or the full form of a
    /// shaped result.
    pub(super) prints_own: bool,
    /// Whether another program prints something that does not derive from its input.
    pub(super) prints_others: bool,
}

/// A program about to start.
pub(super) struct Invocation<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: &'a [ShellWord],
    /// The standard input.
    pub(super) input: Option<CommandEffect>,
}

impl ShellState {
    /// Returns the path that a word names, if the command line determines it.
    pub(super) fn resolve_word(&self, word: &ShellWord) -> Option<String> {
        let text = word.known_text().filter(|text| !text.is_empty())?;
        match &self.directory {
            ShellDirectory::Known(directory) => Some(path::resolve(text, directory.as_deref())),
            ShellDirectory::Lost if path::is_rooted(text) => Some(path::resolve(text, None)),
            ShellDirectory::Lost => None,
        }
    }

    /// Returns the effect of printing the files that `words` name, one after the other, as `cat`
    /// does.
    pub(super) fn read_files(&mut self, words: &[ShellWord]) -> CommandEffect {
        self.record_first_directory();
        let mut part = CommandEffect::new(CommandEffectKind::Read, Vec::new());
        for word in words {
            part.stdout.push(match self.resolve_word(word) {
                Some(path) if !path.starts_with("/dev/") => {
                    StdoutPart::Lines(ReadTarget { path, span: ReadSpan::All })
                }
                _ => StdoutPart::Unknown,
            });
            // The file of an unknown word cannot be watched.
            part.fragile |= word.known_text().is_none() || self.directory == ShellDirectory::Lost;
        }
        part
    }

    pub(super) fn record_first_directory(&mut self) {
        if self.first_directory.is_none() {
            self.first_directory = self.directory.known_path().map(str::to_owned);
        }
    }

    pub(super) fn change_directory(&mut self, to: Option<&ShellWord>) {
        let to = match to {
            None => Some("~"),
            Some(word) => word.known_text().filter(|text| *text != "-" && !text.starts_with('+')),
        };
        self.directory = match (to, &self.directory) {
            (Some(to), ShellDirectory::Known(directory)) => {
                ShellDirectory::Known(Some(path::resolve(to, directory.as_deref())))
            }
            (Some(to), ShellDirectory::Lost) if path::is_rooted(to) => {
                ShellDirectory::Known(Some(path::resolve(to, None)))
            }
            _ => ShellDirectory::Lost,
        };
    }

    /// Returns `change` for each of `files` whose path the command line determines.
    pub(super) fn write_targets<'a>(
        &self,
        files: impl Iterator<Item = &'a ShellWord>,
        change: &WriteChange,
    ) -> Vec<WriteTarget> {
        files
            .filter_map(|word| self.resolve_word(word))
            .map(|path| WriteTarget { path, change: change.clone() })
            .collect()
    }
}
