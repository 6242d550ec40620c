//! Writing whole files, new ones or such that were seen as they are.

use std::sync::Arc;

use foveal_files::edit::{PlaceholderFound, refuse_placeholders};
use foveal_files::{LineEnding, Located, PathError, PathKey, TextFile};

use crate::answer::Dependency;
use crate::error::ToolError;
use crate::findings::{Changes, Content, Findings};
use crate::session::{KnownFile, Work};

use super::check::check_overwrite;
use super::keep::{AuthoredLines, wrote, wrote_over};
use super::target::{Target, check_notebook, view_of};

/// Puts `content` into the file at `path`, new or seen before.
pub(crate) fn write(work: &Work<'_>, path: &str, content: &str) -> Result<Findings, ToolError> {
    let located = work.file(path)?;
    let key = located.key();
    match located.metadata() {
        Ok(_) => overwrite(work, located, key, content),
        Err(PathError::NotFound { .. }) => {
            refuse(refuse_placeholders("", content))?;
            let bytes = TextFile::new(content).encode().map_err(ToolError::failed)?;
            write_new(work, &located, &key, &bytes)
        }
        Err(error) => Err(ToolError::failed(error)),
    }
}

/// Makes a file where there is none.
pub(super) fn write_new(
    work: &Work<'_>,
    located: &Located,
    key: &PathKey,
    bytes: &[u8],
) -> Result<Findings, ToolError> {
    let written = work.toolbox.writer.create(located, bytes, work.control.cancel);
    let written = written.map_err(ToolError::failed)?;
    if let Ok(text) = TextFile::decode(bytes) {
        let view = Arc::new(view_of(located, text));
        let known = KnownFile::after(None, written.version, view, None);
        work.session.files.change(key, |_| Some(known.all_written()));
    }
    let held = Dependency::File(located.absolute(), written.version);
    let depends = vec![held, work.seen_from()];
    let change = wrote(work, located, key, bytes, &written);
    Ok(Findings::from(Content::Changes(Changes::from(change))).resting_on(depends))
}

fn overwrite(
    work: &Work<'_>,
    located: Located,
    key: PathKey,
    content: &str,
) -> Result<Findings, ToolError> {
    let _turn = work.session.turn_to_write();
    let target = Target::read(work, located, key)?;
    refuse(refuse_placeholders(target.text.text(), content))?;
    check_overwrite(work, &target)?;
    check_notebook(&target, content)?;
    // Line ends are those of the file, however they are spelled in the call.
    let content = match target.text.line_ending() {
        LineEnding::Lf => content.to_owned(),
        LineEnding::CrLf | LineEnding::Mixed => content.replace("\r\n", "\n"),
    };
    let bytes = target.text.encode_edited(&content).map_err(ToolError::failed)?;
    let writer = &work.toolbox.writer;
    let written =
        writer.replace_if(&target.located, &target.version.hash, &bytes, work.control.cancel);
    let written = written.map_err(ToolError::failed)?;
    let held = Dependency::File(target.located.absolute(), written.version);
    let depends = vec![held, work.seen_from()];
    let change = wrote_over(work, &target, &bytes, &written, &AuthoredLines::All);
    Ok(Findings::from(Content::Changes(Changes::from(change))).resting_on(depends))
}

fn refuse(found: Option<PlaceholderFound>) -> Result<(), ToolError> {
    found.map_or(Ok(()), |found| Err(ToolError::failed(found.to_string())))
}
