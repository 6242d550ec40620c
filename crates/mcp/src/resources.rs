//! What clients can read beside calling tools: contents behind handles, and the session's
//! report.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use foveal_transcript::Handle;
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::session_report::{Duplicates, SessionReport};
use crate::sessions::ClientSession;

const CONTENT: &str = "foveal://content/";
const REPORT: &str = "foveal://session";
const REPORT_JSON: &str = "foveal://session.json";

/// The resources that are always there.
pub(crate) fn listed() -> Vec<Resource> {
    vec![
        Resource::new(REPORT, "session")
            .with_description("What this session did: calls, what was left out, files read.")
            .with_mime_type("text/markdown"),
        Resource::new(REPORT_JSON, "session.json")
            .with_description("The same as data.")
            .with_mime_type("application/json"),
    ]
}

/// The resources that are there for each handle.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{CONTENT}{{handle}}"), "content")
            .with_description("What was left out of an answer, by the handle in its note.")
            .with_mime_type("text/plain"),
    ]
}

/// Reads a resource of a session. Blocks.
///
/// # Errors
/// If there is none of this name.
pub(crate) fn read(of: &ClientSession, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let not_found = |what: String| ErrorData::resource_not_found(what, None);
    let contents = match uri {
        REPORT => {
            ResourceContents::text(report(of).markdown(), uri).with_mime_type("text/markdown")
        }
        REPORT_JSON => {
            ResourceContents::text(report(of).json(), uri).with_mime_type("application/json")
        }
        _ => {
            let handle = uri
                .strip_prefix(CONTENT)
                .ok_or_else(|| not_found(format!("there is no resource `{uri}`")))?;
            let handle: Handle = handle.parse().map_err(|error| not_found(format!("{error}")))?;
            if !of.session.permissions.allow("expand", &handle.to_string()) {
                let what = format!("a permission rule forbids to expand `{handle}` unasked");
                return Err(ErrorData::invalid_request(what, None));
            }
            let content = of.session.content(handle).ok_or_else(|| {
                not_found(format!("nothing is kept under `{handle}`; do what gave it again"))
            })?;
            ResourceContents::text(content, uri)
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn report(of: &ClientSession) -> SessionReport {
    let session = &of.session;
    let roots = session.roots().all().map(|root| root.path().display().to_string()).collect();
    let files: BTreeMap<String, u32> = session
        .reads
        .all(&session.roots())
        .into_iter()
        .map(|path| {
            let count = session.read_count(&path);
            (path, count)
        })
        .collect();
    let counts = of.counts.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let duplicates = Duplicates {
        remembered: session.duplicates.count(),
        all_sessions: session.toolbox().call_statistics(),
    };
    SessionReport::new(session.id().to_owned(), roots, &counts, files, duplicates)
        .with_indexer(session.toolbox().index.indexer_state())
}
