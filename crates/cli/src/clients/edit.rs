//! What is changed in a file of settings. All else in it stays as it is, to the byte.

use serde_json::Value;

use super::{NAME, PROFILE, hooks, json, toml};

/// A change of a file of settings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Edit {
    /// A server in JSON: our entry in the object that `keys` lead to.
    Server {
        /// From the outside in.
        keys: Vec<&'static str>,
        /// Our entry.
        entry: Value,
        /// The profile that an entry of ours that is there gets; `None`: it keeps what it has.
        profile: Option<&'static str>,
    },
    /// A server in TOML.
    Table {
        /// The table of servers.
        key: &'static str,
        /// The program.
        command: String,
        /// What it is started with.
        arguments: Vec<&'static str>,
        /// The profile that a table of ours that is there gets; `None`: it keeps what it has.
        profile: Option<&'static str>,
    },
    /// Claude Code's hooks.
    Hooks {
        /// The program.
        command: String,
    },
}

/// Why a file is left alone.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum EditError {
    /// It is not what it should be.
    #[error("line {line}: {what}: correct it, then run this again")]
    Broken {
        /// From 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// Something is of another kind than the client says.
    #[error("`{key}` is not {expected}: correct it, then run this again")]
    Kind {
        /// Where.
        key: String,
        /// What it should be.
        expected: &'static str,
    },
    /// There is an entry of this name that is not ours.
    #[error("`{NAME}` is another program there: give that one another name, then run this again")]
    Taken,
}

impl Edit {
    /// The text with our entry; `None` if it is there.
    ///
    /// # Errors
    /// If the text cannot be understood, or the place is taken.
    pub(crate) fn apply(&self, text: &str) -> Result<Option<String>, EditError> {
        let (mark, text) = marked(text);
        let changed = match self {
            Self::Server { keys, entry, profile } => json::add(text, keys, entry, *profile)?,
            Self::Table { key, command, arguments, profile } => {
                toml::add(text, key, command, arguments, *profile)?
            }
            Self::Hooks { command } => hooks::add(text, command)?,
        };
        Ok(changed.map(|changed| format!("{mark}{changed}")))
    }

    /// The text without our entry; `None` if there is none.
    ///
    /// # Errors
    /// If the text cannot be understood.
    pub(crate) fn remove(&self, text: &str) -> Result<Option<String>, EditError> {
        let (mark, text) = marked(text);
        let changed = match self {
            Self::Server { keys, .. } => json::remove(text, keys)?,
            Self::Table { key, .. } => toml::remove(text, key)?,
            Self::Hooks { .. } => hooks::remove(text)?,
        };
        Ok(changed.map(|changed| format!("{mark}{changed}")))
    }

    /// Whether there is an entry of ours that the agent does not start, for it is switched off.
    pub(crate) fn is_off(&self, text: &str) -> bool {
        let (_, text) = marked(text);
        let entry = match self {
            Self::Server { keys, .. } => json::entry(text, keys),
            Self::Table { key, .. } => toml::entry(text, key),
            Self::Hooks { .. } => None,
        };
        entry.is_some_and(|entry| entry["disabled"] == true || entry["enabled"] == false)
    }

    /// The program that our entry starts; `None` if there is no entry of ours.
    pub(crate) fn program(&self, text: &str) -> Option<String> {
        let (_, text) = marked(text);
        match self {
            Self::Server { keys, .. } => json::program(text, keys),
            Self::Table { key, .. } => toml::program(text, key),
            Self::Hooks { .. } => hooks::program(text),
        }
    }
}

/// Whether a command is this program.
pub(super) fn is_ours(command: &str) -> bool {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    name == NAME || name == "foveal.exe"
}

/// Arguments with this profile in the place of another.
pub(super) fn with_profile(arguments: &[&str], profile: &str) -> Vec<String> {
    let mut kept = Vec::new();
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        match *argument {
            PROFILE => drop(left.next()),
            known if known.starts_with(PROFILE) && known[PROFILE.len()..].starts_with('=') => {}
            other => kept.push(other.to_owned()),
        }
    }
    kept.extend([PROFILE.to_owned(), profile.to_owned()]);
    kept
}

/// The byte order mark, and what is after it.
fn marked(text: &str) -> (&str, &str) {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split_at(text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn edits() -> [Edit; 4] {
        let entry = json!({ "command": "/b/foveal", "args": ["mcp"], "env": {} });
        let second = json!({ "type": "local", "command": ["/b/foveal", "mcp"] });
        let command = || "/b/foveal".to_owned();
        let server = |keys, entry| Edit::Server { keys, entry, profile: None };
        [
            server(vec!["mcpServers"], entry),
            server(vec!["mcp", "servers"], second),
            Edit::Hooks { command: command() },
            Edit::Table {
                key: "mcp_servers",
                command: command(),
                arguments: vec!["mcp"],
                profile: None,
            },
        ]
    }

    /// What is added is there, once; what is taken out is gone; all else stays.
    fn holds(edit: &Edit, text: &str) {
        let Ok(Some(with)) = edit.apply(text) else { return };
        assert_eq!(edit.apply(&with), Ok(None), "{text:?} to {with:?}");
        assert_eq!(edit.program(&with).as_deref(), Some("/b/foveal"), "{with:?}");
        let without = edit.remove(&with).expect("it was understood").expect("it was there");
        assert_eq!(edit.remove(&without), Ok(None), "{without:?}");
        assert_eq!(edit.program(&without), None, "{without:?}");
        // Of which kind spaces are is no more than form; comments are not.
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
                &[
                    "own3",
                    "mcp",
                    "mcpServers",
                    "servers",
                    "hooks",
                    "PostToolUse",
                    "foveal",
                    "command",
                ][..],
            );
            let space = proptest::sample::select(
                &["", " ", "\n", "\r\n\t", " // own4\n", "/* own5 */"][..],
            );
            let end = proptest::sample::select(&["", ","][..]);
            prop_oneof![
                (proptest::collection::vec((key, inner.clone(), space.clone()), 0..4), end)
                    .prop_map(|(all, end)| {
                        let all: Vec<String> = all
                            .iter()
                            .map(|(key, value, space)| format!("{space}\"{key}\":{space}{value}"))
                            .collect();
                        let end = if all.is_empty() { "" } else { end };
                        format!("{{{}{end}\n}}", all.join(","))
                    }),
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
                let _ = edit.program(&text);
            }
        }
    }
}
