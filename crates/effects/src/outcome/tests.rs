//! What results say of edits.

use super::*;
use crate::{Change, WriteTarget};

#[test]
fn only_what_is_said_to_be_done_is_confirmed() {
    let change = Change::Replace { old: "a".into(), new: "b".into(), all: false };
    let write = WriteTarget { path: "/w/a.rs".into(), change };
    let effect = Effect { kind: EffectKind::Edit, writes: vec![write], ..Effect::default() };
    for (content, expected) in [
        ("The file /w/a.rs has been updated successfully.", (Outcome::Done, true)),
        ("Successfully replaced text in a.rs", (Outcome::Done, true)),
        ("[File: /w/a.rs (9 lines total)]\n1:b", (Outcome::Done, true)),
        ("", (Outcome::Done, false)),
        ("See below.", (Outcome::Done, false)),
        ("ERROR:\nNo replacement was performed, old_str did not", (Outcome::Refused, false)),
        ("ERROR:\nupdated too late", (Outcome::Refused, false)),
        ("The user doesn't want to proceed with this tool use.", (Outcome::Refused, false)),
        ("The user denied this operation.", (Outcome::Refused, false)),
        ("Error: old_string is not unique in the file", (Outcome::Refused, false)),
        ("Found 3 matches of the string to replace", (Outcome::Refused, false)),
        ("Failed to edit, expected 1 occurrence but found 2", (Outcome::Refused, false)),
        ("Invalid `new_str` parameter", (Outcome::Refused, false)),
        ("User rejected the changes to the file.", (Outcome::Refused, false)),
    ] {
        let result = ToolResult { call: "1".into(), content: content.into(), is_error: false };
        let seen = (outcome(&effect, &result), is_confirmed(&effect, &result));
        assert_eq!(seen, expected, "{content}");
    }
}
