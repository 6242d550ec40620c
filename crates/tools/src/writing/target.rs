//! A file about to be changed, as it is on disk.

use std::sync::Arc;

use foveal_files::kind::{self, Content as FileContent, Notebook, ReadLimits};
use foveal_files::{Located, PathKey, ReadError, TextFile, Version};

use crate::error::ToolError;
use crate::session::{KnownFile, Work};

/// Times that a file is read, or edits are planned, where files change meanwhile. Whoever writes
/// elsewhere in a file is no reason to refuse an edit.
pub(super) const TRIES_MAX: usize = 5;

/// A file about to be changed, as it is on disk.
pub(super) struct Target {
    pub(super) located: Located,
    pub(super) key: PathKey,
    pub(super) text: TextFile,
    pub(super) version: Version,
    /// What a read shows of it: the text, or the cells of a notebook.
    pub(super) view: Arc<TextFile>,
    pub(super) is_notebook: bool,
}

impl Target {
    /// Reads the file.
    pub(super) fn read(work: &Work<'_>, located: Located, key: PathKey) -> Result<Self, ToolError> {
        let read = || kind::read(&located, &ReadLimits::default(), work.control.cancel);
        let mut found = read();
        for _ in 1..TRIES_MAX {
            if !matches!(found, Err(ReadError::Changing { .. })) {
                break;
            }
            found = read();
        }
        let read = found.map_err(ToolError::failed)?;
        let described = read.description().unwrap_or_default();
        let (text, view, is_notebook) = match read.content {
            FileContent::Text(text) => (text.clone(), text, false),
            FileContent::Notebook(notebook, text) => {
                (text, TextFile::new(&notebook.to_text()), true)
            }
            FileContent::Empty => (TextFile::new(""), TextFile::new(""), false),
            FileContent::Image(..) | FileContent::Binary(_) | FileContent::TooLarge { .. } => {
                return Err(ToolError::failed(format!(
                    "`{}` cannot be edited as text: {described}",
                    located.shown()
                )));
            }
        };
        let Some(version) = read.version else {
            return Err(ToolError::failed(format!("`{}` was not read whole", located.shown())));
        };
        Ok(Self { located, key, text, version, view: Arc::new(view), is_notebook })
    }

    /// What is known of it as it is on disk now.
    pub(super) fn known_now(&self, work: &Work<'_>) -> Option<KnownFile> {
        work.files().get(&self.key).map(|known| self.known_as(Some(&known)))
    }

    /// The same for who knows this of it.
    pub(super) fn known_as(&self, known: Option<&KnownFile>) -> KnownFile {
        let question = known.and_then(|known| known.question.as_deref());
        KnownFile::after(known, self.version, Arc::clone(&self.view), question)
    }
}

/// What a read shows of a text: the cells of a notebook.
pub(super) fn view_of(located: &Located, text: TextFile) -> TextFile {
    let is_notebook = located.relative().extension().is_some_and(|ending| ending == "ipynb");
    match is_notebook.then(|| Notebook::parse(text.text())).flatten() {
        Some(notebook) => TextFile::new(&notebook.to_text()),
        None => text,
    }
}

/// That a notebook stays one: it is read as cells, and stored as JSON.
pub(super) fn check_notebook(target: &Target, text: &str) -> Result<(), ToolError> {
    if target.is_notebook && Notebook::parse(text).is_none() {
        return Err(ToolError::failed(format!(
            "`{}` is a notebook, which is JSON in the file; this change would break it: see its \
             JSON with bash, and edit that",
            target.located.shown()
        )));
    }
    Ok(())
}
