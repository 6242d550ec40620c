//! Reads what opencode keeps.

use foveal_transcript::Session;
use foveal_wire::Format;

use super::database;
use super::tree::TreeSession;
use crate::sessions::error::Loaded;
use crate::sessions::file::SessionFile;

/// Whether files of the format the user asked for, if any, can be read here.
pub(super) fn is_wanted(format: Option<Format>) -> bool {
    matches!(format, None | Some(Format::OpenCode))
}

/// Reads `file` if it is opencode's own and `format` allows it; `None` if any reader may try.
pub(crate) fn load(
    file: &SessionFile,
    format: Option<Format>,
    sink: &mut dyn FnMut(Session),
) -> Option<Loaded> {
    if !is_wanted(format) {
        return None;
    }
    if file.session.is_some() || database::is_one(&file.path) {
        return Some(database::load(&file.path, file.session.as_deref(), sink));
    }
    let session = TreeSession::of(&file.path)?;
    Some(session.read().and_then(|document| document.read(&file.path, sink)))
}
