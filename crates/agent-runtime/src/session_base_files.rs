//! The base files of a session, of which its tools know.

use std::sync::{Arc, Weak};

use foveal_engine::placement::base_files::{BaseFile, BaseFileLoader};
use foveal_tools::ToolSession;

/// The base files of one session. Its tools know which files the system prompt shows.
#[derive(Debug)]
pub(super) struct SessionBaseFiles {
    source: Arc<dyn BaseFileLoader>,
    tools: Weak<ToolSession>,
}

impl SessionBaseFiles {
    /// Returns the base files from `source` for the session of these tools.
    pub(super) fn new(source: &Arc<dyn BaseFileLoader>, tools: &Arc<ToolSession>) -> Self {
        Self { source: Arc::clone(source), tools: Arc::downgrade(tools) }
    }
}

impl BaseFileLoader for SessionBaseFiles {
    fn initial_files(&self) -> &[BaseFile] {
        self.source.initial_files()
    }

    fn current_content(&self, path: &str) -> Option<String> {
        self.source.current_content(path)
    }

    fn is_storable(&self, content: &str) -> bool {
        self.source.is_storable(content)
    }

    /// Called with each request after a reset, also after the session was resumed.
    fn replace_base_files(&self, system: &str, files: &[BaseFile]) -> String {
        if let Some(tools) = self.tools.upgrade() {
            let files = files.iter().map(|file| (file.path.as_str(), file.content.as_str()));
            tools.show_base_files(files);
        }
        self.source.replace_base_files(system, files)
    }
}
