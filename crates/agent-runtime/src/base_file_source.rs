//! Base files for a content reset, which may move files in use into the system prompt.

use std::path::{Path, PathBuf};

use foveal_engine::placement::base_files::{BaseFile, BaseFileLoader};

use super::agent_config::replace_base_files;
use super::base_files;

/// A [`BaseFileLoader`] of the agent's folder.
#[derive(Debug)]
pub(super) struct BaseFileSource {
    directory: PathBuf,
    /// The base files that the session began with.
    first: Vec<BaseFile>,
}

impl BaseFileSource {
    /// Returns the source for a folder whose base files in the system prompt are `first`.
    pub(super) fn new(directory: &Path, first: Vec<BaseFile>) -> Self {
        Self { directory: directory.to_owned(), first }
    }
}

impl BaseFileLoader for BaseFileSource {
    fn initial_files(&self) -> &[BaseFile] {
        &self.first
    }

    fn current_content(&self, path: &str) -> Option<String> {
        base_files::read_file_in_use(&self.directory, path)
    }

    fn is_storable(&self, content: &str) -> bool {
        base_files::has_no_secret(content)
    }

    fn replace_base_files(&self, system: &str, files: &[BaseFile]) -> String {
        replace_base_files(system, files)
    }
}
