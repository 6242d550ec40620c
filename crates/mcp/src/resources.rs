//! MCP resources: content behind handles, and the session report.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use foveal_transcript::Handle;
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::session_report::{DuplicateCallReport, SessionReport};
use crate::sessions::ClientSession;

const CONTENT_URI: &str = "foveal://content/";
const REPORT_URI: &str = "foveal://session";
const REPORT_JSON_URI: &str = "foveal://session.json";

/// Returns the resources that always exist.
pub(crate) fn fixed_resources() -> Vec<Resource> {
    vec![
        Resource::new(REPORT_URI, "session")
            .with_description("What this session did: calls, what was left out, files read.")
            .with_mime_type("text/markdown"),
        Resource::new(REPORT_JSON_URI, "session.json")
            .with_description("The same as data.")
            .with_mime_type("application/json"),
    ]
}

/// Returns the templates of the resources that exist per handle.
pub(crate) fn resource_templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{CONTENT_URI}{{handle}}"), "content")
            .with_description("What was left out of an answer, by the handle in its note.")
            .with_mime_type("text/plain"),
    ]
}

/// Reads a resource of a session. Blocks.
///
/// # Errors
/// If the URI is unknown, its content is not stored, or a permission rule forbids it.
pub(crate) fn read_resource(
    of: &ClientSession,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let not_found = |what: String| ErrorData::resource_not_found(what, None);
    let contents = match uri {
        REPORT_URI => ResourceContents::text(build_report(of).to_markdown(), uri)
            .with_mime_type("text/markdown"),
        REPORT_JSON_URI => ResourceContents::text(build_report(of).to_json(), uri)
            .with_mime_type("application/json"),
        _ => {
            let handle = uri
                .strip_prefix(CONTENT_URI)
                .ok_or_else(|| not_found(format!("there is no resource `{uri}`")))?;
            let handle: Handle = handle.parse().map_err(|error| not_found(format!("{error}")))?;
            if !of.session.permissions.permits("expand", &handle.to_string()) {
                let what = format!("a permission rule forbids to expand `{handle}` unasked");
                return Err(ErrorData::invalid_request(what, None));
            }
            let content = of.session.content(handle).ok_or_else(|| {
                not_found(format!(
                    "no content is stored under `{handle}`: repeat the call whose answer named it"
                ))
            })?;
            ResourceContents::text(content, uri)
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn build_report(of: &ClientSession) -> SessionReport {
    let session = &of.session;
    let roots = session.roots().all().map(|root| root.path().display().to_string()).collect();
    let files: BTreeMap<String, u32> = session
        .reads
        .read_paths(&session.roots())
        .into_iter()
        .map(|path| {
            let count = session.read_count(&path);
            (path, count)
        })
        .collect();
    let counts = of.counts.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let duplicates = DuplicateCallReport {
        remembered: session.duplicates.call_count(),
        all_sessions: session.toolbox().call_statistics(),
    };
    SessionReport::new(session.id().to_owned(), roots, &counts, files, duplicates)
        .with_indexer(session.toolbox().index.indexer_state())
}
