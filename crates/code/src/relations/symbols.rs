//! What relations are built from: the definitions, uses and imports of one file.
//!
//! Small enough to be kept for every file of a repository. Names are kept once a file, and
//! uses of one name in one entity are one use with a count.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::bindings::{Bindings, Receiver};
use super::documents;
use super::returned::returned;
use crate::{
    Entity, EntityIndex, EntityKind, FileClass, Import, Language, LineNumber, LineRange,
    MentionKind, Parsed, Visibility,
};

/// Lines of a signature that are kept.
pub const SIGNATURE_LINES_MAX: u32 = 6;

/// Bytes of a line of a signature that are kept.
pub const SIGNATURE_LINE_BYTES_MAX: usize = 240;

/// Names, definitions and imports of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSymbols {
    /// Where it is, with `/` between folders, relative to the root of the repository.
    pub path: Box<str>,
    /// Its language; `None` where it is unknown.
    pub language: Option<Language>,
    /// What sort of file it is.
    pub class: FileClass,
    /// How many lines it has.
    pub line_count: u32,
    /// What it defines: one for each of [`Parsed::entities`], in their order.
    pub definitions: Vec<Definition>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// Names that uses refer to, each once: first those of definitions in their order, then
    /// the others in the order of the uses.
    pub names: Vec<Box<str>>,
    /// Uses, by what they stand in and line.
    pub uses: Vec<Use>,
}

/// One entity as far as relations need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// What it is.
    pub kind: EntityKind,
    /// Its name alone.
    pub name: Box<str>,
    /// Its name with those of what it is in: `Parser.parse`.
    pub qualified_name: Box<str>,
    /// The type it is a member of.
    pub owner: Option<Box<str>>,
    /// All its lines.
    pub lines: LineRange,
    /// The lines of its signature.
    pub signature: LineRange,
    /// The text of its signature, cut to [`SIGNATURE_LINES_MAX`] lines and each of them to
    /// [`SIGNATURE_LINE_BYTES_MAX`] bytes and `…`.
    pub signature_text: Box<str>,
    /// Who may use it.
    pub visibility: Visibility,
    /// Whether it has a body, so that it is more than a declaration.
    pub has_body: bool,
    /// What it is part of, as an index into the definitions.
    pub parent: Option<EntityIndex>,
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum UseRole {
    /// It is called.
    Call,
    /// As the type that the function returns whose signature it stands in.
    Returned,
    /// As another type.
    Type,
    /// In any other way.
    Name,
    /// Prose names it.
    Documented,
}

/// Uses of one name in one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// What it stands in; `None` for the top of the file.
    pub inside: Option<EntityIndex>,
    /// How it is used.
    pub role: UseRole,
    /// Index into the names.
    pub name: u32,
    /// Index into the names; see [`crate::Mention::qualifier`]. For a local value the type
    /// that its binding names.
    pub qualifier: Option<u32>,
    /// It stands in the signature of what it is in; never where prose names it.
    pub in_signature: bool,
    /// Where the first of them is.
    pub line: LineNumber,
    /// How many there are; at least 1.
    pub count: u32,
}

impl FileSymbols {
    /// The symbols of the file at `path`; `parsed` must have been made from `text`.
    pub fn of(path: &str, parsed: &Parsed, text: &str) -> Self {
        let rows: Vec<&str> = text.lines().collect();
        let definitions = parsed.indexed().map(|(at, of)| definition(parsed, at, of, &rows));
        let mut gathered = Gathered::default();
        let returns = returns_of(parsed, &rows);
        let bindings = Bindings::of(parsed, &rows);
        let is_prose = parsed.language == Some(Language::Markdown);
        for mention in &parsed.mentions {
            let receiver = if is_prose { Receiver::AsWritten } else { bindings.receiver(mention) };
            let qualifier = match &receiver {
                Receiver::AsWritten => mention.qualifier.as_deref(),
                Receiver::Of(of) => Some(&**of),
                Receiver::Nothing => continue,
            };
            let of = mention.inside.and_then(|at| parsed.entity(at));
            let in_signature = of.is_some_and(|of| of.signature.contains(mention.line));
            let is_returned = in_signature
                && mention.kind != MentionKind::Call
                && mention.inside.is_some_and(|at| {
                    returns.get(&at).is_some_and(|text| crate::spec::has_word(text, &mention.name))
                });
            let role = match mention.kind {
                _ if is_prose => UseRole::Documented,
                MentionKind::Call => UseRole::Call,
                _ if is_returned => UseRole::Returned,
                MentionKind::Type => UseRole::Type,
                MentionKind::Name => UseRole::Name,
            };
            let in_signature = in_signature && role != UseRole::Documented;
            let names = (&*mention.name, qualifier);
            gathered.add(mention.inside, role, names, in_signature, mention.line);
        }
        let file = parsed.doc.map(|lines| (None, lines));
        let docs = parsed.indexed().filter_map(|(at, of)| Some((Some(at), of.doc?)));
        for (inside, lines) in file.into_iter().chain(docs) {
            for number in lines.first.0..=lines.last.0 {
                let line = rows.get(number as usize - 1).copied().unwrap_or_default();
                documents::named_in(line, |qualifier, name| {
                    let names = (name, qualifier);
                    gathered.add(inside, UseRole::Documented, names, false, LineNumber(number));
                });
            }
        }
        let (names, uses) = gathered.in_order(parsed);
        Self {
            path: path.into(),
            language: parsed.language,
            class: parsed.class,
            line_count: parsed.line_count,
            definitions: definitions.collect(),
            imports: parsed.imports.clone(),
            names,
            uses,
        }
    }

    /// The name that a use refers to by its index.
    pub(crate) fn name(&self, index: u32) -> &str {
        self.names.get(index as usize).map(|name| &**name).unwrap_or_default()
    }
}

/// What functions say that they return.
fn returns_of(parsed: &Parsed, rows: &[&str]) -> HashMap<EntityIndex, String> {
    let functions = parsed.indexed().filter(|(_, of)| of.kind.is_function());
    let Some(language) = parsed.language else { return HashMap::new() };
    functions
        .filter_map(|(at, of)| {
            let lines =
                rows.get(of.signature.first.0 as usize - 1..of.signature.last.0 as usize)?;
            let signature = lines.join(" ");
            Some((at, returned(language, &signature, &of.name)?.to_owned()))
        })
        .collect()
}

fn definition(parsed: &Parsed, at: EntityIndex, of: &Entity, rows: &[&str]) -> Definition {
    Definition {
        kind: of.kind,
        name: of.name.clone(),
        qualified_name: parsed.qualified_name(at).into(),
        owner: owner(parsed, of),
        lines: of.lines,
        signature: of.signature,
        signature_text: signature_text(of.signature, rows),
        visibility: of.visibility,
        has_body: of.body.is_some(),
        parent: of.parent,
    }
}

/// The type that an entity is a member of.
fn owner(parsed: &Parsed, of: &Entity) -> Option<Box<str>> {
    if of.owner.is_some() {
        return of.owner.clone();
    }
    let parent = parsed.entity(of.parent?)?;
    match parent.kind {
        EntityKind::Impl => parent.owner.clone(),
        kind if kind.has_members() => Some(parent.name.clone()),
        _ => None,
    }
}

fn signature_text(lines: LineRange, rows: &[&str]) -> Box<str> {
    let mut text = String::new();
    for number in lines.first.0..=lines.last.0.min(lines.first.0 + SIGNATURE_LINES_MAX - 1) {
        let line = rows.get(number as usize - 1).copied().unwrap_or_default().trim_end();
        if number > lines.first.0 {
            text.push('\n');
        }
        let end = line.floor_char_boundary(SIGNATURE_LINE_BYTES_MAX.min(line.len()));
        text.push_str(&line[..end]);
        if end < line.len() {
            text.push('…');
        }
    }
    text.into()
}

/// What is the same of uses that are one.
type UseKey = (Option<EntityIndex>, UseRole, u32, Option<u32>, bool);

/// Uses while they are gathered.
#[derive(Default)]
struct Gathered {
    names: Vec<Box<str>>,
    known: HashMap<Box<str>, u32>,
    uses: Vec<Use>,
    places: HashMap<UseKey, usize>,
}

impl Gathered {
    fn add(
        &mut self,
        inside: Option<EntityIndex>,
        role: UseRole,
        (name, qualifier): (&str, Option<&str>),
        in_signature: bool,
        line: LineNumber,
    ) {
        let Some(name) = self.index(name) else { return };
        let qualifier = qualifier.and_then(|qualifier| self.index(qualifier));
        let key = (inside, role, name, qualifier, in_signature);
        if let Some(at) = self.places.get(&key) {
            let known = &mut self.uses[*at];
            known.count = known.count.saturating_add(1);
            known.line = known.line.min(line);
            return;
        }
        self.places.insert(key, self.uses.len());
        self.uses.push(Use { inside, role, name, qualifier, in_signature, line, count: 1 });
    }

    /// Names and uses in the order that [`FileSymbols`] has them in.
    fn in_order(mut self, parsed: &Parsed) -> (Vec<Box<str>>, Vec<Use>) {
        let known = std::mem::take(&mut self.names);
        self.known.clear();
        self.uses.sort_by_key(|of| (of.inside, of.line, of.role, of.name, of.qualifier));
        for entity in &parsed.entities {
            self.index(&entity.name);
        }
        let mut uses = std::mem::take(&mut self.uses);
        let mut again = |at: u32| self.index(&known[at as usize]).unwrap_or_default();
        for of in &mut uses {
            of.name = again(of.name);
            of.qualifier = of.qualifier.map(&mut again);
        }
        (self.names, uses)
    }

    fn index(&mut self, name: &str) -> Option<u32> {
        if let Some(at) = self.known.get(name) {
            return Some(*at);
        }
        let at = u32::try_from(self.names.len()).ok()?;
        self.names.push(name.into());
        self.known.insert(name.into(), at);
        Some(at)
    }
}
