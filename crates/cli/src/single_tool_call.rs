//! A single tool call from a shell, in a new session without visible content.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use foveal_tools::call_control::CallProgress;
use foveal_tools::session::PassthroughShaper;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession, Toolbox};
use foveal_workspace::file_search::{PatternError, PatternRemedy};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::exit_code;
use crate::interrupt;
use crate::notice;
use crate::permission_checker::{call_control, can_ask_user, locate_path};
use crate::status_line::StatusLine;
use crate::toolbox::ToolboxFactory;

/// The tools for the folder of a path, with the path relative to it.
pub(crate) struct PathTools {
    toolbox: SelfCleaningToolbox,
    /// The path, relative to the folder.
    pub(crate) path: String,
    form: ToolAnswerForm,
    can_ask: bool,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolAnswerForm {
    /// As a model is sent it.
    Shaped,
    /// Everything that was found, which is not stored.
    Complete,
}

/// The outcome of a call.
pub(crate) enum SingleCallOutcome {
    /// A successful answer.
    Answered(Box<ToolCallAnswer>),
    /// The user stopped the call, and was told so.
    Stopped(ExitCode),
}

impl PathTools {
    /// Opens the tools for the file or folder at `path`: on the current folder if it contains the
    /// path, so that paths read as the user writes them; otherwise on the folder of the path.
    ///
    /// # Errors
    /// If there is no such file, or the user's settings are invalid.
    pub(crate) fn open(
        path: &Path,
        form: ToolAnswerForm,
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        let (place, path) = locate_path(path)?;
        let factory = ToolboxFactory::new(environment)?;
        let factory = match form {
            ToolAnswerForm::Shaped => factory,
            ToolAnswerForm::Complete => factory.without_stored_contents(),
        };
        let toolbox = SelfCleaningToolbox(factory.open_for_single_call(&place)?);
        Ok(Self { toolbox, path, form, can_ask: can_ask_user(environment) })
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// If the tool fails, with its message.
    pub(crate) fn call_tool(
        &self,
        tool: &str,
        arguments: Value,
    ) -> anyhow::Result<SingleCallOutcome> {
        let (toolbox, name) = (&self.toolbox.0, new_session_name());
        let session = match self.form {
            ToolAnswerForm::Shaped => ToolSession::new(toolbox, name),
            ToolAnswerForm::Complete => {
                ToolSession::with_shaper(toolbox, name, Box::new(PassthroughShaper))
                    .with_hit_limit(HITS_MAX)
            }
        };
        let cancel = &interrupt::cancel_on_ctrl_c();
        let line = StatusLine::new();
        let progress = |progress: CallProgress| line.show_progress(&progress);
        let control = CallControl { progress: &progress, ..call_control(cancel, self.can_ask) };
        let answer = session.call(&ToolRequest::new(tool, arguments), &control);
        line.hide_line();
        if cancel.is_cancelled() {
            notice::print_notice("stopped");
            return Ok(SingleCallOutcome::Stopped(ExitCode::from(exit_code::INTERRUPTED)));
        }
        if let Some(PatternError { why, remedy }) = answer.pattern_error.as_deref() {
            let remedy = match remedy {
                PatternRemedy::Multiline => "use `-U` to match across lines",
                PatternRemedy::Shorten => "shorten it",
                PatternRemedy::Literal => {
                    "use `-F` to search for the exact text, or put `\\` before the special character"
                }
            };
            bail!("the pattern is not a valid regular expression: {why}\n{remedy}");
        }
        if answer.is_error {
            bail!("{}", answer.text.trim_end());
        }
        Ok(SingleCallOutcome::Answered(Box::new(answer)))
    }
}

/// A toolbox that cleans up its store when it is dropped, after the answer was printed.
struct SelfCleaningToolbox(Arc<Toolbox>);

impl Drop for SelfCleaningToolbox {
    fn drop(&mut self) {
        // The next run removes what this one cannot.
        drop(self.0.collect());
    }
}

/// Hits of a complete answer; more are counted.
pub(crate) const HITS_MAX: usize = 100_000;

/// Prefix of the names of these sessions.
const SHELL_SESSION_PREFIX: &str = "shell ";

/// Hex digits of a session name.
const NAME_DIGITS: usize = 12;

/// Returns a unique session name.
fn new_session_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let hash = blake3::hash(format!("{} {}", now.as_nanos(), std::process::id()).as_bytes());
    format!("{SHELL_SESSION_PREFIX}{}", &hash.to_hex()[..NAME_DIGITS])
}

/// Returns true if a session of this name is a single call from a shell.
pub(crate) fn is_single_call_session(session: &str) -> bool {
    session.starts_with(SHELL_SESSION_PREFIX)
}

/// Returns an answer as JSON.
pub(crate) fn answer_to_json(answer: &ToolCallAnswer) -> Value {
    let images = answer
        .images
        .iter()
        .map(|image| json!({ "media_type": image.media_type, "bytes": image.bytes.len() }));
    let shaped = answer.reduction.map(|(kind, handle)| json!({ "kind": kind, "handle": handle }));
    let mut all = json!({ "text": answer.text, "shaped": shaped });
    if let Some(by) = &answer.chosen_by {
        all["curated"] = json!(by);
    }
    if !answer.images.is_empty() {
        all["images"] = images.collect();
    }
    if let Some(Value::Object(more)) = &answer.structured {
        more.iter().for_each(|(name, value)| all[name] = value.clone());
    }
    all
}
