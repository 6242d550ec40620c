use foveal_engine::message_shape::ShapeKind;
use foveal_transcript::Handle;

use super::*;

#[test]
fn a_report_sums_up_calls() {
    let mut counts = CallCounts::default();
    let answer = |text: &str| ToolCallAnswer { text: text.to_owned(), ..ToolCallAnswer::default() };
    counts.record_call("read_file", &answer("0123456789"), None);
    let shaped = Some((ShapeKind::Excerpt, Handle::from_content(b"whole")));
    let shortened = ToolCallAnswer { reduction: shaped, cached: true, ..answer("01234") };
    counts.record_call("read_file", &shortened, Some(&"x".repeat(105)));
    counts.record_call("no such tool", &ToolCallAnswer { is_error: true, ..answer("no") }, None);
    let files = BTreeMap::from([("src/a.rs".to_owned(), 2)]);
    let all_sessions = CallStatistics { looked_up: 3, hits: 1, misses: 2, ..Default::default() };
    let duplicates = DuplicateCallReport { remembered: 2, all_sessions };
    let roots = vec!["/work".to_owned()];
    let report = SessionReport::new("s".to_owned(), roots, &counts, files, duplicates);
    let expected = "\
# This session

Session `s` on /work.

Calls: 3, 1 of them answered from an earlier one. Bytes sent: 17 (tokens: about 6); bytes left out: 100 (tokens: about 29).

| tool | calls | cached | failed | shortened | bytes | left out |
|---|---|---|---|---|---|---|
| (unknown) | 1 | 0 | 1 | 0 | 2 | 0 |
| read_file | 2 | 1 | 0 | 1 | 15 | 100 |

Repeated calls: remembered of this session: 2. In all sessions (0) since the server was started: repeated an earlier one, reads included: 0; remembered: 0; looked up: 3; answered from an earlier one: 1 (bytes: 0); new: 2 (asked again at once: 0, too old: 0); refused since something had changed: 0; not looked up: 0.

Files read since they were last written here:

- src/a.rs (2)
";
    assert_eq!(report.to_markdown(), expected);
    let json: serde_json::Value =
        serde_json::from_str(&report.to_json()).expect("a report is JSON");
    assert_eq!(json["all"]["bytes_left_out"], 100);
    assert_eq!(json["files_read"]["src/a.rs"], 2);
    assert_eq!(json["duplicates"]["all_sessions"]["misses"], 2);
}
