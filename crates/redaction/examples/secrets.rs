//! Lists the secrets that would be removed from the files of a folder, and the scan speed: `cargo
//! run --release -p foveal-redaction --example secrets -- FOLDER`. Shows only the first four bytes of
//! each value.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use foveal_redaction::find_secrets;

/// Larger files are skipped.
const FILE_BYTES_MAX: u64 = 16 << 20;

fn main() {
    let Some(folder) = env::args_os().nth(1) else {
        eprintln!("name a folder");
        return;
    };
    let begin = Instant::now();
    find_secrets(b"");
    println!("made ready in {:?}", begin.elapsed());
    let mut folders = vec![folder.into()];
    let (mut bytes, mut files, mut found) = (0, 0, 0);
    let mut time = Duration::ZERO;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir::<&PathBuf>(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if metadata.is_file() && metadata.len() <= FILE_BYTES_MAX {
                let Ok(text) = fs::read(entry.path()) else { continue };
                let begin = Instant::now();
                let secrets = find_secrets(&text);
                time += begin.elapsed();
                (bytes, files, found) = (bytes + text.len(), files + 1, found + secrets.len());
                for secret in secrets {
                    show(&entry.path(), &text[secret.range.clone()], secret.kind);
                }
            }
        }
    }
    let speed = bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{found} in {files} files of {} MB, {speed:.0} MB/s", bytes / 1_000_000);
}

fn show(path: &Path, secret: &[u8], kind: &str) {
    let head = String::from_utf8_lossy(&secret[..secret.len().min(4)]).into_owned();
    println!("{}: {kind}: {head:?}… of {} bytes", path.display(), secret.len());
}
