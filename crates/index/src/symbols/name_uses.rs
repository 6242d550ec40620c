//! The second part: the imports, and the uses of names.

use foveal_relevance::relations::{FileSymbols, SymbolUse, UseRole};
use foveal_syntax::{EntityIndex, Import};
use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

/// The roles by their number.
const ROLES: [UseRole; 5] =
    [UseRole::Call, UseRole::Returned, UseRole::Type, UseRole::Name, UseRole::Documented];

/// The flag of a use with a qualifier.
const HAS_QUALIFIER: u8 = 8;
/// The flag of a use with a count above 1.
const HAS_COUNT: u8 = 16;

/// The stored form. Uses are grouped by entity. Each use has one element in `roles`, `lines` and
/// `names`.
#[derive(Default, Serialize, Deserialize)]
struct EncodedUses {
    imports: Vec<Import>,
    /// The names that are not names of definitions.
    more_names: Vec<Box<str>>,
    /// The distance of a group's entity from the previous one. 0 stands for the top level of the
    /// file.
    groups: Vec<u32>,
    /// The number of uses of each group.
    counts: Vec<u32>,
    roles: Vec<u8>,
    /// The distance from the line of the previous use, or from the entity for the first use of a
    /// group.
    lines: Vec<u32>,
    /// 0 for the next of `more_names`, or the index of an earlier name plus 1.
    names: Vec<u32>,
    /// The names of the qualifiers, in the same form, for uses that have one.
    qualifiers: Vec<u32>,
    /// The counts above 1.
    many: Vec<u32>,
}

pub(super) fn encode_uses(symbols: &FileSymbols) -> Vec<u8> {
    let defined = definition_name_count(symbols);
    let mut next = u32::try_from(defined).unwrap_or(u32::MAX);
    let mut place = |name: u32| {
        let is_next = name == next;
        next += u32::from(is_next);
        if is_next { 0 } else { name + 1 }
    };
    let mut stored = EncodedUses {
        imports: symbols.imports.clone(),
        more_names: symbols.names.get(defined..).unwrap_or_default().to_vec(),
        ..EncodedUses::default()
    };
    let mut entity = 0;
    for group in symbols.uses.chunk_by(|a, b| a.inside == b.inside) {
        let own = group[0].inside.map_or(0, |at| at.0 + 1);
        stored.groups.push(own.wrapping_sub(entity));
        stored.counts.push(u32::try_from(group.len()).unwrap_or(u32::MAX));
        let mut line = entity_first_line(symbols, group[0].inside);
        for of in group {
            let role = ROLES.iter().position(|role| *role == of.role).unwrap_or_default() as u8;
            let many = of.count > 1;
            let qualified = if of.qualifier.is_some() { HAS_QUALIFIER } else { 0 };
            stored.roles.push(role | qualified | if many { HAS_COUNT } else { 0 });
            // Wrapping subtraction also supports an unusual order, at the cost of more bytes.
            stored.lines.push(of.line.0.wrapping_sub(line));
            stored.names.push(place(of.name));
            stored.qualifiers.extend(of.qualifier.map(&mut place));
            stored.many.extend(many.then_some(of.count));
            line = of.line.0;
        }
        entity = own;
    }
    postcard::to_allocvec(&stored).expect("such values are always written")
}

/// Adds the decoded imports and uses to `symbols`.
pub(super) fn decode_uses(mut symbols: FileSymbols, bytes: &[u8]) -> Option<FileSymbols> {
    let stored: EncodedUses = postcard::from_bytes(bytes).ok()?;
    let mut next = u32::try_from(symbols.names.len()).ok()?;
    symbols.names.extend(stored.more_names);
    let known = symbols.names.len();
    let mut place = |place: u32| {
        let name = match place.checked_sub(1) {
            Some(name) => name,
            None => {
                next += 1;
                next - 1
            }
        };
        (usize::try_from(name).ok()? < known).then_some(name)
    };
    let (mut names, mut qualifiers) = (stored.names.iter(), stored.qualifiers.iter());
    let (mut many, mut lines) = (stored.many.iter(), stored.lines.iter());
    let mut roles = stored.roles.iter();
    let mut entity = 0_u32;
    for (group, count) in stored.groups.iter().zip(&stored.counts) {
        entity = entity.wrapping_add(*group);
        let inside = entity.checked_sub(1).map(EntityIndex);
        let definition = inside.map(|at| symbols.definitions.get(at.as_usize()));
        if definition == Some(None) {
            return None;
        }
        let signature = definition.flatten().map(|of| of.signature);
        let mut line = entity_first_line(&symbols, inside);
        for _ in 0..*count {
            let flags = *roles.next()?;
            let role = *ROLES.get(usize::from(flags & 7))?;
            line = line.wrapping_add(*lines.next()?);
            let number = LineNumber(line);
            let is_in = signature.is_some_and(|signature| signature.contains(number));
            symbols.uses.push(SymbolUse {
                inside,
                role,
                name: place(*names.next()?)?,
                qualifier: match flags & HAS_QUALIFIER {
                    0 => None,
                    _ => Some(place(*qualifiers.next()?)?),
                },
                in_signature: is_in && role != UseRole::Documented,
                line: number,
                count: if flags & HAS_COUNT == 0 { 1 } else { *many.next()? },
            });
        }
    }
    symbols.imports = stored.imports;
    Some(symbols)
}

/// Returns the number of distinct names of definitions, which come first among the names.
fn definition_name_count(symbols: &FileSymbols) -> usize {
    let all: std::collections::HashSet<&str> =
        symbols.definitions.iter().map(|of| &*of.name).collect();
    all.len()
}

fn entity_first_line(symbols: &FileSymbols, inside: Option<EntityIndex>) -> u32 {
    let definition = inside.and_then(|at| symbols.definitions.get(at.as_usize()));
    definition.map_or(0, |of| of.lines.first.0)
}
