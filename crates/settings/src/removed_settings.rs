//! Removed settings, with advice for their users.

/// A removed setting.
struct RemovedKey {
    /// The names of its tables and its own, joined by dots.
    name: &'static str,
    /// The advice for its users.
    advice: &'static str,
}

static REMOVED_KEYS: [RemovedKey; 5] = [
    RemovedKey { name: "duplicates.threshold", advice: SIMILAR_CALLS },
    RemovedKey { name: "gist_model", advice: TURN_SUMMARIES },
    RemovedKey { name: "gateway.expand", advice: EXPAND_TOOL },
    RemovedKey { name: "gateway.shorten_tools", advice: TOOL_DEFINITIONS },
    RemovedKey { name: "gateway.rules.shorten_tools", advice: TOOL_DEFINITIONS },
];

const TOOL_DEFINITIONS: &str =
    "remove it; agents load definitions of tools on demand themselves, as far as they can";

const EXPAND_TOOL: &str = "remove it; a model runs `foveal expand HANDLE`, which notes name, or \
                           calls the tool `expand` of `foveal mcp`";

const SIMILAR_CALLS: &str =
    "remove it; only calls with the same arguments are answered from memory";

const TURN_SUMMARIES: &str = "remove it; where a prompt stays too long, `foveal run` and `foveal \
                              chat` leave the oldest messages out at the model's window";

/// The removed value of `curator_model` that stood for the model of an agent that calls `foveal
/// mcp`.
pub(crate) const CLIENT_MODEL: &str = "client";

/// The advice about [`CLIENT_MODEL`].
pub(crate) const CLIENT_MODEL_ADVICE: &str = "curator_model = \"client\" no longer exists: name a model of yours, such as \
     curator_model = \"ollama:qwen3\", or remove the line";

/// Returns a sentence of advice about a removed setting.
pub fn removal_advice(name: &str) -> Option<String> {
    // The table of a single tool has the names of the table for all tools.
    let of_tool = name.strip_prefix("duplicates.tools.").and_then(|name| name.split_once('.'));
    let general = of_tool.map(|(_, name)| format!("duplicates.{name}"));
    let general = general.as_deref().unwrap_or(name);
    let key = REMOVED_KEYS.iter().find(|key| key.name == general)?;
    Some(format!("`{name}` no longer exists: {}", key.advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting_keys;
    use crate::user_settings::tests::parse_toml;

    #[test]
    fn a_removed_setting_is_refused_with_advice() {
        for key in &REMOVED_KEYS {
            assert!(setting_keys::find_setting(key.name).is_none(), "{}", key.name);
            let (tables, last) = key.name.rsplit_once('.').unwrap_or(("", key.name));
            let header = match tables {
                "" => String::new(),
                "gateway.rules" => format!("[[{tables}]]\nprofile = \"max\"\n"),
                tables => format!("[{tables}]\n"),
            };
            let text = format!("{header}{last} = true\n");
            let error = format!("{:#}", parse_toml(&text).expect_err("it was removed"));
            let advice = removal_advice(key.name).expect("it was removed");
            assert!(error.contains("unknown field") && error.contains(&advice), "{error}");
        }
    }

    #[test]
    fn a_setting_that_was_removed_for_all_tools_is_refused_for_one() {
        let text = "[duplicates.tools.grep]\nthreshold = 0.5\n";
        let error = format!("{:#}", parse_toml(text).expect_err("it was removed"));
        assert!(error.contains(SIMILAR_CALLS), "{error}");
    }

    #[test]
    fn the_model_of_a_client_is_refused_with_advice() {
        let error = parse_toml("\ncurator_model = \"client\"\n").expect_err("it was removed");
        assert_eq!(error.message, CLIENT_MODEL_ADVICE);
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
