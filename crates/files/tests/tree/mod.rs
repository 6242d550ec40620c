//! Searching and listing of trees.

mod grep;
mod grep_laws;
mod names;

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// A folder with some files, given as path and content. A path that ends with `/` is an empty
/// folder.
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
