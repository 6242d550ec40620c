//! The answer limit of each client: how much of an answer it shows its model without a cut.

use foveal_engine::output_budget::OutputBudget;
use foveal_pricing::tokens::Tokens;
use foveal_tools::settings::ToolSettings;

use crate::settings::McpSettings;

/// Prefix of Claude Code's client name.
const CLAUDE_CODE_PREFIX: &str = "claude-code";

/// Characters for an unknown client; all known clients but one show as many.
const UNKNOWN_CLIENT_CHARS: usize = 24_000;

/// Lines of an answer: opencode cuts after 2,000.
const ANSWER_LINES_MAX: usize = 1_900;

/// The fraction of the allowed tokens that is used, since the estimate may be slightly low.
const TOKEN_LIMIT_FRACTION: f64 = 0.95;

/// Claude tokens per estimated token: the user's limit is counted by the client.
const CLAUDE_TOKENS_PER_ESTIMATE: f64 = 1.25;

/// Returns the output budget for the client of this name.
pub(crate) fn output_budget_for(
    client: Option<&str>,
    server: &McpSettings,
    settings: &ToolSettings,
) -> OutputBudget {
    let name = client.unwrap_or_default().to_lowercase();
    let told = server.claude_code_tokens.filter(|_| name.starts_with(CLAUDE_CODE_PREFIX));
    let told = told.map_or(f64::INFINITY, |tokens| f64::from(tokens) / CLAUDE_TOKENS_PER_ESTIMATE);
    let known = server.client_limits.iter().find(|client| name.starts_with(client.name_prefix));
    let characters = known.map_or(UNKNOWN_CLIENT_CHARS, |known| known.characters);
    OutputBudget {
        tokens: Tokens((f64::from(settings.answer_tokens).min(told) * TOKEN_LIMIT_FRACTION) as u64),
        // No text has more characters than bytes. For a known client the user's setting can lower
        // the limit but not raise it.
        bytes: match (settings.answer_bytes, known) {
            (Some(bytes), Some(_)) => bytes.min(characters),
            (Some(bytes), None) => bytes,
            (None, _) => characters,
        },
        lines: ANSWER_LINES_MAX,
        is_json: known.is_some_and(|known| known.is_json),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use foveal_tools::tool_table::ToolSet;

    use super::*;
    use crate::settings::ClientLimit;

    const CLAUDE_CODE: ClientLimit =
        ClientLimit { name_prefix: CLAUDE_CODE_PREFIX, characters: 100_000, is_json: false };
    const CODEX: ClientLimit =
        ClientLimit { name_prefix: "codex", characters: 40_000, is_json: false };
    const CLINE: ClientLimit =
        ClientLimit { name_prefix: "@cline", characters: 7_600, is_json: true };

    fn server(claude_code_tokens: Option<u32>) -> McpSettings {
        let settings = McpSettings::new(ToolSet::Full, PathBuf::new());
        McpSettings {
            claude_code_tokens,
            client_limits: vec![CLAUDE_CODE, CODEX, CLINE],
            ..settings
        }
    }

    #[test]
    fn each_client_has_its_own_room_and_an_unknown_one_little() {
        let settings = ToolSettings::default();
        let bytes = |name| output_budget_for(name, &server(Some(2_000)), &settings).bytes;
        assert_eq!(bytes(Some("@cline/core")), 7_600);
        assert_eq!(bytes(Some("Codex-MCP-Client")), 40_000);
        assert_eq!(bytes(Some("another")), 24_000);
        assert_eq!(bytes(None), 24_000);
    }

    #[test]
    fn what_the_user_sets_counts_more_than_what_is_known() {
        let settings =
            ToolSettings { answer_tokens: 1_000, answer_bytes: Some(5_000), ..Default::default() };
        let room = output_budget_for(Some("claude-code"), &server(None), &settings);
        assert_eq!((room.tokens, room.bytes), (Tokens(950), 5_000));
    }

    #[test]
    fn what_claude_code_is_told_to_show_bounds_its_answers_and_no_others() {
        let settings = ToolSettings::default();
        let tokens = |name, told| output_budget_for(Some(name), &server(told), &settings).tokens;
        assert_eq!(tokens("claude-code", Some(2_000)), Tokens(1_520));
        assert_eq!(tokens("claude-code", Some(25_000)), Tokens(7_600));
        assert_eq!(tokens("codex", Some(2_000)), Tokens(7_600));
        assert_eq!(tokens("claude-code", None), Tokens(7_600));
    }
}
