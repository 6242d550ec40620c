//! What one command does, or several together.

use super::tree::Connection;
use crate::effect::{Change, Effect, EffectKind, Output, ReadTarget, Span, WriteTarget};

/// What one command does, the words for its kinds in rising order of what they mean for
/// the whole line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Kind {
    /// Neither shows nor changes anything, or passes on what it is given.
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

impl Kind {
    /// The kind of two commands one after the other.
    pub(super) fn and(self, other: Kind) -> Kind {
        let high = self.max(other);
        let low = self.min(other);
        match (low, high) {
            // What was fetched may be what is then read or run.
            (Kind::List | Kind::Search | Kind::Read, Kind::Fetch) => Kind::Run,
            (Kind::Fetch, Kind::Write | Kind::Edit) => Kind::Run,
            _ => high,
        }
    }

    pub(super) fn looks_only(self) -> bool {
        self <= Kind::Read
    }
}

/// A part of what is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Lines(ReadTarget),
    /// Text with its line breaks.
    Text(String),
    Unknown,
}

/// What one command, or several together, do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Part {
    pub(super) kind: Kind,
    pub(super) stdout: Vec<Item>,
    pub(super) scopes: Vec<String>,
    pub(super) writes: Vec<WriteTarget>,
    /// Depends on variables, so that the same words may mean something else next time.
    pub(super) fragile: bool,
}

impl Part {
    pub(super) fn of(kind: Kind, stdout: Vec<Item>) -> Part {
        Part { kind, stdout, ..Part::default() }
    }

    pub(super) fn run() -> Part {
        Part::of(Kind::Run, vec![Item::Unknown])
    }

    pub(super) fn fragile(mut self, fragile: bool) -> Part {
        self.fragile |= fragile;
        self
    }

    /// Takes over what `other` does, but not what it prints.
    pub(super) fn absorb(&mut self, other: &mut Part) {
        self.kind = self.kind.and(other.kind);
        self.scopes.append(&mut other.scopes);
        self.writes.append(&mut other.writes);
        self.fragile |= other.fragile;
    }

    pub(super) fn follow(&mut self, connection: Connection, mut other: Part) {
        self.absorb(&mut other);
        // Which of two alternatives printed, the line does not tell.
        let either = connection == Connection::Or && !other.stdout.is_empty();
        self.stdout.append(&mut other.stdout);
        if either {
            self.stdout.push(Item::Unknown);
        }
    }

    pub(super) fn into_effect(self) -> Effect {
        let kind = match self.kind {
            Kind::Nothing | Kind::Harmless | Kind::Run => EffectKind::Run,
            Kind::List => EffectKind::List,
            Kind::Search => EffectKind::Search,
            Kind::Read => EffectKind::Read,
            Kind::Fetch => EffectKind::Fetch,
            Kind::Write => EffectKind::Write,
            Kind::Edit => EffectKind::Edit,
        };
        let writes = self.writes;
        let mut reads = Vec::new();
        let mut output = Vec::new();
        for item in self.stdout {
            output.push(match item {
                Item::Lines(target) => {
                    reads.push(target);
                    Output::Lines(reads.len() - 1)
                }
                Item::Text(mut text) if text.ends_with('\n') => {
                    text.pop();
                    Output::Text(text)
                }
                Item::Text(_) | Item::Unknown => Output::Unknown,
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

/// `part`, which does not pass on what came in but may depend on it.
pub(super) fn absorbing(mut part: Part, input: Option<Part>) -> Part {
    let Some(mut input) = input else { return part };
    for item in &mut input.stdout {
        if let Item::Lines(target) = item {
            input.scopes.push(std::mem::take(&mut target.path));
        }
    }
    part.absorb(&mut input);
    part
}

/// Which lines are printed is not known any more.
pub(super) fn unsure(item: &mut Item) {
    match item {
        Item::Lines(target) => target.span = Span::Unknown,
        Item::Text(_) => *item = Item::Unknown,
        Item::Unknown => {}
    }
}

pub(super) fn written(stdout: &[Item], append: bool) -> Change {
    let mut text = String::new();
    for item in stdout {
        match item {
            Item::Text(part) => text.push_str(part),
            Item::Lines(_) | Item::Unknown => return Change::Unknown,
        }
    }
    if append { Change::Append(text) } else { Change::Content(text) }
}
