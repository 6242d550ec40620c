//! The types to which a file binds its parameters and local variables.

use std::collections::HashMap;

use foveal_syntax::{EntityIndex, Language, LineRange, Mention, ParsedFile};
use foveal_transcript::LineNumber;

use super::type_inference::{InferredType, parse_bindings, parse_parameters};

/// The bindings of one file: names with the lines and types of their bindings.
pub(super) struct LocalBindings<'a> {
    parsed: &'a ParsedFile,
    /// Bindings by name, in the order of their lines; members of the own type have the key `self.`
    /// with the name.
    by_name: HashMap<String, Vec<(u32, InferredType)>>,
}

/// The receiver of a mention, after its local names are resolved.
pub(super) enum Receiver {
    /// The qualifier as written.
    AsWritten,
    /// A value of this type.
    Of(String),
    /// A local or built-in value that no repository defines.
    Nothing,
}

impl<'a> LocalBindings<'a> {
    pub(super) fn from_parsed(parsed: &'a ParsedFile, rows: &[&str]) -> Self {
        let mut by_name: HashMap<String, Vec<(u32, InferredType)>> = HashMap::new();
        let Some(language) = parsed.language else { return Self { parsed, by_name } };
        for (number, row) in (1u32..).zip(rows) {
            let next = rows.get(number as usize).copied().unwrap_or_default();
            parse_bindings(language, row, next, &mut |name, bound| {
                by_name.entry(name.to_owned()).or_default().push((number, bound));
            });
        }
        for (_, entity) in parsed.indexed_entities().filter(|(_, of)| of.kind.is_function()) {
            let LineRange { first, last } = entity.signature;
            let lines = rows.get(first.0 as usize - 1..last.0 as usize).unwrap_or_default();
            parse_parameters(language, &lines.join(" "), &mut |name, bound| {
                by_name.entry(name.to_owned()).or_default().push((first.0, bound));
            });
        }
        for bound in by_name.values_mut() {
            bound.sort_by_key(|(line, _)| *line);
        }
        Self { parsed, by_name }
    }

    /// Returns the receiver of `mention`.
    pub(super) fn resolve_receiver(&self, mention: &Mention) -> Receiver {
        let words = match mention.qualifier.as_deref() {
            Some(words) => words.replace("this.", "self."),
            None => return self.resolve_unqualified(mention),
        };
        let bound = match words.strip_prefix("self.") {
            Some(field) if !field.contains('.') => self.member_binding(mention, &words),
            _ => self.local_binding(mention, &words),
        };
        match bound {
            Some(InferredType::Type(of)) => Receiver::Of(of.clone()),
            Some(InferredType::BuiltIn) => Receiver::Nothing,
            Some(InferredType::Unknown) | None => Receiver::AsWritten,
        }
    }

    /// Resolves an unqualified name: one that is bound locally has no definition in the repository.
    /// In other languages than Python a call may precede a binding of the same name, so calls stay
    /// as written.
    fn resolve_unqualified(&self, mention: &Mention) -> Receiver {
        let is_python = self.parsed.language == Some(Language::Python);
        let is_call = mention.kind == foveal_syntax::MentionKind::Call;
        let is_type = mention.kind == foveal_syntax::MentionKind::Type;
        let is_bound = !is_type
            && (is_python || !is_call)
            && self.local_binding(mention, &mention.name).is_some();
        if is_bound { Receiver::Nothing } else { Receiver::AsWritten }
    }

    /// Returns the last binding of `name` up to the mention's line, within the functions that
    /// enclose the mention.
    fn local_binding(&self, mention: &Mention, name: &str) -> Option<&InferredType> {
        let all = self.by_name.get(name)?;
        let before = &all[..all.partition_point(|(line, _)| *line <= mention.line.0)];
        let (line, bound) = before.last()?;
        let inside = self.parsed.ancestry(mention.inside?);
        let mut functions = inside.filter(|(_, of)| of.kind.is_function());
        functions.any(|(_, of)| of.lines.contains(LineNumber(*line))).then_some(bound)
    }

    /// Returns the type of a member of the enclosing type if all its known bindings agree.
    fn member_binding(&self, mention: &Mention, name: &str) -> Option<&InferredType> {
        let own: EntityIndex = mention.inside?;
        let (_, own) = self.parsed.ancestry(own).find(|(_, of)| of.kind.has_members())?;
        let mut all = self.by_name.get(name)?.iter().filter(|(line, bound)| {
            own.lines.contains(LineNumber(*line)) && *bound != InferredType::Unknown
        });
        let (_, first) = all.next()?;
        all.all(|(_, bound)| bound == first).then_some(first)
    }
}
