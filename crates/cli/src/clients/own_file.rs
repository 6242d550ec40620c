//! Files all of which are ours: plugins that give foveal what an agent's own tools answer, and
//! rules that have a file of their own.

use super::entry::{EditError, NAME};
use super::rules::read_only_tools;

/// A file that is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnFile {
    OpencodePlugin,
    PiPlugin,
    GeminiRules,
}

/// What such a file begins with, after the sign of a comment.
const MARK: &str = " Written by `foveal init`";

/// Stands for the program, as a string of JavaScript.
const PROGRAM: &str = "\"@PROGRAM@\"";

/// What stands before the program in its line.
const PROGRAM_LINE: &str = "const PROGRAM = ";

/// Where a rule stands among others of the user: below what the user says without a priority.
const RULE_PRIORITY: u32 = 50;

impl OwnFile {
    /// The text of the file, for this program.
    fn text(self, program: &str) -> String {
        let plugin = match self {
            Self::OpencodePlugin => include_str!("plugins/opencode.js"),
            Self::PiPlugin => include_str!("plugins/pi.ts"),
            Self::GeminiRules => return gemini_rules(),
        };
        plugin.replace(PROGRAM, &serde_json::Value::from(program).to_string())
    }
}

fn gemini_rules() -> String {
    let tools: String = read_only_tools().map(|tool| format!("  \"{tool}\",\n")).collect();
    format!(
        "#{MARK}; `foveal init --remove gemini` takes it out again.\n\
         #\n\
         # Lets Gemini CLI use those tools of foveal without asking that only read.\n\n\
         [[rule]]\n\
         mcpName = \"{NAME}\"\n\
         toolName = [\n{tools}]\n\
         decision = \"allow\"\n\
         priority = {RULE_PRIORITY}\n"
    )
}

/// The text of the file; `None` if it is there.
pub(super) fn add(text: &str, file: OwnFile, program: &str) -> Result<Option<String>, EditError> {
    let wanted = file.text(program);
    match text {
        known if known == wanted => Ok(None),
        known if known.trim().is_empty() || is_ours(known) => Ok(Some(wanted)),
        _ => Err(EditError::Taken),
    }
}

/// Nothing in the place of the file; `None` if it is not ours.
pub(super) fn remove(text: &str) -> Option<String> {
    is_ours(text).then(String::new)
}

/// The program that a plugin starts.
pub(super) fn program(text: &str) -> Option<String> {
    let mut lines = text.lines().filter(|_| is_ours(text));
    let line = lines.find_map(|line| line.strip_prefix(PROGRAM_LINE))?;
    serde_json::from_str(line.trim_end_matches(';')).ok()
}

fn is_ours(text: &str) -> bool {
    text.trim_start_matches(['/', '#']).starts_with(MARK)
}
