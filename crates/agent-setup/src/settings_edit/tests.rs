//! Edits of settings can be taken back, and preserve all else.

use super::*;
use crate::client_agents::{ClientAgent, HookPlace};
use proptest::prelude::*;
use serde_json::json;

fn edits() -> [SettingsEdit; 4] {
    let entry = json!({ "command": "/b/foveal", "args": ["mcp"], "env": {} });
    let second = json!({ "type": "local", "command": ["/b/foveal", "mcp"] });
    let command = || "/b/foveal".to_owned();
    let server = |keys, entry| SettingsEdit::JsonServer { keys, entry, profile: None };
    [
        server(vec!["mcpServers"], entry),
        server(vec!["mcp", "servers"], second),
        SettingsEdit::Hooks { format: claude_code_hooks(), command: command() },
        SettingsEdit::TomlServer {
            key: "mcp_servers",
            command: command(),
            arguments: vec!["mcp"],
            profile: None,
        },
    ]
}

fn claude_code_hooks() -> HookSettingsFormat {
    let client = ClientAgent::from_agent_name("claude-code").expect("a row");
    match client.hook.as_ref().expect("a hook").place {
        HookPlace::Settings { format, .. } => format,
        HookPlace::Plugin { .. } => panic!("Claude Code has no plugin"),
    }
}

/// Checks that an edit is applied once, that it can be taken back, and that all else is preserved.
fn holds(edit: &SettingsEdit, text: &str) {
    let Ok(Some(with)) = edit.apply(text) else { return };
    assert_eq!(edit.apply(&with), Ok(None), "{text:?} to {with:?}");
    assert_eq!(edit.installed_program(&with).as_deref(), Some("/b/foveal"), "{with:?}");
    let without = edit.remove(&with).expect("it was understood").expect("it was there");
    assert_eq!(edit.remove(&without), Ok(None), "{without:?}");
    assert_eq!(edit.installed_program(&without), None, "{without:?}");
    // The kind of white space does not matter; comments do.
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|sign: char| !sign.is_alphanumeric());
        words.filter(|word| word.starts_with("own")).map(str::to_owned).collect()
    };
    assert_eq!(words(&with), words(text), "{text:?} to {with:?}");
    assert_eq!(words(&without), words(text), "{text:?} to {without:?}");
}

fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("\"own1\"".to_owned()),
        Just("null".to_owned()),
        Just("{}".to_owned()),
        Just("[ ]".to_owned()),
        Just("{ /* own2 */ }".to_owned()),
        Just("\"foveal\"".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = proptest::sample::select(
            &["own3", "mcp", "mcpServers", "servers", "hooks", "PostToolUse", "foveal", "command"]
                [..],
        );
        let space =
            proptest::sample::select(&["", " ", "\n", "\r\n\t", " // own4\n", "/* own5 */"][..]);
        let end = proptest::sample::select(&["", ","][..]);
        prop_oneof![
            (proptest::collection::vec((key, inner.clone(), space.clone()), 0..4), end).prop_map(
                |(all, end)| {
                    let all: Vec<String> = all
                        .iter()
                        .map(|(key, value, space)| format!("{space}\"{key}\":{space}{value}"))
                        .collect();
                    let end = if all.is_empty() { "" } else { end };
                    format!("{{{}{end}\n}}", all.join(","))
                }
            ),
            (proptest::collection::vec(inner, 0..3), space)
                .prop_map(|(all, space)| format!("[{space}{}]", all.join(", "))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_added_can_be_taken_out(text in json_text(), mark in "\u{feff}?", end in "(\n|\r\n|// own6\n)?") {
        let text = format!("{mark}{text}{end}");
        edits().iter().for_each(|edit| holds(edit, &text));
    }

    #[test]
    fn tables_can_be_taken_out(lines in proptest::collection::vec(proptest::sample::select(&[
        "own1 = 1 # own2", "[own3]", "[mcp_servers.own4]", "# own5", "command = 'own6'", "", "[[own7]]",
        "mcp_servers = { own8 = { command = 'x' } }", "[mcp_servers]", "mcp_servers.own9.command = 'y'",
    ][..]), 0..8)) {
        holds(&edits()[3], &lines.join("\n"));
    }

    #[test]
    fn no_text_is_too_strange(text in "(mcpServers|mcp|hooks|PostToolUse|foveal|command|\\{|\\}|\\[|\\]|:|,|\"|=|//|/\\*|\\*/|#|\n|\\\\|u12|1e|.){0,30}") {
        for edit in edits() {
            let _ = edit.apply(&text);
            let _ = edit.remove(&text);
            let _ = edit.installed_program(&text);
        }
    }
}
