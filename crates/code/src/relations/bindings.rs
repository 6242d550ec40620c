//! What the names that a file binds stand for: parameters and local variables.

use std::collections::HashMap;

use super::bound::{Bound, bound_in, parameters};
use crate::{EntityIndex, Language, LineNumber, LineRange, Mention, Parsed};

/// What the names of one file are bound to, and where.
pub(super) struct Bindings<'a> {
    parsed: &'a Parsed,
    /// By name; of members of the own type by `self.` and the name.
    by_name: HashMap<String, Vec<(u32, Bound)>>,
}

/// What a mention belongs to, once its local names are known.
pub(super) enum Receiver {
    /// What it says.
    AsWritten,
    /// A value of this type.
    Of(String),
    /// Nothing that a repository defines.
    Nothing,
}

impl<'a> Bindings<'a> {
    pub(super) fn of(parsed: &'a Parsed, rows: &[&str]) -> Self {
        let mut by_name: HashMap<String, Vec<(u32, Bound)>> = HashMap::new();
        let Some(language) = parsed.language else { return Self { parsed, by_name } };
        for (number, row) in (1u32..).zip(rows) {
            let next = rows.get(number as usize).copied().unwrap_or_default();
            bound_in(language, row, next, &mut |name, bound| {
                by_name.entry(name.to_owned()).or_default().push((number, bound));
            });
        }
        for (_, entity) in parsed.indexed().filter(|(_, of)| of.kind.is_function()) {
            let LineRange { first, last } = entity.signature;
            let lines = rows.get(first.0 as usize - 1..last.0 as usize).unwrap_or_default();
            parameters(language, &lines.join(" "), &mut |name, bound| {
                by_name.entry(name.to_owned()).or_default().push((first.0, bound));
            });
        }
        for bound in by_name.values_mut() {
            bound.sort_by_key(|(line, _)| *line);
        }
        Self { parsed, by_name }
    }

    /// What `mention` belongs to.
    pub(super) fn receiver(&self, mention: &Mention) -> Receiver {
        let words = match mention.qualifier.as_deref() {
            Some(words) => words.replace("this.", "self."),
            None => return self.alone(mention),
        };
        let bound = match words.strip_prefix("self.") {
            Some(field) if !field.contains('.') => self.of_member(mention, &words),
            _ => self.local(mention, &words),
        };
        match bound {
            Some(Bound::Type(of)) => Receiver::Of(of.clone()),
            Some(Bound::Foreign) => Receiver::Nothing,
            Some(Bound::Unknown) | None => Receiver::AsWritten,
        }
    }

    /// A name that nothing stands before is no other's if it is bound here. Elsewhere than in
    /// Python a name can be called before something else is called the same.
    fn alone(&self, mention: &Mention) -> Receiver {
        let is_python = self.parsed.language == Some(Language::Python);
        let is_call = mention.kind == crate::MentionKind::Call;
        let is_type = mention.kind == crate::MentionKind::Type;
        let is_bound =
            !is_type && (is_python || !is_call) && self.local(mention, &mention.name).is_some();
        if is_bound { Receiver::Nothing } else { Receiver::AsWritten }
    }

    /// What the nearest line before the mention binds a name to, in the functions it is in.
    fn local(&self, mention: &Mention, name: &str) -> Option<&Bound> {
        let all = self.by_name.get(name)?;
        let before = &all[..all.partition_point(|(line, _)| *line <= mention.line.0)];
        let (line, bound) = before.last()?;
        let inside = self.parsed.ancestry(mention.inside?);
        let mut functions = inside.filter(|(_, of)| of.kind.is_function());
        functions.any(|(_, of)| of.lines.contains(LineNumber(*line))).then_some(bound)
    }

    /// What the own type binds a member to, if that is one thing.
    fn of_member(&self, mention: &Mention, name: &str) -> Option<&Bound> {
        let own: EntityIndex = mention.inside?;
        let (_, own) = self.parsed.ancestry(own).find(|(_, of)| of.kind.has_members())?;
        let mut all = self.by_name.get(name)?.iter().filter(|(line, bound)| {
            own.lines.contains(LineNumber(*line)) && *bound != Bound::Unknown
        });
        let (_, first) = all.next()?;
        all.all(|(_, bound)| bound == first).then_some(first)
    }
}
