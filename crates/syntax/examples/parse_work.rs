//! Measures the work of parsing real files in progress reports of the parser, which are limited: no
//! ordinary file should come near the limit.
//!
//! `cargo run --release -p foveal-syntax --example parse_work -- FOLDER…` prints for each language
//! the number of files, the bytes per report of the median and the densest file, the latter's path,
//! and the number of files whose parsing was abandoned.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use foveal_syntax::{Language, parse_file_until_cancelled};

/// The least size of a file, in bytes: the limit for shorter ones is much more generous.
const BYTES_MIN: usize = 8_000;

/// The files of a language: bytes per report, bytes and path.
type Files = Vec<(f64, usize, PathBuf)>;

fn main() {
    let mut waiting: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut languages: BTreeMap<&str, Files> = BTreeMap::new();
    let mut given_up: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    while let Some(path) = waiting.pop() {
        if path.is_symlink() {
            continue;
        }
        if let Ok(entries) = std::fs::read_dir(&path) {
            waiting.extend(entries.flatten().map(|entry| entry.path()));
        } else if let Some((language, reports, bytes, cut)) = measured(&path) {
            #[allow(clippy::cast_precision_loss)] // Files are smaller.
            let each = bytes as f64 / reports.max(1) as f64;
            languages.entry(language).or_default().push((each, bytes, path.clone()));
            if cut {
                given_up.entry(language).or_default().push(path);
            }
        }
    }
    for (language, mut files) in languages {
        files.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (median, densest) = (&files[files.len() / 2], &files[0]);
        println!(
            "{language:<12}{:>7} files, median {:>6.0}, densest {:>5.1} ({} bytes, {}), given up {}",
            files.len(),
            median.0,
            densest.0,
            densest.1,
            densest.2.display(),
            given_up.get(language).map_or(0, Vec::len)
        );
        for path in given_up.get(language).into_iter().flatten() {
            println!("    {}", path.display());
        }
    }
}

/// Returns the language of a file that is parsed, the number of reports, the bytes, and whether
/// parsing was abandoned.
fn measured(path: &Path) -> Option<(&'static str, usize, usize, bool)> {
    let text = std::fs::read_to_string(path).ok().filter(|text| text.len() >= BYTES_MIN)?;
    let path = path.to_str()?;
    let language = Language::detect(path, &text)?;
    let mut reports = 0;
    let parsed = parse_file_until_cancelled(path, &text, &mut || {
        reports += 1;
        false
    });
    // Without reports the file was too long or not parsed.
    (reports > 0).then(|| (language.name(), reports, text.len(), parsed.cut))
}
