//! What is shown of a run: as JSON all of it, a line for each event; to a person what the model
//! says last on standard output, and the rest in short on standard error.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use foveal_agent::{Outcome, SideSpent, Spent, Told, ToldIndexing};
use foveal_context::tokens::Tokens;
use foveal_context::views::ModelWork;
use foveal_screen::in_one_line;
use foveal_screen::numbers::count;
use foveal_transcript::Call;
use serde::Serialize;

use crate::commands::own_agent::subject;
use crate::notice;
use crate::numbers::{dollars, plural, tokens};
use crate::output;

/// Characters of a text on its way that are shown.
const SHOWN_CHARS_MAX: usize = 200;

/// Shows a run.
pub(super) struct Show {
    json: bool,
    /// What the model said since the last call or request.
    text: String,
    /// What the session is called, where it is kept.
    session: Option<String>,
    /// When the calls began that are not answered yet.
    begun: HashMap<String, Instant>,
    /// Since when a model reads files into the index, and how far it was then.
    indexing: Option<(Instant, ToldIndexing)>,
    indexed: ToldIndexing,
}

impl Show {
    /// Shows a run, which is kept in the session of this name.
    pub(super) fn new(json: bool, session: Option<String>) -> Self {
        let (text, begun, indexed) = (String::new(), HashMap::new(), ToldIndexing::default());
        Self { json, text, session, begun, indexing: None, indexed }
    }

    /// Shows what happened.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn tell(&mut self, told: &Told) -> anyhow::Result<()> {
        if let Told::Call { id, .. } = told {
            self.begun.insert(id.clone(), Instant::now());
        }
        let took = match told {
            Told::Result { id, .. } => self.begun.remove(id).map(|begun| begun.elapsed()),
            _ => None,
        };
        if self.json {
            return print_json(told, took);
        }
        match told {
            Told::Text { text } => self.text.push_str(text),
            Told::Again { why, wait_ms, .. } => {
                self.text.clear();
                notice::say(format_args!("asks again in {:.1} s: {why}", *wait_ms as f64 / 1e3));
            }
            Told::Call { id, name, arguments } => {
                let said = std::mem::take(&mut self.text);
                if !said.trim().is_empty() {
                    notice::say(short(said.trim()));
                }
                let (id, name, arguments) = (id.clone(), name.clone(), arguments.clone());
                let call = Call { id, name, arguments };
                notice::say(format_args!("· {} {}", short(&call.name), short(&subject(&call))));
            }
            Told::Result { name, is_error, cached, text, .. } => {
                let seconds = took.unwrap_or_default().as_secs_f64();
                let how = match (is_error, cached) {
                    (true, _) => format!("failed after {seconds:.2} s: {}", short(text)),
                    (false, true) => format!("{seconds:.2} s, as answered before"),
                    (false, false) => format!("{seconds:.2} s"),
                };
                notice::say(format_args!("  {}: {how}", short(name)));
            }
            Told::Progress { message, model: Some(work), .. } => {
                if let ModelWork::Chose(_) | ModelWork::LeftOut(_) = work {
                    notice::say(format_args!("  {}", short(message)));
                }
            }
            Told::Progress { model: None, .. } => {}
            Told::Indexing(told) => self.indexing(told),
            Told::Gist(gist) => notice::say(format_args!("  {}", short(&gist.line(count)))),
            Told::Repeated { name, times } => {
                let name = short(name);
                notice::say(format_args!("  {name}: the same call and answer, {times} times"));
            }
            Told::Done { outcome, spent } => return self.done(outcome, spent),
            Told::Start { .. }
            | Told::Sent { .. }
            | Told::Reduced { .. }
            | Told::Reasoning { .. }
            | Told::CallStart { .. }
            | Told::CallArguments { .. }
            | Told::SideUsage { .. }
            | Told::Usage { .. } => {}
        }
        Ok(())
    }

    /// Says what a model read into the index, once it has come to rest.
    fn indexing(&mut self, told: &ToldIndexing) {
        let before = std::mem::replace(&mut self.indexed, told.clone());
        if told.is_at_work() {
            self.indexing.get_or_insert((Instant::now(), before));
        } else if let Some((begun, before)) = self.indexing.take() {
            let time = format!("{:.1} s", begun.elapsed().as_secs_f64());
            notice::say(format_args!("  {}", short(&told.line_since(&before, &time, count))));
        }
    }

    fn done(&mut self, outcome: &Outcome, spent: &Spent) -> anyhow::Result<()> {
        match outcome {
            Outcome::Finished { text } => output::print(ended(text))?,
            Outcome::Cut { text } => {
                output::print(ended(text))?;
                notice::say("the answer was cut: it is longer than the model may say at once");
            }
            Outcome::Refused { text } => {
                output::print(ended(text))?;
                notice::say("the model refuses to go on");
            }
            Outcome::Limit { limit } => {
                notice::say(format_args!(
                    "ended before it was done: the limit of {} is reached",
                    limit.words()
                ));
            }
            Outcome::Repeated { name, times } => notice::say(format_args!(
                "ended before it was done: the model called {} {times} times with the same \
                 arguments and got the same answer",
                short(name)
            )),
            Outcome::TooLong { message } => notice::say(format_args!(
                "{message}: give a smaller task, or a model with a larger window"
            )),
            Outcome::Failed { message } => notice::say(message),
            Outcome::Stopped => notice::say("stopped"),
        }
        let (turns, all) = (plural(spent.turns.into(), "request"), tokens(Tokens(spent.tokens())));
        let cost = match spent.cost > 0.0 {
            true => format!(", {}", dollars(spent.cost)),
            false => String::new(),
        };
        let session = self.session.iter().map(|name| format!(", session {name}"));
        let session: String = session.collect();
        notice::say(format_args!("{turns}, {all} tokens{cost}{session}"));
        if let Some(beside) = beside(&spent.side) {
            notice::say(format_args!("  {beside}"));
        }
        if let (Some(name), false) = (&self.session, matches!(outcome, Outcome::Finished { .. })) {
            notice::say(format_args!("`foveal run --session {name}` goes on with it"));
        }
        Ok(())
    }
}

/// What of a run models beside the main one came to, if any was asked.
fn beside(side: &SideSpent) -> Option<String> {
    let asked = (side.requests > 0).then(|| plural(side.requests.into(), "request"))?;
    let cost = match side.cost > 0.0 {
        true => format!(" and {}", dollars(side.cost)),
        false => String::new(),
    };
    Some(format!(
        "of that {} tokens{cost} in {asked} to models beside it",
        tokens(Tokens(side.tokens()))
    ))
}

/// A line of JSON.
#[derive(Serialize)]
struct TimedLine<'a> {
    #[serde(flatten)]
    told: &'a Told,
    /// Milliseconds that a call took.
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
}

/// Prints what happened as a line of JSON; of an answer, with the time that its call took.
fn print_json(told: &Told, took: Option<Duration>) -> anyhow::Result<()> {
    let ms = took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    let line = serde_json::to_string(&TimedLine { told, ms })?;
    Ok(output::print(format!("{line}\n"))?)
}

/// A text with a line break at its end.
fn ended(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

/// The beginning of a text, in one line.
fn short(text: &str) -> String {
    let line = in_one_line(text.lines().next().unwrap_or_default()).into_owned();
    let is_all = text.lines().nth(1).is_none() && line.chars().count() <= SHOWN_CHARS_MAX;
    let beginning: String = line.chars().take(SHOWN_CHARS_MAX).collect();
    if is_all { beginning } else { format!("{beginning} …") }
}
