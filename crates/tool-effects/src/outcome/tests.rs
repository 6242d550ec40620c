//! Outcomes of edits by their results.

use super::*;
use crate::{WriteChange, WriteTarget};

#[test]
fn only_what_is_said_to_be_done_is_confirmed() {
    let change = WriteChange::Replace { old: "a".into(), new: "b".into(), all: false };
    let write = WriteTarget { path: "/w/a.rs".into(), change };
    let effect = Effect { kind: EffectKind::Edit, writes: vec![write], ..Effect::default() };
    for (content, expected) in [
        ("The file /w/a.rs has been updated successfully.", (CallOutcome::Done, true)),
        ("Successfully replaced text in a.rs", (CallOutcome::Done, true)),
        ("[File: /w/a.rs (9 lines total)]\n1:b", (CallOutcome::Done, true)),
        ("", (CallOutcome::Done, false)),
        ("See below.", (CallOutcome::Done, false)),
        ("ERROR:\nNo replacement was performed, old_str did not", (CallOutcome::Refused, false)),
        ("ERROR:\nupdated too late", (CallOutcome::Refused, false)),
        ("The user doesn't want to proceed with this tool use.", (CallOutcome::Refused, false)),
        ("The user denied this operation.", (CallOutcome::Refused, false)),
        ("Error: old_string is not unique in the file", (CallOutcome::Refused, false)),
        ("Found 3 matches of the string to replace", (CallOutcome::Refused, false)),
        ("Failed to edit, expected 1 occurrence but found 2", (CallOutcome::Refused, false)),
        ("Invalid `new_str` parameter", (CallOutcome::Refused, false)),
        ("User rejected the changes to the file.", (CallOutcome::Refused, false)),
    ] {
        let result = ToolResult { call: "1".into(), content: content.into(), is_error: false };
        let seen = (call_outcome(&effect, &result), is_edit_confirmed(&effect, &result));
        assert_eq!(seen, expected, "{content}");
    }
}
