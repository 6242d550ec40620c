//! One call of a tool for a person at a shell: a session of its own, to which nothing was shown.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use foveal_tools::control::Progress;
use foveal_tools::{Answer, Control, Request, Session, Toolbox};
use serde_json::{Value, json};

use crate::environment::Environment;
use crate::exit_code;
use crate::interrupt;
use crate::notice;
use crate::rules::{can_ask, control, place_of};
use crate::status_line::StatusLine;
use crate::toolbox::Opener;

/// The tools on the folder of a path, and that path.
pub(crate) struct PathTools {
    tools: Tools,
    /// From the folder on.
    pub(crate) path: String,
    asks: bool,
}

/// How a call ended.
pub(crate) enum Ended {
    /// With an answer that is no error.
    Answered(Box<Answer>),
    /// The user stopped it, which was said.
    Stopped(ExitCode),
}

impl PathTools {
    /// The tools for the file or folder at `path`: on the current folder where it is in there,
    /// so that paths read as the user writes them; else on the folder it is in.
    ///
    /// # Errors
    /// If there is no such file, or the user's settings cannot be used.
    pub(crate) fn of(path: &Path, environment: &Environment) -> anyhow::Result<Self> {
        let (place, path) = place_of(path)?;
        let toolbox = Opener::new(environment)?.open_for_person(&place)?;
        Ok(Self { tools: Tools(toolbox), path, asks: can_ask(environment) })
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// What the tool says, if it fails.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<Ended> {
        let cancel = &interrupt::listen();
        let session = Session::new(&self.tools.0, name());
        let line = StatusLine::start();
        let progress = |progress: Progress| line.show(&progress);
        let control = Control { progress: &progress, ..control(cancel, self.asks) };
        let answer = session.call(&Request::new(tool, arguments), &control);
        line.end();
        if cancel.is_cancelled() {
            notice::say("stopped");
            return Ok(Ended::Stopped(ExitCode::from(exit_code::INTERRUPTED)));
        }
        if answer.is_error {
            bail!("{}", answer.text.trim_end());
        }
        Ok(Ended::Answered(Box::new(answer)))
    }
}

/// Tools whose store is looked after once the answer is shown: the process ends before anything
/// beside it is done.
struct Tools(Arc<Toolbox>);

impl Drop for Tools {
    fn drop(&mut self) {
        // What cannot be removed now is removed the next time.
        drop(self.0.collect());
    }
}

/// What the names of these sessions begin with.
const KIND: &str = "shell ";

/// Hex digits of such a name.
const NAME_DIGITS: usize = 12;

/// A name that no other session has.
fn name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let hash = blake3::hash(format!("{} {}", now.as_nanos(), std::process::id()).as_bytes());
    format!("{KIND}{}", &hash.to_hex()[..NAME_DIGITS])
}

/// Whether a session of this name is one call of a person at a shell.
pub(crate) fn is_one_call(session: &str) -> bool {
    session.starts_with(KIND)
}

/// An answer as JSON.
pub(crate) fn as_json(answer: &Answer) -> Value {
    let images = answer
        .images
        .iter()
        .map(|image| json!({ "media_type": image.media_type, "bytes": image.bytes.len() }));
    let shaped = answer.shaped.map(|(kind, handle)| json!({ "kind": kind, "handle": handle }));
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
