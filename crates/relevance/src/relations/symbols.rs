//! The input of the relations of one file: its definitions, uses and imports.
//!
//! The values are small enough to be stored for every file of a repository: each name is stored
//! once a file, and all uses of one name in one entity are one [`SymbolUse`] with a count.

use std::collections::HashMap;

use foveal_syntax::{
    Entity, EntityIndex, EntityKind, FileClass, Import, Language, LineRange, MentionKind,
    ParsedFile, Visibility,
};
use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

use super::bindings::{LocalBindings, Receiver};
use super::doc_names;
use super::return_type::return_type;

/// The number of lines of a signature that are stored.
pub const SIGNATURE_LINES_MAX: u32 = 6;

/// The number of bytes of a signature line that are stored.
pub const SIGNATURE_LINE_BYTES_MAX: usize = 240;

/// The names, definitions and imports of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSymbols {
    /// The path with `/` between folders, relative to the root of the repository.
    pub path: Box<str>,
    /// The language; `None` where it is unknown.
    pub language: Option<Language>,
    /// The class of the file, such as source or generated.
    pub class: FileClass,
    /// The number of lines.
    pub line_count: u32,
    /// The definitions, one for each of [`ParsedFile::entities`], in their order.
    pub definitions: Vec<Definition>,
    /// The imports.
    pub imports: Vec<Import>,
    /// The names that uses refer to, each once: the names of definitions in their order, then all
    /// others in the order of the uses.
    pub names: Vec<Box<str>>,
    /// The uses, by enclosing entity and line.
    pub uses: Vec<SymbolUse>,
}

/// The properties of one entity that relations need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The kind of entity.
    pub kind: EntityKind,
    /// The name without qualifier.
    pub name: Box<str>,
    /// The name with the names of the enclosing entities: `Parser.parse`.
    pub qualified_name: Box<str>,
    /// The type of which the entity is a member.
    pub owner: Option<Box<str>>,
    /// All lines of the entity.
    pub lines: LineRange,
    /// The lines of its signature.
    pub signature: LineRange,
    /// The text of the signature, cut to [`SIGNATURE_LINES_MAX`] lines of
    /// [`SIGNATURE_LINE_BYTES_MAX`] bytes; `…` marks a line that was cut.
    pub signature_text: Box<str>,
    /// The visibility of the definition.
    pub visibility: Visibility,
    /// Whether it has a body; without one it is a declaration only.
    pub has_body: bool,
    /// The enclosing entity, as an index into the definitions.
    pub parent: Option<EntityIndex>,
}

/// The syntactic role of a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum UseRole {
    /// A call.
    Call,
    /// The return type in the signature of the enclosing function.
    Returned,
    /// Any other type.
    Type,
    /// Any other use.
    Name,
    /// A mention in prose.
    Documented,
}

/// The uses of one name in one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolUse {
    /// The enclosing entity; `None` for the top of the file.
    pub inside: Option<EntityIndex>,
    /// The role of the name.
    pub role: UseRole,
    /// The name, as an index into [`FileSymbols::names`].
    pub name: u32,
    /// The qualifier, as an index into [`FileSymbols::names`]; see [`foveal_syntax::Mention::qualifier`].
    /// For a local value it is the type that its binding names.
    pub qualifier: Option<u32>,
    /// Whether the use is in the signature of the enclosing entity; always false for prose.
    pub in_signature: bool,
    /// The line of the first use.
    pub line: LineNumber,
    /// The number of uses; at least 1.
    pub count: u32,
}

impl FileSymbols {
    /// Returns the symbols of the file at `path`; `parsed` must have been made from `text`.
    pub fn from_parsed(path: &str, parsed: &ParsedFile, text: &str) -> Self {
        let rows: Vec<&str> = text.lines().collect();
        let definitions =
            parsed.indexed_entities().map(|(at, of)| new_definition(parsed, at, of, &rows));
        let mut gathered = UseCollector::default();
        let returns = return_types(parsed, &rows);
        let bindings = LocalBindings::from_parsed(parsed, &rows);
        let is_prose = parsed.language == Some(Language::Markdown);
        for mention in &parsed.mentions {
            let receiver =
                if is_prose { Receiver::AsWritten } else { bindings.resolve_receiver(mention) };
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
                    returns
                        .get(&at)
                        .is_some_and(|text| foveal_syntax::contains_word(text, &mention.name))
                });
            let role = match mention.kind {
                _ if is_prose => UseRole::Documented,
                MentionKind::Call => UseRole::Call,
                _ if is_returned => UseRole::Returned,
                MentionKind::Type => UseRole::Type,
                MentionKind::Name => UseRole::Name,
            };
            let in_signature = in_signature && role != UseRole::Documented;
            let name = QualifiedName { name: &mention.name, qualifier };
            gathered.add_use(mention.inside, role, name, in_signature, mention.line);
        }
        let file = parsed.doc.map(|lines| (None, lines));
        let docs = parsed.indexed_entities().filter_map(|(at, of)| Some((Some(at), of.doc?)));
        for (inside, lines) in file.into_iter().chain(docs) {
            for number in lines.first.0..=lines.last.0 {
                let line = rows.get(number as usize - 1).copied().unwrap_or_default();
                doc_names::for_each_doc_name(line, |qualifier, name| {
                    let name = QualifiedName { name, qualifier };
                    gathered.add_use(inside, UseRole::Documented, name, false, LineNumber(number));
                });
            }
        }
        let (names, uses) = gathered.into_names_and_uses(parsed);
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

    /// Returns the name at `index`, or an empty text where there is none.
    pub(crate) fn name_at(&self, index: u32) -> &str {
        self.names.get(index as usize).map(|name| &**name).unwrap_or_default()
    }
}

/// Returns the text of the return type for each function that states one.
fn return_types(parsed: &ParsedFile, rows: &[&str]) -> HashMap<EntityIndex, String> {
    let functions = parsed.indexed_entities().filter(|(_, of)| of.kind.is_function());
    let Some(language) = parsed.language else { return HashMap::new() };
    functions
        .filter_map(|(at, of)| {
            let lines =
                rows.get(of.signature.first.0 as usize - 1..of.signature.last.0 as usize)?;
            let signature = lines.join(" ");
            Some((at, return_type(language, &signature, &of.name)?.to_owned()))
        })
        .collect()
}

fn new_definition(parsed: &ParsedFile, at: EntityIndex, of: &Entity, rows: &[&str]) -> Definition {
    Definition {
        kind: of.kind,
        name: of.name.clone(),
        qualified_name: parsed.qualified_name(at).into(),
        owner: owning_type(parsed, of),
        lines: of.lines,
        signature: of.signature,
        signature_text: signature_text(of.signature, rows),
        visibility: of.visibility,
        has_body: of.body.is_some(),
        parent: of.parent,
    }
}

/// Returns the type of which `of` is a member.
fn owning_type(parsed: &ParsedFile, of: &Entity) -> Option<Box<str>> {
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

/// The key by which uses are merged.
type UseKey = (Option<EntityIndex>, UseRole, u32, Option<u32>, bool);

/// The name of a use, with its qualifier.
#[derive(Clone, Copy)]
struct QualifiedName<'a> {
    name: &'a str,
    qualifier: Option<&'a str>,
}

/// Collects the names and uses of one file.
#[derive(Default)]
struct UseCollector {
    names: Vec<Box<str>>,
    known: HashMap<Box<str>, u32>,
    uses: Vec<SymbolUse>,
    places: HashMap<UseKey, usize>,
}

impl UseCollector {
    fn add_use(
        &mut self,
        inside: Option<EntityIndex>,
        role: UseRole,
        name: QualifiedName<'_>,
        in_signature: bool,
        line: LineNumber,
    ) {
        let QualifiedName { name, qualifier } = name;
        let Some(name) = self.intern(name) else { return };
        let qualifier = qualifier.and_then(|qualifier| self.intern(qualifier));
        let key = (inside, role, name, qualifier, in_signature);
        if let Some(at) = self.places.get(&key) {
            let known = &mut self.uses[*at];
            known.count = known.count.saturating_add(1);
            known.line = known.line.min(line);
            return;
        }
        self.places.insert(key, self.uses.len());
        self.uses.push(SymbolUse { inside, role, name, qualifier, in_signature, line, count: 1 });
    }

    /// Returns the names and uses in the order that [`FileSymbols`] promises.
    fn into_names_and_uses(mut self, parsed: &ParsedFile) -> (Vec<Box<str>>, Vec<SymbolUse>) {
        let known = std::mem::take(&mut self.names);
        self.known.clear();
        self.uses.sort_by_key(|of| (of.inside, of.line, of.role, of.name, of.qualifier));
        for entity in &parsed.entities {
            self.intern(&entity.name);
        }
        let mut uses = std::mem::take(&mut self.uses);
        let mut again = |at: u32| self.intern(&known[at as usize]).unwrap_or_default();
        for of in &mut uses {
            of.name = again(of.name);
            of.qualifier = of.qualifier.map(&mut again);
        }
        (self.names, uses)
    }

    fn intern(&mut self, name: &str) -> Option<u32> {
        if let Some(at) = self.known.get(name) {
            return Some(*at);
        }
        let at = u32::try_from(self.names.len()).ok()?;
        self.names.push(name.into());
        self.known.insert(name.into(), at);
        Some(at)
    }
}
