//! Outcomes of edits by their results.

use super::*;
use crate::{WriteChange, WriteTarget};

#[test]
fn an_edit_is_done_unless_its_result_reports_a_failure() {
    let change = WriteChange::Replace { old: "a".into(), new: "b".into(), all: false };
    let write = WriteTarget { path: "/w/a.rs".into(), change };
    let effect = Effect { kind: EffectKind::Edit, writes: vec![write], ..Effect::default() };
    for (content, expected) in [
        ("The file /w/a.rs has been updated successfully.", CallOutcome::Done),
        ("Successfully replaced text in a.rs", CallOutcome::Done),
        ("[File: /w/a.rs (9 lines total)]\n1:b", CallOutcome::Done),
        ("", CallOutcome::Done),
        ("See below.", CallOutcome::Done),
        ("ERROR:\nNo replacement was performed, old_str did not", CallOutcome::Refused),
        ("ERROR:\nupdated too late", CallOutcome::Refused),
        ("The user doesn't want to proceed with this tool use.", CallOutcome::Refused),
        ("The user denied this operation.", CallOutcome::Refused),
        ("Error: old_string is not unique in the file", CallOutcome::Refused),
        ("Found 3 matches of the string to replace", CallOutcome::Refused),
        ("Failed to edit, expected 1 occurrence but found 2", CallOutcome::Refused),
        ("Invalid `new_str` parameter", CallOutcome::Refused),
        ("User rejected the changes to the file.", CallOutcome::Refused),
    ] {
        let result = ToolResult { call: "1".into(), content: content.into(), is_error: false };
        assert_eq!(call_outcome(&effect, &result), expected, "{content}");
    }
}
