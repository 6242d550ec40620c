//! The second part: what a file imports and which names it uses where.

use foveal_code::relations::{FileSymbols, Use, UseRole};
use foveal_code::{EntityIndex, Import, LineNumber};
use serde::{Deserialize, Serialize};

/// The roles, by their number.
const ROLES: [UseRole; 5] =
    [UseRole::Call, UseRole::Returned, UseRole::Type, UseRole::Name, UseRole::Documented];

/// The use belongs to something.
const IS_QUALIFIED: u8 = 8;
/// There are several of it.
const IS_MANY: u8 = 16;

/// Uses stand in groups of those in the same entity, each with one in `roles`, `lines` and
/// `names`.
#[derive(Default, Serialize, Deserialize)]
struct Stored {
    imports: Vec<Import>,
    /// Names beside those of definitions.
    more_names: Vec<Box<str>>,
    /// The place of a group's entity, from the one before; 0 for the top of the file.
    groups: Vec<u32>,
    /// How many uses there are in each.
    counts: Vec<u32>,
    roles: Vec<u8>,
    /// From the line of the use before, in a group's first one from its entity.
    lines: Vec<u32>,
    /// 0 for the next of `more_names`; 1 more than the place of a name that is known.
    names: Vec<u32>,
    /// The same of what they belong to, where they belong to something.
    qualifiers: Vec<u32>,
    /// How many there are, where they are several.
    many: Vec<u32>,
}

pub(super) fn encode(symbols: &FileSymbols) -> Vec<u8> {
    let defined = names_of_definitions(symbols);
    let mut next = u32::try_from(defined).unwrap_or(u32::MAX);
    let mut place = |name: u32| {
        let is_next = name == next;
        next += u32::from(is_next);
        if is_next { 0 } else { name + 1 }
    };
    let mut stored = Stored {
        imports: symbols.imports.clone(),
        more_names: symbols.names.get(defined..).unwrap_or_default().to_vec(),
        ..Stored::default()
    };
    let mut entity = 0;
    for group in symbols.uses.chunk_by(|a, b| a.inside == b.inside) {
        let own = group[0].inside.map_or(0, |at| at.0 + 1);
        stored.groups.push(own.wrapping_sub(entity));
        stored.counts.push(u32::try_from(group.len()).unwrap_or(u32::MAX));
        let mut line = first_line(symbols, group[0].inside);
        for of in group {
            let role = ROLES.iter().position(|role| *role == of.role).unwrap_or_default() as u8;
            let many = of.count > 1;
            let qualified = if of.qualifier.is_some() { IS_QUALIFIED } else { 0 };
            stored.roles.push(role | qualified | if many { IS_MANY } else { 0 });
            // Another order takes more bytes and is kept as well.
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

/// `symbols`, which has all but these, with what `bytes` hold.
pub(super) fn decode(mut symbols: FileSymbols, bytes: &[u8]) -> Option<FileSymbols> {
    let stored: Stored = postcard::from_bytes(bytes).ok()?;
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
        let definition = inside.map(|at| symbols.definitions.get(at.get()));
        if definition == Some(None) {
            return None;
        }
        let signature = definition.flatten().map(|of| of.signature);
        let mut line = first_line(&symbols, inside);
        for _ in 0..*count {
            let flags = *roles.next()?;
            let role = *ROLES.get(usize::from(flags & 7))?;
            line = line.wrapping_add(*lines.next()?);
            let number = LineNumber(line);
            let is_in = signature.is_some_and(|signature| signature.contains(number));
            symbols.uses.push(Use {
                inside,
                role,
                name: place(*names.next()?)?,
                qualifier: match flags & IS_QUALIFIED {
                    0 => None,
                    _ => Some(place(*qualifiers.next()?)?),
                },
                in_signature: is_in && role != UseRole::Documented,
                line: number,
                count: if flags & IS_MANY == 0 { 1 } else { *many.next()? },
            });
        }
    }
    symbols.imports = stored.imports;
    Some(symbols)
}

/// How many of the names, which begin with those of definitions, are theirs.
fn names_of_definitions(symbols: &FileSymbols) -> usize {
    let all: std::collections::HashSet<&str> =
        symbols.definitions.iter().map(|of| &*of.name).collect();
    all.len()
}

fn first_line(symbols: &FileSymbols, inside: Option<EntityIndex>) -> u32 {
    let definition = inside.and_then(|at| symbols.definitions.get(at.get()));
    definition.map_or(0, |of| of.lines.first.0)
}
