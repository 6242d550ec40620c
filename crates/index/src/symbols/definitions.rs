//! The first part: what a file is and what it defines.

use std::collections::HashMap;

use foveal_code::relations::{Definition, FileSymbols};
use foveal_code::{
    EntityIndex, EntityKind, FileClass, Language, LineNumber, LineRange, Visibility,
};
use serde::{Deserialize, Serialize};

/// Stands in a signature for the name of what it is of.
const NAME_MARK: char = '\u{1}';

/// What a definition is beside its kind, as bits.
const HAS_BODY: u8 = 1;
/// Its owner is spelled out, not taken from what it is in.
const OWN_OWNER: u8 = 2;
/// Its whole name is spelled out, not made from that of what it is in.
const OWN_QUALIFIED: u8 = 4;
/// Its name with its owner's before it follows that of what it is in.
const OWNER_IN_NAME: u8 = 8;
/// Its signature has no mark for its name.
const WHOLE_SIGNATURE: u8 = 16;
/// The first bit of the visibility.
const VISIBILITY_SHIFT: u8 = 5;

/// Of each definition one in every list but the last three.
#[derive(Default, Serialize, Deserialize)]
struct Stored {
    language: Option<Language>,
    class: Option<FileClass>,
    line_count: u32,
    kinds: Vec<EntityKind>,
    flags: Vec<u8>,
    /// From the first line of the one before.
    first_lines: Vec<u32>,
    further_lines: Vec<u32>,
    /// From its first line.
    signature_lines: Vec<u32>,
    signature_further_lines: Vec<u32>,
    /// How many places before, or 0.
    parents: Vec<u32>,
    /// 0 for the next of `names`; 1 more than the place of one that was there already.
    name_places: Vec<u32>,
    names: Vec<Box<str>>,
    signatures: Vec<Box<str>>,
    /// What `flags` say is spelled out, in order.
    spelled: Vec<Box<str>>,
}

pub(super) fn encode(symbols: &FileSymbols) -> Vec<u8> {
    let mut stored = Stored {
        language: symbols.language,
        class: Some(symbols.class),
        line_count: symbols.line_count,
        ..Stored::default()
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
        let flags = spell(symbols, of, &mut stored);
        stored.flags.push(flags);
        before = first;
    }
    postcard::to_allocvec(&stored).expect("such values are always written")
}

/// Writes the texts of a definition that others do not tell.
fn spell(symbols: &FileSymbols, of: &Definition, stored: &mut Stored) -> u8 {
    let parent = of.parent.and_then(|at| symbols.definitions.get(at.get()));
    let visibility: u8 = match of.visibility {
        Visibility::Public => 0,
        Visibility::Restricted => 1,
        Visibility::Private => 2,
    };
    let mut flags = (visibility << VISIBILITY_SHIFT) | (u8::from(of.has_body) * HAS_BODY);
    if of.owner.as_deref() != inherited_owner(parent) {
        flags |= OWN_OWNER;
        stored.spelled.push(of.owner.clone().unwrap_or_default());
    }
    if *of.qualified_name != qualified(parent, None, &of.name) {
        if *of.qualified_name == qualified(parent, of.owner.as_deref(), &of.name) {
            flags |= OWNER_IN_NAME;
        } else {
            flags |= OWN_QUALIFIED;
            stored.spelled.push(of.qualified_name.clone());
        }
    }
    let is_marked = of.signature_text.contains(&*of.name) && !of.name.is_empty();
    if is_marked && !of.signature_text.contains(NAME_MARK) {
        let mark = NAME_MARK.encode_utf8(&mut [0; 4]).to_owned();
        stored.signatures.push(of.signature_text.replacen(&*of.name, &mark, 1).into());
    } else {
        flags |= WHOLE_SIGNATURE;
        stored.signatures.push(of.signature_text.clone());
    }
    flags
}

/// The owner of what stands in `parent`, where nothing else is said.
fn inherited_owner(parent: Option<&Definition>) -> Option<&str> {
    let parent = parent?;
    match parent.kind {
        EntityKind::Impl => parent.owner.as_deref(),
        kind if kind.has_members() => Some(&parent.name),
        _ => None,
    }
}

fn qualified(parent: Option<&Definition>, owner: Option<&str>, name: &str) -> String {
    let parts = [parent.map(|parent| &*parent.qualified_name), owner, Some(name)];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join(".")
}

pub(super) fn decode(path: &str, bytes: &[u8]) -> Option<FileSymbols> {
    let stored: Stored = postcard::from_bytes(bytes).ok()?;
    let mut reader = DefinitionReader { stored: &stored, spelled: 0, names: 0, line: 0 };
    let mut definitions: Vec<Definition> = Vec::with_capacity(stored.kinds.len());
    for at in 0..stored.kinds.len() {
        definitions.push(reader.definition(at, &definitions)?);
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

/// How far definitions have been read.
struct DefinitionReader<'a> {
    stored: &'a Stored,
    /// How many texts that are spelled out.
    spelled: usize,
    /// How many names that are new.
    names: usize,
    /// The first line of the one before.
    line: u32,
}

impl DefinitionReader<'_> {
    /// The definition at `at`; `before` are all before it.
    fn definition(&mut self, at: usize, before: &[Definition]) -> Option<Definition> {
        let stored = self.stored;
        let flags = *stored.flags.get(at)?;
        let name = self.name(*stored.name_places.get(at)?)?;
        let first = self.line.checked_add(*stored.first_lines.get(at)?)?;
        self.line = first;
        let header = first.checked_add(*stored.signature_lines.get(at)?)?;
        let parent = match *stored.parents.get(at)? {
            0 => None,
            back => Some(at.checked_sub(usize::try_from(back).ok()?)?),
        };
        let around = parent.and_then(|parent| before.get(parent));
        let owner = match flags & OWN_OWNER {
            0 => inherited_owner(around).map(Into::into),
            _ => Some(self.spelled()?).filter(|owner| !owner.is_empty()),
        };
        let qualified_name = if flags & OWN_QUALIFIED != 0 {
            self.spelled()?
        } else {
            let inner = owner.as_deref().filter(|_| flags & OWNER_IN_NAME != 0);
            qualified(around, inner, &name).into()
        };
        let text = stored.signatures.get(at)?;
        let signature_text = match flags & WHOLE_SIGNATURE {
            0 => text.replacen(NAME_MARK, &name, 1).into(),
            _ => text.clone(),
        };
        let parent = parent.map(u32::try_from).transpose().ok()?;
        Some(Definition {
            kind: *stored.kinds.get(at)?,
            name,
            qualified_name,
            owner,
            lines: range(first, *stored.further_lines.get(at)?)?,
            signature: range(header, *stored.signature_further_lines.get(at)?)?,
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

    fn name(&mut self, place: u32) -> Option<Box<str>> {
        let place = match place.checked_sub(1) {
            Some(place) => usize::try_from(place).ok()?,
            None => {
                self.names += 1;
                self.names - 1
            }
        };
        self.stored.names.get(place).cloned()
    }

    fn spelled(&mut self) -> Option<Box<str>> {
        self.spelled += 1;
        self.stored.spelled.get(self.spelled - 1).cloned()
    }
}

fn range(first: u32, further: u32) -> Option<LineRange> {
    Some(LineRange::new(LineNumber(first), LineNumber(first.checked_add(further)?)))
}
