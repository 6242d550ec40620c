//! A file to be changed, as it is on disk.

use std::sync::Arc;

use foveal_workspace::file_content::{self, FileContent, Notebook, ReadLimits};
use foveal_workspace::{FileReadError, FileVersion, PathKey, ResolvedPath, TextFile};

use crate::error::ToolError;
use crate::session::{CallContext, KnownFile};

/// How often a file is read, or edits are planned, while others change files. A change elsewhere in
/// a file is no reason to refuse an edit.
pub(super) const TRIES_MAX: usize = 5;

/// A file to be changed, as it is on disk.
pub(super) struct EditTarget {
    pub(super) located: ResolvedPath,
    pub(super) key: PathKey,
    pub(super) text: TextFile,
    pub(super) version: FileVersion,
    /// The file as a read shows it: the text, or the cells of a notebook.
    pub(super) view: Arc<TextFile>,
    pub(super) is_notebook: bool,
}

impl EditTarget {
    /// Reads the file.
    pub(super) fn read(
        work: &CallContext<'_>,
        located: ResolvedPath,
        key: PathKey,
    ) -> Result<Self, ToolError> {
        let read =
            || file_content::read_file(&located, &ReadLimits::default(), work.control.cancel);
        let mut found = read();
        for _ in 1..TRIES_MAX {
            if !matches!(found, Err(FileReadError::Changing { .. })) {
                break;
            }
            found = read();
        }
        let read = found.map_err(ToolError::from_error)?;
        let described = read.description().unwrap_or_default();
        let (text, view, is_notebook) = match read.content {
            FileContent::Text(text) => (text.clone(), text, false),
            FileContent::Notebook(notebook, text) => {
                (text, TextFile::new(&notebook.to_text()), true)
            }
            FileContent::Empty => (TextFile::new(""), TextFile::new(""), false),
            FileContent::Image(..) | FileContent::Binary(_) | FileContent::TooLarge { .. } => {
                return Err(ToolError::from_error(format!(
                    "`{}` cannot be edited as text: {described}",
                    located.display_path()
                )));
            }
        };
        let Some(version) = read.version else {
            return Err(ToolError::from_error(format!(
                "`{}` was not read whole",
                located.display_path()
            )));
        };
        Ok(Self { located, key, text, version, view: Arc::new(view), is_notebook })
    }

    /// Returns the known state of the file, updated to the version on disk.
    pub(super) fn known_file(&self, work: &CallContext<'_>) -> Option<KnownFile> {
        work.files().get(&self.key).map(|known| self.update_known_file(Some(&known)))
    }

    /// Returns the known state `known`, updated to the version on disk.
    pub(super) fn update_known_file(&self, known: Option<&KnownFile>) -> KnownFile {
        let question = known.and_then(|known| known.question.as_deref());
        KnownFile::with_predecessor(known, self.version, Arc::clone(&self.view), question)
    }
}

/// Returns a text as a read shows it: for a notebook, its cells.
pub(super) fn readable_view(located: &ResolvedPath, text: TextFile) -> TextFile {
    let is_notebook = located.relative_path().extension().is_some_and(|ending| ending == "ipynb");
    match is_notebook.then(|| Notebook::parse(text.text())).flatten() {
        Some(notebook) => TextFile::new(&notebook.to_text()),
        None => text,
    }
}

/// Checks that a notebook remains valid JSON of a notebook after the change.
pub(super) fn check_notebook(target: &EditTarget, text: &str) -> Result<(), ToolError> {
    if target.is_notebook && Notebook::parse(text).is_none() {
        return Err(ToolError::from_error(format!(
            "`{}` is a notebook, which is JSON in the file; this change would break it: see its \
             JSON with bash, and edit that",
            target.located.display_path()
        )));
    }
    Ok(())
}
