//! Loads sessions of opencode.

use foveal_session_readers::SessionFormat;
use foveal_transcript::RecordedSession;

use super::database;
use super::session_tree::TreeSession;
use crate::sessions::error::LoadResult;
use crate::sessions::session_file::SessionFile;

/// Returns whether opencode's sessions can be read in the format that the user asked for.
pub(super) fn accepts_format(format: Option<SessionFormat>) -> bool {
    matches!(format, None | Some(SessionFormat::OpenCode))
}

/// Loads `file` if it belongs to opencode and `format` allows it. Returns `None` for other files.
pub(crate) fn load_opencode_sessions(
    file: &SessionFile,
    format: Option<SessionFormat>,
    sink: &mut dyn FnMut(RecordedSession),
) -> Option<LoadResult> {
    if !accepts_format(format) {
        return None;
    }
    if file.session.is_some() || database::is_database(&file.path) {
        return Some(database::load_from_database(&file.path, file.session.as_deref(), sink));
    }
    let session = TreeSession::from_info_file(&file.path)?;
    Some(session.build_document().and_then(|document| document.parse_session(&file.path, sink)))
}
