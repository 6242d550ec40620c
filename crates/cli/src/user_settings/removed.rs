//! Settings that were removed, and what to do instead.

/// A setting that was removed.
struct RemovedKey {
    /// Its tables and its name, with dots between them.
    name: &'static str,
    /// What to do instead.
    advice: &'static str,
}

static REMOVED_KEYS: [RemovedKey; 3] = [
    RemovedKey { name: "gateway.expand", advice: EXPAND_TOOL },
    RemovedKey { name: "gateway.shorten_tools", advice: TOOL_DEFINITIONS },
    RemovedKey { name: "gateway.rules.shorten_tools", advice: TOOL_DEFINITIONS },
];

const TOOL_DEFINITIONS: &str =
    "remove it; agents load definitions of tools on demand themselves, as far as they can";

const EXPAND_TOOL: &str = "remove it; a model runs `foveal expand HANDLE`, which notes name, or \
                           calls the tool `expand` of `foveal mcp`";

/// Returns what to do about a setting that was removed, in a sentence.
pub(crate) fn advice(name: &str) -> Option<String> {
    let key = REMOVED_KEYS.iter().find(|key| key.name == name)?;
    Some(format!("`{name}` no longer exists: {}", key.advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_settings::{keys, of};

    #[test]
    fn a_removed_setting_is_refused_with_advice() {
        for key in &REMOVED_KEYS {
            assert!(keys::named(key.name).is_none(), "{}", key.name);
            let (tables, last) = key.name.rsplit_once('.').unwrap_or(("", key.name));
            let header = match tables {
                "" => String::new(),
                "gateway.rules" => format!("[[{tables}]]\nprofile = \"max\"\n"),
                tables => format!("[{tables}]\n"),
            };
            let text = format!("{header}{last} = true\n");
            let error = format!("{:#}", of(text.as_bytes()).expect_err("it was removed"));
            let advice = advice(key.name).expect("it was removed");
            assert!(error.contains("unknown field") && error.contains(&advice), "{error}");
        }
    }
}
