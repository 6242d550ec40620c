//! The files of a folder that a reset of contents may place in the system prompt.

use std::path::{Path, PathBuf};

use foveal_context::placement::base_files::{BaseFile, BaseFolder};

use super::base_files;
use super::opening::with_other_files;

/// Those of a folder.
#[derive(Debug)]
pub(super) struct InUse {
    directory: PathBuf,
    first: Vec<BaseFile>,
}

impl InUse {
    /// Those of a folder, where these stand in the system prompt already.
    pub(super) fn new(directory: &Path, first: Vec<BaseFile>) -> Self {
        Self { directory: directory.to_owned(), first }
    }
}

impl BaseFolder for InUse {
    fn first(&self) -> &[BaseFile] {
        &self.first
    }

    fn read(&self, path: &str) -> Option<String> {
        base_files::in_use(&self.directory, path)
    }

    fn is_kept(&self, content: &str) -> bool {
        base_files::has_no_secret(content)
    }

    fn system(&self, system: &str, files: &[BaseFile]) -> String {
        with_other_files(system, files)
    }
}
