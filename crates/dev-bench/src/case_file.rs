//! Cases as JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, ensure};

use crate::case::CurationCase;
use crate::language;
use crate::line_ranges::line_count;

/// Reads the cases of a file. Gold lines outside a case's file are dropped with a warning on
/// standard error; missing languages are taken from the paths.
///
/// # Errors
/// If the file cannot be read, a line is no case, or there is none.
pub(crate) fn read_cases(path: &Path) -> anyhow::Result<Vec<CurationCase>> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("`{name}` cannot be read"))?;
    let (mut cases, mut outside) = (Vec::new(), 0);
    for (number, line) in (1u64..).zip(BufReader::new(file).lines()) {
        let line = line.with_context(|| format!("`{name}` cannot be read"))?;
        if line.trim().is_empty() {
            continue;
        }
        let case: Result<CurationCase, _> = serde_json::from_str(&line);
        let mut case = case.with_context(|| format!("`{name}` line {number} is not a case"))?;
        outside += normalize_case(&mut case);
        cases.push(case);
    }
    ensure!(!cases.is_empty(), "`{name}` has no cases");
    if outside > 0 {
        eprintln!("{outside} gold lines outside the file of a case: not counted");
    }
    Ok(cases)
}

/// Normalises a case for the measures, and returns the number of gold lines outside its file.
fn normalize_case(case: &mut CurationCase) -> usize {
    if case.language.is_empty() {
        case.language = language::language_of(&case.path).unwrap_or_default().to_owned();
    }
    let lines = line_count(&case.content_before);
    let Some(gold) = &mut case.gold_lines else { return 0 };
    gold.sort_unstable();
    gold.dedup();
    let all = gold.len();
    gold.retain(|line| (1..=lines).contains(line));
    all - gold.len()
}

/// Writes cases, one a line.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_cases(path: &Path, cases: &[CurationCase]) -> anyhow::Result<()> {
    let write = || -> anyhow::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for case in cases {
            serde_json::to_writer(&mut out, case)?;
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    };
    write().with_context(|| format!("`{}` cannot be written", path.display()))
}
