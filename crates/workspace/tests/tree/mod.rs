//! Search and listing of file trees.

mod grep;
mod grep_laws;
mod ignored;
mod names;

use std::fs::{self, File};
use std::io;
use std::path::Path;

use foveal_workspace::file_search::{
    GlobAnswer, GrepAnswer, GrepLayout, GrepMode, GrepRow, ListAnswer, SkippedFiles,
};
use tempfile::TempDir;

/// A folder with the given paths and contents. A path that ends with `/` is an empty folder.
fn tree<C: AsRef<[u8]>>(files: &[(&str, C)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, content) in files {
        let full = folder.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(full).expect("a folder");
            continue;
        }
        fs::create_dir_all(full.parent().expect("it is in the folder")).expect("a folder");
        fs::write(full, content).expect("a file");
    }
    folder
}

/// Opens files of `base` without any confinement.
fn open_in(base: &Path) -> impl Fn(&Path) -> io::Result<File> + Sync {
    let base = base.to_owned();
    move |path: &Path| File::open(base.join(path))
}

/// The rows of a page, followed by the counts of omissions.
fn hits_of(answer: &GrepAnswer, mode: GrepMode, form: GrepLayout) -> String {
    let row = |row: &GrepRow<'_>| match row {
        GrepRow::File { path, hits: None } => format!("{path}\n"),
        GrepRow::File { path, hits: Some(hits) } => format!("{path}:{hits}\n"),
        GrepRow::Line { line, .. } => {
            let cut = |bytes: usize| if bytes > 0 { format!("[{bytes}]") } else { String::new() };
            let (before, after) = (cut(line.bytes_before), cut(line.bytes_after));
            format!("{}{before}{}{after}\n", row.line_prefix(), line.text)
        }
        GrepRow::Blank => "\n".to_owned(),
        GrepRow::Gap => "--\n".to_owned(),
    };
    let mut told: String = answer.rows(mode, form).iter().map(row).collect();
    let GrepAnswer { unit, offset, shown, total, files_with_hits, files_searched, .. } = answer;
    if *shown == 0 || (*shown as u64) < *total {
        told += &format!("[{shown} of {total} {unit:?} from {offset}");
        told += &format!(", in {files_with_hits} of {files_searched} files");
        told += &next_of(answer.next_offset());
        told += "]\n";
    }
    if *shown == 0 && answer.skipped.binary > 0 {
        told += &format!("[{} binary]\n", answer.skipped.binary);
    }
    told + &passed_of(&answer.skipped)
}

/// The paths of a page, followed by the counts of omissions.
fn paths_of(answer: &GlobAnswer) -> String {
    let mut told: String = answer.paths.iter().map(|path| format!("{path}\n")).collect();
    let GlobAnswer { offset, shown, total, .. } = answer;
    if *shown == 0 || (*shown as u64) < *total {
        let next = next_of(answer.next_offset());
        told += &format!("[{shown} of {total} from {offset}{next}]\n");
    }
    told + &passed_of(&answer.skipped)
}

/// The rows of a folder, and the number of omitted entries.
fn entries_of(answer: &ListAnswer) -> String {
    let mut told: String = answer.rows().iter().map(|row| format!("{row}\n")).collect();
    if answer.left_out > 0 {
        told += &format!("[{} more]\n", answer.left_out);
    }
    told + &passed_of(&answer.skipped)
}

fn next_of(next: Option<usize>) -> String {
    next.map_or_else(String::new, |next| format!(", next from {next}"))
}

fn passed_of(passed: &SkippedFiles) -> String {
    let SkippedFiles { unreadable, reasons, as_bytes, as_bytes_first, .. } = passed;
    let mut told = String::new();
    if *as_bytes > 0 {
        told += &format!("[{as_bytes} as bytes: {}]\n", as_bytes_first.join(", "));
    }
    if *unreadable > 0 {
        let named: Vec<_> = reasons.iter().map(|(path, why)| format!("{path} ({why})")).collect();
        told += &format!("[{unreadable} not read: {}]\n", named.join(", "));
    }
    told
}
