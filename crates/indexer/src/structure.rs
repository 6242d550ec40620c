//! What a file consists of, in few bytes.
//!
//! Names of mentions are written once a file, lines as differences. A name mentioned several
//! times in the same entity in the same way is kept at its first place. Statements are not
//! kept: whoever needs them has the text, and parses it.

use std::collections::{HashMap, HashSet};

use foveal_index::{
    Entity, EntityIndex, EntityKind, FileClass, Import, Language, LineNumber, LineRange, Mention,
    MentionKind, Parsed, Visibility,
};
use serde::{Deserialize, Serialize};

use crate::packed::{pack, unpack};

#[derive(Serialize, Deserialize)]
struct Stored {
    language: Option<Language>,
    class: FileClass,
    line_count: u32,
    doc: Option<LineRange>,
    broken: bool,
    cut: bool,
    entities: Vec<StoredEntity>,
}

/// What entities have to do with each other, apart from them: who shows entities need not
/// read it.
#[derive(Serialize, Deserialize)]
struct StoredMentions {
    /// Names of mentions.
    names: Vec<Box<str>>,
    /// For each mention: the line's difference times 8, plus the kind times 2, plus 1 if
    /// it stands in another entity than the one before; then that entity's place plus 1,
    /// or 0; then the name's place.
    mentions: Vec<u64>,
    imports: Vec<Import>,
}

/// A range from the entity's first line on: how far, and how many lines more than one.
type Offset = (u32, u32);

#[derive(Serialize, Deserialize)]
struct StoredEntity {
    kind: EntityKind,
    name: Box<str>,
    owner: Option<Box<str>>,
    /// From the first line of the entity before.
    lines: Offset,
    signature: Offset,
    attributes: Option<Offset>,
    body: Option<Offset>,
    doc: Option<Offset>,
    visibility: Visibility,
    /// How many places before.
    parent: Option<u32>,
}

fn offset(from: LineNumber, range: LineRange) -> Offset {
    (range.first.0.saturating_sub(from.0), range.last.0 - range.first.0)
}

fn range(from: LineNumber, (first, more): Offset) -> Option<LineRange> {
    let first = from.0.checked_add(first)?;
    Some(LineRange::new(LineNumber(first), LineNumber(first.checked_add(more)?)))
}

/// A file's structure as bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Structure {
    pub(crate) entities: Vec<u8>,
    /// Mentions and imports.
    pub(crate) mentions: Vec<u8>,
}

/// `parsed` as bytes, without its statements.
pub(crate) fn encode(parsed: &Parsed) -> Structure {
    let mut before = LineNumber(0);
    let mut entities = Vec::with_capacity(parsed.entities.len());
    for (at, entity) in (0_u32..).zip(&parsed.entities) {
        let first = entity.lines.first;
        let inner = |part: Option<LineRange>| part.map(|part| offset(first, part));
        entities.push(StoredEntity {
            kind: entity.kind,
            name: entity.name.clone(),
            owner: entity.owner.clone(),
            lines: offset(before, entity.lines),
            signature: offset(first, entity.signature),
            attributes: inner(entity.attributes),
            body: inner(entity.body),
            doc: inner(entity.doc),
            visibility: entity.visibility,
            parent: entity.parent.map(|parent| at.saturating_sub(parent.0)),
        });
        before = first;
    }
    let (names, mentions) = encode_mentions(&parsed.mentions);
    let stored = Stored {
        language: parsed.language,
        class: parsed.class,
        line_count: parsed.line_count,
        doc: parsed.doc,
        broken: parsed.broken,
        cut: parsed.cut,
        entities,
    };
    let mentions = StoredMentions { names, mentions, imports: parsed.imports.clone() };
    Structure { entities: bytes(&stored), mentions: bytes(&mentions) }
}

fn bytes(value: &impl Serialize) -> Vec<u8> {
    pack(&postcard::to_allocvec(value).expect("such values are always written"))
}

fn encode_mentions(mentions: &[Mention]) -> (Vec<Box<str>>, Vec<u64>) {
    let mut names = Names::default();
    let mut seen = HashSet::new();
    let mut numbers = Vec::new();
    let (mut line, mut inside) = (0_u32, None);
    for mention in mentions {
        let place = names.place(&mention.name);
        let qualifier = mention.qualifier.as_deref().map_or(0, |words| names.place(words) + 1);
        if !seen.insert((mention.inside, place, qualifier, mention.kind)) {
            continue;
        }
        let kind = match mention.kind {
            MentionKind::Call => 0,
            MentionKind::Type => 1,
            MentionKind::Name => 2,
        };
        let elsewhere = mention.inside != inside;
        // Lines come in order; another order takes more bytes and is kept as well.
        let difference = u64::from(mention.line.0.wrapping_sub(line));
        numbers.push(difference << 3 | kind << 1 | u64::from(elsewhere));
        if elsewhere {
            numbers.push(mention.inside.map_or(0, |at| u64::from(at.0) + 1));
        }
        numbers.extend([place, qualifier]);
        (line, inside) = (mention.line.0, mention.inside);
    }
    (names.all, numbers)
}

/// Names, each once.
#[derive(Default)]
struct Names<'a> {
    places: HashMap<&'a str, u64>,
    all: Vec<Box<str>>,
}

impl<'a> Names<'a> {
    fn place(&mut self, name: &'a str) -> u64 {
        *self.places.entry(name).or_insert_with(|| {
            self.all.push(name.into());
            self.all.len() as u64 - 1
        })
    }
}

/// What [`encode`] wrote; `None` where the bytes are something else.
pub(crate) fn decode(structure: &Structure) -> Option<Parsed> {
    let mut parsed = decode_entities(&structure.entities)?;
    let stored: StoredMentions = postcard::from_bytes(&unpack(&structure.mentions)?).ok()?;
    parsed.mentions = decode_mentions(&stored.names, &stored.mentions, parsed.entities.len())?;
    parsed.imports = stored.imports;
    Some(parsed)
}

/// What [`encode`] wrote, without mentions and imports.
pub(crate) fn decode_entities(bytes: &[u8]) -> Option<Parsed> {
    let stored: Stored = postcard::from_bytes(&unpack(bytes)?).ok()?;
    let mut before = LineNumber(0);
    let mut entities = Vec::with_capacity(stored.entities.len());
    for (at, entity) in (0_u32..).zip(stored.entities) {
        let lines = range(before, entity.lines)?;
        let first = lines.first;
        let inner = |part: Option<Offset>| match part {
            Some(part) => range(first, part).map(Some),
            None => Some(None),
        };
        let parent = match entity.parent {
            // Nothing is in itself.
            Some(back) => Some(EntityIndex(at.checked_sub(back).filter(|_| back > 0)?)),
            None => None,
        };
        entities.push(Entity {
            kind: entity.kind,
            lines,
            signature: range(first, entity.signature)?,
            attributes: inner(entity.attributes)?,
            body: inner(entity.body)?,
            doc: inner(entity.doc)?,
            name: entity.name,
            owner: entity.owner,
            visibility: entity.visibility,
            parent,
        });
        before = first;
    }
    Some(Parsed {
        language: stored.language,
        class: stored.class,
        line_count: stored.line_count,
        doc: stored.doc,
        entities,
        blocks: Vec::new(),
        mentions: Vec::new(),
        imports: Vec::new(),
        broken: stored.broken,
        cut: stored.cut,
    })
}

fn decode_mentions(names: &[Box<str>], numbers: &[u64], entities: usize) -> Option<Vec<Mention>> {
    let mut mentions = Vec::with_capacity(numbers.len() / 3);
    let mut numbers = numbers.iter().copied();
    let (mut line, mut inside) = (0_u32, None);
    while let Some(head) = numbers.next() {
        line = line.wrapping_add(u32::try_from(head >> 3).ok()?);
        let kind = match head >> 1 & 3 {
            0 => MentionKind::Call,
            1 => MentionKind::Type,
            2 => MentionKind::Name,
            _ => return None,
        };
        if head & 1 == 1 {
            inside = match numbers.next()?.checked_sub(1) {
                Some(at) if usize::try_from(at).ok()? < entities => {
                    Some(EntityIndex(u32::try_from(at).ok()?))
                }
                Some(_) => return None,
                None => None,
            };
        }
        let named = |place: u64| Some(names.get(usize::try_from(place).ok()?)?.clone());
        let name = named(numbers.next()?)?;
        let qualifier = match numbers.next()?.checked_sub(1) {
            Some(place) => Some(named(place)?),
            None => None,
        };
        mentions.push(Mention { name, qualifier, kind, line: LineNumber(line), inside });
    }
    Some(mentions)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_stored_is_read_again() {
        let text = "use std::fmt;\n\n/// A pair.\n#[derive(Debug)]\npub struct Pair {\n    a: u32,\n\
                    }\n\nimpl Pair {\n    fn sum(&self) -> u32 {\n        add(self.a, add(1, 2))\n\
                    \x20   }\n}\n\nfn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n";
        let mut parsed = foveal_index::parse("a.rs", text);
        parsed.blocks.clear();
        let read = decode(&encode(&parsed)).expect("it was written just before");
        let called = |of: &Parsed| of.mentions.iter().filter(|m| &*m.name == "add").count();
        assert_eq!((called(&parsed), called(&read)), (2, 1));
        let mut seen = HashSet::new();
        parsed
            .mentions
            .retain(|m| seen.insert((m.inside, m.name.clone(), m.qualifier.clone(), m.kind)));
        assert_eq!(read, parsed);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let packed = pack(&bytes);
            let structure = Structure { entities: packed.clone(), mentions: packed };
            decode_entities(&bytes);
            if let Some(parsed) = decode(&structure) {
                for (at, _) in parsed.indexed() {
                    parsed.qualified_name(at);
                }
            }
        }
    }
}
