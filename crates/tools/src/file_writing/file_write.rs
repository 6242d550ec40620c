//! Writes of whole files: new files, and files that the model has seen as they are.

use std::sync::Arc;

use foveal_workspace::edit::{PlaceholderError, find_new_placeholder};
use foveal_workspace::{NewlineStyle, PathError, PathKey, ResolvedPath, TextFile};

use crate::answer::AnswerDependency;
use crate::error::ToolError;
use crate::findings::{FileChanges, FindingContent, Findings};
use crate::session::{CallContext, KnownFile};

use super::edit_target::{EditTarget, check_notebook, readable_view};
use super::visibility_check::check_overwrite;
use super::write_record::{AuthoredLines, record_overwrite, record_write};

/// Writes `content` to the file at `path`, which is new or was seen before.
pub(crate) fn write_file(
    work: &CallContext<'_>,
    path: &str,
    content: &str,
) -> Result<Findings, ToolError> {
    let located = work.resolve_permitted(path)?;
    let key = located.path_key();
    match located.metadata() {
        Ok(_) => overwrite_file(work, located, key, content),
        Err(PathError::NotFound { .. }) => {
            reject_placeholder(find_new_placeholder("", content))?;
            let bytes = TextFile::new(content).encode().map_err(ToolError::from_error)?;
            create_file(work, &located, &key, &bytes)
        }
        Err(error) => Err(ToolError::from_error(error)),
    }
}

/// Creates a file that does not exist.
pub(super) fn create_file(
    work: &CallContext<'_>,
    located: &ResolvedPath,
    key: &PathKey,
    bytes: &[u8],
) -> Result<Findings, ToolError> {
    let written = work.toolbox.writer.create_file(located, bytes, work.control.cancel);
    let written = written.map_err(ToolError::from_error)?;
    if let Ok(text) = TextFile::decode(bytes) {
        let view = Arc::new(readable_view(located, text));
        let known = KnownFile::with_predecessor(None, written.version, view, None);
        work.session.files.update(key, |_| Some(known.with_all_lines_written()));
    }
    let held = AnswerDependency::File(located.absolute_path(), written.version);
    let depends = vec![held, work.directory_dependency()];
    let change = record_write(work, located, key, bytes, &written);
    Ok(Findings::from(FindingContent::Changes(FileChanges::from(change)))
        .with_dependencies(depends))
}

fn overwrite_file(
    work: &CallContext<'_>,
    located: ResolvedPath,
    key: PathKey,
    content: &str,
) -> Result<Findings, ToolError> {
    let _turn = work.session.lock_writes();
    let target = EditTarget::read(work, located, key)?;
    reject_placeholder(find_new_placeholder(target.text.text(), content))?;
    check_overwrite(work, &target)?;
    check_notebook(&target, content)?;
    // The line endings of the file are kept, whichever the call uses.
    let content = match target.text.newline_style() {
        NewlineStyle::Lf => content.to_owned(),
        NewlineStyle::CrLf | NewlineStyle::Mixed => content.replace("\r\n", "\n"),
    };
    let bytes = target.text.encode_edited(&content).map_err(ToolError::from_error)?;
    let writer = &work.toolbox.writer;
    let written = writer.compare_and_replace(
        &target.located,
        &target.version.hash,
        &bytes,
        work.control.cancel,
    );
    let written = written.map_err(ToolError::from_error)?;
    let held = AnswerDependency::File(target.located.absolute_path(), written.version);
    let depends = vec![held, work.directory_dependency()];
    let change = record_overwrite(work, &target, &bytes, &written, &AuthoredLines::All);
    Ok(Findings::from(FindingContent::Changes(FileChanges::from(change)))
        .with_dependencies(depends))
}

fn reject_placeholder(found: Option<PlaceholderError>) -> Result<(), ToolError> {
    found.map_or(Ok(()), |found| Err(ToolError::from_error(found.to_string())))
}
