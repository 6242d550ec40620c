//! Cases as JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};
use foveal_bench::{Case, language, line_count};

/// Longest line that is read, in bytes.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// Reads the cases of a file. Languages that it does not say are taken from the paths.
/// Returns with them how many gold lines were left out because they lie outside their file.
///
/// # Errors
/// If the file cannot be read, a line is no case, or there is none.
pub(super) fn read(path: &Path) -> anyhow::Result<(Vec<Case>, usize)> {
    let name = path.display();
    if path.is_dir() {
        bail!("`{name}` is a folder: name a file of JSON lines");
    }
    let file = File::open(path).with_context(|| format!("`{name}` cannot be read"))?;
    let mut reader = BufReader::new(file);
    let (mut cases, mut outside) = (Vec::new(), 0);
    for number in 1u64.. {
        let mut line = Vec::new();
        let mut limited = std::io::Read::take(&mut reader, LINE_BYTES_MAX);
        let read = limited.read_until(b'\n', &mut line);
        if read.with_context(|| format!("`{name}` cannot be read"))? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let case: Result<Case, _> = serde_json::from_slice(&line);
        let mut case = case.with_context(|| format!("`{name}` line {number} is no case"))?;
        outside += complete(&mut case);
        cases.push(case);
    }
    if cases.is_empty() {
        bail!("`{name}` holds no case");
    }
    Ok((cases, outside))
}

/// Brings a case into the form the measures expect, and says how many gold lines lie outside
/// its file.
fn complete(case: &mut Case) -> usize {
    if case.language.is_empty() {
        case.language = language::of(&case.path).unwrap_or_default().to_owned();
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
pub(super) fn write(path: &Path, cases: &[Case]) -> anyhow::Result<()> {
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
