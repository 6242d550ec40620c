//! Prints a sample of the relations of a folder, for review by a person or a program.
//!
//! ```text
//! cargo run --release -p foveal-index --example edges -- FOLDER [COUNT] [SEED]
//! ```
//!
//! Prints COUNT (100) relations of each of the kinds calls, imports and tests between entities
//! of code. Each line holds, separated by tabs: kind, file and line of the use, file, line and name
//! of the target (no name for a file), and the text of the line of the use.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use foveal_index::{Index, IndexError};
use foveal_relevance::relations::{Relation, RelationKind, Relations};
use foveal_syntax::FileClass;
use foveal_transcript::CancelToken;

const SAMPLED_KINDS: [RelationKind; 3] =
    [RelationKind::Calls, RelationKind::Imports, RelationKind::Tests];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: u64| arguments.get(at).map_or(Some(or), |text| text.parse().ok());
    let (Some(folder), Some(count), Some(seed)) = (arguments.first(), number(1, 100), number(2, 1))
    else {
        eprintln!("usage: edges FOLDER [COUNT] [SEED]");
        return ExitCode::FAILURE;
    };
    match print_sample(Path::new(folder), usize::try_from(count).unwrap_or(usize::MAX), seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn print_sample(folder: &Path, count: usize, seed: u64) -> Result<(), IndexError> {
    let mut index = Index::in_memory(folder, None)?;
    index.update(&mut |_| {}, &CancelToken::NEVER)?;
    let relations = index.relations()?;
    for kind in SAMPLED_KINDS {
        let mut all: Vec<&Relation> = relations
            .all_relations()
            .iter()
            .filter(|of| of.kind == kind)
            .filter(|of| relations.node(of.from).class == FileClass::Source)
            .collect();
        eprintln!("{}: {}", kind.name(), all.len());
        all.sort_by_key(|of| seeded_hash(seed, u64::from(of.from.0) << 32 | u64::from(of.to.0)));
        for of in all.into_iter().take(count) {
            println!("{}", format_relation(folder, &relations, of));
        }
    }
    Ok(())
}

fn format_relation(folder: &Path, relations: &Relations, of: &Relation) -> String {
    let (from, to) = (&relations.node(of.from).key, &relations.node(of.to).key);
    let bytes = fs::read(folder.join(&*from.path)).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let use_line = text.lines().nth(of.line.0 as usize - 1).unwrap_or_default();
    [
        of.kind.name(),
        &from.path,
        &of.line.0.to_string(),
        &to.path,
        &to.line.0.to_string(),
        &to.name,
        &use_line.trim().replace('\t', " "),
    ]
    .join("\t")
}

/// Returns a pseudo-random number for `value` (splitmix64).
fn seeded_hash(seed: u64, value: u64) -> u64 {
    let mut mixed = value.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
