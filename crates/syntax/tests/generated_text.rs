//! Generated source files.

use proptest::prelude::*;

use super::structure::PATHS;

/// The sources of the other tests, whose strings contain code in all languages.
pub(crate) const SOURCES: &[&str] = &[
    include_str!("entities/native.rs"),
    include_str!("entities/web.rs"),
    include_str!("entities/scripts.rs"),
    include_str!("entities/data.rs"),
];

pub(crate) fn path() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(PATHS)
}

/// Generates real code with some bytes replaced, dropped or doubled.
pub(crate) fn mutated() -> impl Strategy<Value = String> {
    let source = proptest::sample::select(SOURCES);
    let edits = proptest::collection::vec((any::<u16>(), any::<u8>(), 0usize..3), 0..12);
    (source, any::<u16>(), 10usize..1500, edits).prop_map(|(source, from, length, edits)| {
        let from = from as usize % source.len();
        let mut bytes: Vec<u8> = source.bytes().skip(from).take(length).collect();
        for (at, byte, how) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = at as usize % bytes.len();
            match how {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"{}()<>\"'`\n#/*:;"[byte as usize % 15]),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Generates short texts of letters, line breaks and punctuation.
pub(crate) fn short_text() -> impl Strategy<Value = String> {
    "(\\PC|[\\n\\r\\t{}()<>#:'\"]){0,200}"
}
