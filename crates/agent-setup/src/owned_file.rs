//! Files that foveal owns completely: plugins that pass the results of an agent's own tools to
//! foveal, and permission rules in a file of their own.

use super::foveal_entry::{EditError, NAME};
use super::permission_rules::read_only_tools;

/// A file that foveal owns completely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnedFile {
    /// A plugin with this text, in which a placeholder stands for the program.
    Plugin(&'static str),
    /// Rules in Gemini CLI's format.
    GeminiRules,
}

/// The beginning of an owned file, after the comment sign.
const MARK: &str = " Written by `foveal init`";

/// The placeholder for the program's path, as a JavaScript string.
const PROGRAM_PLACEHOLDER: &str = "\"@PROGRAM@\"";

/// The part of the program's line before its path.
const PROGRAM_LINE_PREFIX: &str = "const PROGRAM = ";

/// The priority of the permission rule, below that of the user's rules without a priority.
const RULE_PRIORITY: u32 = 50;

impl OwnedFile {
    /// Returns the content of the file for this program.
    fn render(self, program: &str) -> String {
        match self {
            Self::Plugin(template) => {
                template.replace(PROGRAM_PLACEHOLDER, &serde_json::Value::from(program).to_string())
            }
            Self::GeminiRules => gemini_rules(),
        }
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

/// Returns the content of the file; `None` if it is up to date.
pub(crate) fn updated_content(
    text: &str,
    file: OwnedFile,
    program: &str,
) -> Result<Option<String>, EditError> {
    let wanted = file.render(program);
    match text {
        known if known == wanted => Ok(None),
        known if known.trim().is_empty() || is_foveal_file(known) => Ok(Some(wanted)),
        _ => Err(EditError::NameTaken),
    }
}

/// Returns an empty text for a file that foveal owns; `None` for any other.
pub(crate) fn removed_content(text: &str) -> Option<String> {
    is_foveal_file(text).then(String::new)
}

/// Returns the program that a plugin starts.
pub(crate) fn installed_program(text: &str) -> Option<String> {
    let mut lines = text.lines().filter(|_| is_foveal_file(text));
    let line = lines.find_map(|line| line.strip_prefix(PROGRAM_LINE_PREFIX))?;
    serde_json::from_str(line.trim_end_matches(';')).ok()
}

fn is_foveal_file(text: &str) -> bool {
    text.trim_start_matches(['/', '#']).starts_with(MARK)
}
