//! The effect of one command, or of several together.

use super::command_tree::ChainOperator;
use crate::effect::{
    Effect, EffectKind, OutputPart, ReadSpan, ReadTarget, WriteChange, WriteTarget,
};

/// The kind of effect of a command, in rising order of weight for the whole line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum CommandEffectKind {
    /// Neither shows nor changes anything, or passes on its input.
    #[default]
    Nothing,
    /// Prints something of its own that matters little (`echo`, `pwd`).
    Harmless,
    List,
    Search,
    Read,
    Fetch,
    Write,
    Edit,
    Run,
}

impl CommandEffectKind {
    /// Returns the kind of two commands in sequence.
    pub(super) fn combine(self, other: CommandEffectKind) -> CommandEffectKind {
        let high = self.max(other);
        let low = self.min(other);
        match (low, high) {
            // The second command may read or run the fetched content.
            (
                CommandEffectKind::List | CommandEffectKind::Search | CommandEffectKind::Read,
                CommandEffectKind::Fetch,
            ) => CommandEffectKind::Run,
            (CommandEffectKind::Fetch, CommandEffectKind::Write | CommandEffectKind::Edit) => {
                CommandEffectKind::Run
            }
            _ => high,
        }
    }

    pub(super) fn is_read_only(self) -> bool {
        self <= CommandEffectKind::Read
    }
}

/// A part of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StdoutPart {
    Lines(ReadTarget),
    /// Text with its line breaks.
    Text(String),
    Unknown,
}

/// The effect of one command, or of several together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CommandEffect {
    pub(super) kind: CommandEffectKind,
    pub(super) stdout: Vec<StdoutPart>,
    pub(super) scopes: Vec<String>,
    pub(super) writes: Vec<WriteTarget>,
    /// Whether the effect depends on variables, so that the same words may mean something else next
    /// time.
    pub(super) fragile: bool,
}

impl CommandEffect {
    pub(super) fn new(kind: CommandEffectKind, stdout: Vec<StdoutPart>) -> CommandEffect {
        CommandEffect { kind, stdout, ..CommandEffect::default() }
    }

    pub(super) fn unknown_run() -> CommandEffect {
        CommandEffect::new(CommandEffectKind::Run, vec![StdoutPart::Unknown])
    }

    pub(super) fn with_fragile(mut self, fragile: bool) -> CommandEffect {
        self.fragile |= fragile;
        self
    }

    /// Adds the effects of `other`, without its output.
    pub(super) fn absorb(&mut self, other: &mut CommandEffect) {
        self.kind = self.kind.combine(other.kind);
        self.scopes.append(&mut other.scopes);
        self.writes.append(&mut other.writes);
        self.fragile |= other.fragile;
    }

    pub(super) fn append(&mut self, connection: ChainOperator, mut other: CommandEffect) {
        self.absorb(&mut other);
        // The line does not determine which of two alternatives printed.
        let either = connection == ChainOperator::Or && !other.stdout.is_empty();
        self.stdout.append(&mut other.stdout);
        if either {
            self.stdout.push(StdoutPart::Unknown);
        }
    }

    pub(super) fn into_effect(self) -> Effect {
        let kind = match self.kind {
            CommandEffectKind::Nothing | CommandEffectKind::Harmless | CommandEffectKind::Run => {
                EffectKind::Run
            }
            CommandEffectKind::List => EffectKind::List,
            CommandEffectKind::Search => EffectKind::Search,
            CommandEffectKind::Read => EffectKind::Read,
            CommandEffectKind::Fetch => EffectKind::Fetch,
            CommandEffectKind::Write => EffectKind::Write,
            CommandEffectKind::Edit => EffectKind::Edit,
        };
        let writes = self.writes;
        let mut reads = Vec::new();
        let mut output = Vec::new();
        for item in self.stdout {
            output.push(match item {
                StdoutPart::Lines(target) => {
                    reads.push(target);
                    OutputPart::Lines(reads.len() - 1)
                }
                StdoutPart::Text(mut text) if text.ends_with('\n') => {
                    text.pop();
                    OutputPart::Text(text)
                }
                StdoutPart::Text(_) | StdoutPart::Unknown => OutputPart::Unknown,
            });
        }
        let looks = matches!(kind, EffectKind::Read | EffectKind::Search | EffectKind::List);
        Effect {
            kind,
            reads,
            cacheable: looks && !self.fragile && writes.is_empty(),
            writes,
            scopes: self.scopes,
            output,
            ..Effect::default()
        }
    }
}

/// Returns `part`, a command that does not pass on its input but may depend on it, with the effects
/// of the input.
pub(super) fn absorb_input(mut part: CommandEffect, input: Option<CommandEffect>) -> CommandEffect {
    let Some(mut input) = input else { return part };
    for item in &mut input.stdout {
        if let StdoutPart::Lines(target) = item {
            input.scopes.push(std::mem::take(&mut target.path));
        }
    }
    part.absorb(&mut input);
    part
}

/// Marks the lines of an output part as unknown.
pub(super) fn forget_exact_output(item: &mut StdoutPart) {
    match item {
        StdoutPart::Lines(target) => target.span = ReadSpan::Unknown,
        StdoutPart::Text(_) => *item = StdoutPart::Unknown,
        StdoutPart::Unknown => {}
    }
}

pub(super) fn stdout_change(stdout: &[StdoutPart], append: bool) -> WriteChange {
    let mut text = String::new();
    for item in stdout {
        match item {
            StdoutPart::Text(part) => text.push_str(part),
            StdoutPart::Lines(_) | StdoutPart::Unknown => return WriteChange::Unknown,
        }
    }
    if append { WriteChange::Append(text) } else { WriteChange::Content(text) }
}
