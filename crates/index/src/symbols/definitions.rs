//! The first part: the file and its definitions.

use std::collections::HashMap;

use foveal_relevance::relations::{Definition, FileSymbols};
use foveal_syntax::{EntityIndex, EntityKind, FileClass, Language, LineRange, Visibility};
use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

/// The placeholder of the own name in a signature.
const NAME_MARK: char = '\u{1}';

/// The flag of a definition with a body.
const HAS_BODY: u8 = 1;
/// The flag of an owner that is stored and not inherited from the parent.
const HAS_STORED_OWNER: u8 = 2;
/// The flag of a qualified name that is stored and not derived from the parent's.
const HAS_STORED_QUALIFIED_NAME: u8 = 4;
/// The flag of a qualified name that consists of the parent's, the owner and the own name.
const OWNER_IN_NAME: u8 = 8;
/// The flag of a signature without a placeholder for the name.
const HAS_UNMARKED_SIGNATURE: u8 = 16;
/// The position of the visibility in the flags.
const VISIBILITY_SHIFT: u8 = 5;

/// The stored form. Every list but the last three has one element for each definition.
#[derive(Default, Serialize, Deserialize)]
struct EncodedDefinitions {
    language: Option<Language>,
    class: Option<FileClass>,
    line_count: u32,
    kinds: Vec<EntityKind>,
    flags: Vec<u8>,
    /// The distance from the first line of the previous definition.
    first_lines: Vec<u32>,
    further_lines: Vec<u32>,
    /// The distance from the first line of the definition.
    signature_lines: Vec<u32>,
    signature_further_lines: Vec<u32>,
    /// The distance to the parent in definitions, or 0 for none.
    parents: Vec<u32>,
    /// 0 for the next of `names`, or the index of an earlier name plus 1.
    name_places: Vec<u32>,
    names: Vec<Box<str>>,
    signatures: Vec<Box<str>>,
    /// The stored owners and qualified names, in the order of the flags.
    spelled: Vec<Box<str>>,
}

pub(super) fn encode_definitions(symbols: &FileSymbols) -> Vec<u8> {
    let mut stored = EncodedDefinitions {
        language: symbols.language,
        class: Some(symbols.class),
        line_count: symbols.line_count,
        ..EncodedDefinitions::default()
    };
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut before = 0;
    for (at, of) in (0_u32..).zip(&symbols.definitions) {
        let first = of.lines.first.0;
        stored.kinds.push(of.kind);
        stored.first_lines.push(first.saturating_sub(before));
        stored.further_lines.push(of.lines.last.0 - first);
        stored.signature_lines.push(of.signature.first.0.saturating_sub(first));
        stored.signature_further_lines.push(of.signature.last.0 - of.signature.first.0);
        stored.parents.push(of.parent.map_or(0, |parent| at.saturating_sub(parent.0)));
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        let place = *known.entry(&of.name).or_insert(next);
        if place == next {
            stored.names.push(of.name.clone());
        }
        stored.name_places.push(if place == next { 0 } else { place + 1 });
        let flags = encode_texts(symbols, of, &mut stored);
        stored.flags.push(flags);
        before = first;
    }
    postcard::to_allocvec(&stored).expect("such values are always written")
}

/// Appends the texts of a definition that cannot be derived, and returns its flags.
fn encode_texts(symbols: &FileSymbols, of: &Definition, stored: &mut EncodedDefinitions) -> u8 {
    let parent = of.parent.and_then(|at| symbols.definitions.get(at.as_usize()));
    let visibility: u8 = match of.visibility {
        Visibility::Public => 0,
        Visibility::Restricted => 1,
        Visibility::Private => 2,
    };
    let mut flags = (visibility << VISIBILITY_SHIFT) | (u8::from(of.has_body) * HAS_BODY);
    if of.owner.as_deref() != inherited_owner(parent) {
        flags |= HAS_STORED_OWNER;
        stored.spelled.push(of.owner.clone().unwrap_or_default());
    }
    if *of.qualified_name != qualified_name(parent, None, &of.name) {
        if *of.qualified_name == qualified_name(parent, of.owner.as_deref(), &of.name) {
            flags |= OWNER_IN_NAME;
        } else {
            flags |= HAS_STORED_QUALIFIED_NAME;
            stored.spelled.push(of.qualified_name.clone());
        }
    }
    let is_marked = of.signature_text.contains(&*of.name) && !of.name.is_empty();
    if is_marked && !of.signature_text.contains(NAME_MARK) {
        let mark = NAME_MARK.encode_utf8(&mut [0; 4]).to_owned();
        stored.signatures.push(of.signature_text.replacen(&*of.name, &mark, 1).into());
    } else {
        flags |= HAS_UNMARKED_SIGNATURE;
        stored.signatures.push(of.signature_text.clone());
    }
    flags
}

/// Returns the owner that a definition inherits from `parent`.
fn inherited_owner(parent: Option<&Definition>) -> Option<&str> {
    let parent = parent?;
    match parent.kind {
        EntityKind::Impl => parent.owner.as_deref(),
        kind if kind.has_members() => Some(&parent.name),
        _ => None,
    }
}

fn qualified_name(parent: Option<&Definition>, owner: Option<&str>, name: &str) -> String {
    let parts = [parent.map(|parent| &*parent.qualified_name), owner, Some(name)];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join(".")
}

pub(super) fn decode_definition_part(path: &str, bytes: &[u8]) -> Option<FileSymbols> {
    let stored: EncodedDefinitions = postcard::from_bytes(bytes).ok()?;
    let mut reader = DefinitionReader { encoded: &stored, spelled: 0, names: 0, line: 0 };
    let mut definitions: Vec<Definition> = Vec::with_capacity(stored.kinds.len());
    for at in 0..stored.kinds.len() {
        definitions.push(reader.read_definition(at, &definitions)?);
    }
    Some(FileSymbols {
        path: path.into(),
        language: stored.language,
        class: stored.class?,
        line_count: stored.line_count,
        definitions,
        imports: Vec::new(),
        names: stored.names,
        uses: Vec::new(),
    })
}

/// A reader of the stored form that tracks its position.
struct DefinitionReader<'a> {
    encoded: &'a EncodedDefinitions,
    /// The number of stored texts read so far.
    spelled: usize,
    /// The number of new names read so far.
    names: usize,
    /// The first line of the previous definition.
    line: u32,
}

impl DefinitionReader<'_> {
    /// Decodes the definition at `at`. `before` are all earlier ones.
    fn read_definition(&mut self, at: usize, before: &[Definition]) -> Option<Definition> {
        let stored = self.encoded;
        let flags = *stored.flags.get(at)?;
        let name = self.read_name(*stored.name_places.get(at)?)?;
        let first = self.line.checked_add(*stored.first_lines.get(at)?)?;
        self.line = first;
        let header = first.checked_add(*stored.signature_lines.get(at)?)?;
        let parent = match *stored.parents.get(at)? {
            0 => None,
            back => Some(at.checked_sub(usize::try_from(back).ok()?)?),
        };
        let around = parent.and_then(|parent| before.get(parent));
        let owner = match flags & HAS_STORED_OWNER {
            0 => inherited_owner(around).map(Into::into),
            _ => Some(self.read_text()?).filter(|owner| !owner.is_empty()),
        };
        let qualified_name = if flags & HAS_STORED_QUALIFIED_NAME != 0 {
            self.read_text()?
        } else {
            let inner = owner.as_deref().filter(|_| flags & OWNER_IN_NAME != 0);
            qualified_name(around, inner, &name).into()
        };
        let text = stored.signatures.get(at)?;
        let signature_text = match flags & HAS_UNMARKED_SIGNATURE {
            0 => text.replacen(NAME_MARK, &name, 1).into(),
            _ => text.clone(),
        };
        let parent = parent.map(u32::try_from).transpose().ok()?;
        Some(Definition {
            kind: *stored.kinds.get(at)?,
            name,
            qualified_name,
            owner,
            lines: line_range(first, *stored.further_lines.get(at)?)?,
            signature: line_range(header, *stored.signature_further_lines.get(at)?)?,
            signature_text,
            visibility: match flags >> VISIBILITY_SHIFT {
                0 => Visibility::Public,
                1 => Visibility::Restricted,
                2 => Visibility::Private,
                _ => return None,
            },
            has_body: flags & HAS_BODY != 0,
            parent: parent.map(EntityIndex),
        })
    }

    fn read_name(&mut self, place: u32) -> Option<Box<str>> {
        let place = match place.checked_sub(1) {
            Some(place) => usize::try_from(place).ok()?,
            None => {
                self.names += 1;
                self.names - 1
            }
        };
        self.encoded.names.get(place).cloned()
    }

    fn read_text(&mut self) -> Option<Box<str>> {
        self.spelled += 1;
        self.encoded.spelled.get(self.spelled - 1).cloned()
    }
}

fn line_range(first: u32, further: u32) -> Option<LineRange> {
    Some(LineRange::new(LineNumber(first), LineNumber(first.checked_add(further)?)))
}
