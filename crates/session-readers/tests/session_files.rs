//! The files of recorded sessions.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use foveal_session_readers::{SessionFormat, detect_and_read_sessions};
use foveal_transcript::RecordedSession;

/// Returns the folder of recorded sessions. Prints a note and returns `None` if it is missing.
pub(crate) fn sessions_folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/sessions");
    if !folder.is_dir() {
        eprintln!("skipped: no recorded sessions at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// Returns all files below `folder`, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the sessions of a file, its detected format, and its problems as text.
pub(crate) fn read_file(path: &Path) -> (SessionFormat, Vec<RecordedSession>, Vec<String>) {
    let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    let file = BufReader::new(File::open(path).expect("the file opens"));
    let mut sessions = Vec::new();
    let (format, problems) =
        detect_and_read_sessions(&name, file, &mut |session| sessions.push(session))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    (format, sessions, problems.iter().map(ToString::to_string).collect())
}
