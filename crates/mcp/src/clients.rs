//! How much of an answer each client shows its model before it cuts.

use foveal_context::room::Room;
use foveal_context::tokens::Tokens;
use foveal_tools::settings::ToolSettings;

/// A client, and what it leaves of a tool's answer.
#[derive(Debug)]
struct ClientLimit {
    /// How the name begins that it gives when it connects.
    name: &'static str,
    /// Characters of an answer that come whole.
    characters: usize,
    /// Whether it counts them as a string of JSON spells them.
    is_json: bool,
}

/// How Claude Code's name begins.
const CLAUDE_CODE: &str = "claude-code";

/// Seen in runs of each against a scripted model: Claude Code 2.1.330 (107,669 characters came
/// whole; it documents 25,000 tokens), Codex 0.169 (44,900), opencode 1.18 (48,000 or 2,000
/// lines), Gemini CLI 0.61 (40,000), Qwen Code 0.24 (25,600), Cline 3.0 (8,000, of the answer as
/// JSON). What they put around an answer is counted too.
const CLIENTS: [ClientLimit; 6] = [
    ClientLimit { name: CLAUDE_CODE, characters: 100_000, is_json: false },
    ClientLimit { name: "codex", characters: 40_000, is_json: false },
    ClientLimit { name: "opencode", characters: 44_000, is_json: false },
    ClientLimit { name: "gemini-cli", characters: 38_000, is_json: false },
    ClientLimit { name: "qwen", characters: 24_000, is_json: false },
    ClientLimit { name: "@cline", characters: 7_600, is_json: true },
];

/// What a client of which nothing is known is taken to show: all but one of those that are known
/// show as much.
const UNKNOWN: usize = 24_000;

/// Lines of an answer: opencode cuts after 2,000.
const LINES: usize = 1_900;

/// Of the tokens that an answer may have, those that are counted on: the estimate may be a
/// little too low.
const TOKENS_USED: f64 = 0.95;

/// Tokens of Claude's for one that is counted here: what a user bounds is counted by the client.
const CLAUDE_TOKENS: f64 = 1.25;

/// Room for an answer to the client of this name. `claude_code_tokens` are those that Claude Code
/// shows where its user said so.
pub(crate) fn room(
    client: Option<&str>,
    settings: &ToolSettings,
    claude_code_tokens: Option<u32>,
) -> Room {
    let name = client.unwrap_or_default().to_lowercase();
    let told = claude_code_tokens.filter(|_| name.starts_with(CLAUDE_CODE));
    let told = told.map_or(f64::INFINITY, |tokens| f64::from(tokens) / CLAUDE_TOKENS);
    let known = CLIENTS.iter().find(|client| name.starts_with(client.name));
    let characters = known.map_or(UNKNOWN, |known| known.characters);
    Room {
        tokens: Tokens((f64::from(settings.answer_tokens).min(told) * TOKENS_USED) as u64),
        // No text has more characters than bytes. Of a client that is known the user may have
        // less, not more than it shows.
        bytes: match (settings.answer_bytes, known) {
            (Some(bytes), Some(_)) => bytes.min(characters),
            (Some(bytes), None) => bytes,
            (None, _) => characters,
        },
        lines: LINES,
        is_json: known.is_some_and(|known| known.is_json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_room_and_an_unknown_one_little() {
        let settings = ToolSettings::default();
        let bytes = |name| room(name, &settings, Some(2_000)).bytes;
        assert_eq!(bytes(Some("@cline/core")), 7_600);
        assert_eq!(bytes(Some("Codex-MCP-Client")), 40_000);
        assert_eq!(bytes(Some("another")), 24_000);
        assert_eq!(bytes(None), 24_000);
    }

    #[test]
    fn what_the_user_sets_counts_more_than_what_is_known() {
        let settings =
            ToolSettings { answer_tokens: 1_000, answer_bytes: Some(5_000), ..Default::default() };
        let room = room(Some("claude-code"), &settings, None);
        assert_eq!((room.tokens, room.bytes), (Tokens(950), 5_000));
    }

    #[test]
    fn what_claude_code_is_told_to_show_bounds_its_answers_and_no_others() {
        let settings = ToolSettings::default();
        let tokens = |name, told| room(Some(name), &settings, told).tokens;
        assert_eq!(tokens("claude-code", Some(2_000)), Tokens(1_520));
        assert_eq!(tokens("claude-code", Some(25_000)), Tokens(7_600));
        assert_eq!(tokens("codex", Some(2_000)), Tokens(7_600));
        assert_eq!(tokens("claude-code", None), Tokens(7_600));
    }
}
