//! What every fuzz target checks; see `fuzz_targets`.

#[path = "../../crates/protocols/tests/answer_invariants.rs"]
mod answer_invariants;
#[path = "../../crates/protocols/tests/body/check.rs"]
#[expect(dead_code, reason = "entries are rendered in tests alone")]
mod body;
#[path = "../../crates/tools/tests/fuzzed.rs"]
#[expect(dead_code, reason = "the list of all is for the tests")]
mod chosen;
#[path = "../../crates/relevance/tests/fuzzed.rs"]
mod fuzzed;
#[path = "../../crates/agent-setup/tests/fuzzed.rs"]
mod hook;
#[path = "../../crates/relevance/tests/invariants.rs"]
mod invariants;
#[path = "../../crates/web/tests/fuzzed.rs"]
#[expect(dead_code, reason = "the list of all is for the tests")]
mod page;
#[path = "../../crates/mcp/tests/fuzzed.rs"]
#[expect(dead_code, reason = "the list of all is for the tests")]
mod sent;
#[path = "../../crates/syntax/tests/structure.rs"]
mod structure;

use foveal_protocols::problem::PROBLEMS_MAX;
use foveal_session_readers::{LINE_BYTES_MAX, SessionFormat};

/// Reads `data` as `format`: nothing panics, and what is read keeps its bounds.
pub fn read(format: SessionFormat, data: &[u8]) {
    assert!(data.len() < LINE_BYTES_MAX, "the fuzzer's inputs are small");
    if let Ok((sessions, problems)) =
        foveal_session_readers::read_all_sessions(format, "fuzz", data)
    {
        assert!(problems.len() <= PROBLEMS_MAX + 1);
        for conversation in sessions.iter().flat_map(|session| &session.conversations) {
            let results =
                conversation.entries().iter().filter(|entry| entry.tool_result().is_some());
            assert!(results.count() <= data.len());
        }
    }
}

/// Detects the format of `data`, and reads it as that.
pub fn detect(data: &[u8]) {
    if let Some(format) = foveal_session_readers::detect_format(data, true) {
        read(format, data);
    }
    let _ = foveal_session_readers::detect_and_read_sessions("fuzz", data, &mut |_| {});
}

/// Entities, statements, names and outline of `data`; its first byte says the language.
pub fn structure(data: &[u8]) {
    fuzzed::structure(data);
}

/// Curated views of `data` for the question after its first zero byte.
pub fn curate(data: &[u8]) {
    fuzzed::curate(data);
}

/// What relations are built from.
pub fn symbols(data: &[u8]) {
    fuzzed::symbols(data);
}

/// What is shown in colours.
pub fn highlight(data: &[u8]) {
    fuzzed::highlight(data);
}

/// Rules about the commands of a line.
pub fn commands(data: &[u8]) {
    chosen::commands(data);
}

/// Texts without their secrets.
pub fn redaction(data: &[u8]) {
    chosen::redaction(data);
}

/// Rules of ignored files.
pub fn ignore_rules(data: &[u8]) {
    chosen::ignore_rules(data);
}

/// What stands in the place of the store.
pub fn store_file(data: &[u8]) {
    chosen::store_file(data);
}

/// Pages of the web.
pub fn web_page(data: &[u8]) {
    page::web_page(data);
}

/// Lines of a client over standard input.
pub fn mcp_messages(data: &[u8]) {
    sent::mcp_messages(data);
}

/// Heads of requests over HTTP.
pub fn http_heads(data: &[u8]) {
    sent::http_heads(data);
}

/// Events of agents.
pub fn hook_input(data: &[u8]) {
    hook::hook_input(data);
}

/// Answers of model APIs.
pub fn answers(data: &[u8]) {
    answer_invariants::answers(data);
}

/// Bodies of requests to model APIs.
pub fn bodies(data: &[u8]) {
    body::bodies(data);
}
