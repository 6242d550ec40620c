//! What is shown of a run: as JSON all of it, a line for each event; to a person what the model
//! says last on standard output, and the rest in short on standard error.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use foveal_agent::{Outcome, START_AGENT, SideSpent, Spent, Told, ToldIndexing};
use foveal_context::tokens::Tokens;
use foveal_context::views::ModelWork;
use foveal_screen::in_one_line;
use foveal_screen::numbers::{count, dollars_behind};
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
    /// Whether some of the tokens are estimates.
    is_estimated: bool,
    /// When the calls began that are not answered yet.
    begun: HashMap<String, Instant>,
    /// The same for those of the sub-agent that works.
    begun_by_agent: HashMap<String, Instant>,
    /// What that came to so far, and the calls that it made, once it began.
    agent: Option<(Spent, u64)>,
    /// Since when a model reads files into the index, and how far it was then.
    indexing: Option<(Instant, ToldIndexing)>,
    indexed: ToldIndexing,
}

impl Show {
    /// Shows a run, which is kept in the session of this name.
    pub(super) fn new(json: bool, session: Option<String>) -> Self {
        Self {
            json,
            text: String::new(),
            session,
            is_estimated: false,
            begun: HashMap::new(),
            begun_by_agent: HashMap::new(),
            agent: None,
            indexing: None,
            indexed: ToldIndexing::default(),
        }
    }

    /// Shows what happened.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn tell(&mut self, told: &Told) -> anyhow::Result<()> {
        if let Told::Agent { label, event, .. } = told {
            return self.of_agent(told, label, event);
        }
        let took = took(&mut self.begun, told);
        if self.json {
            return print_json(&TimedLine { told, ms: ms(took) });
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
                let took = took.map(|took| format!("{:.2} s", took.as_secs_f64()));
                let of_agent = (name == START_AGENT).then(|| self.took_of_agent()).flatten();
                let figures: Vec<String> = took.into_iter().chain(of_agent).collect();
                let how = answered(&figures.join(", "), (*is_error, *cached), text);
                notice::say(format_args!("  {}: {how}", short(name)));
            }
            Told::Progress { message, model: Some(work), .. } => {
                if let ModelWork::Chose(_) | ModelWork::LeftOut(_) = work {
                    notice::say(format_args!("  {}", short(message)));
                }
            }
            Told::Progress { model: None, .. } => {}
            Told::Indexing(told) => self.indexing(told),
            Told::Repeated { name, times } => {
                let name = short(name);
                notice::say(format_args!("  {name}: the same call and answer, {times} times"));
            }
            Told::Done { outcome, spent } => return self.done(outcome, spent),
            Told::Usage { estimated, .. } => self.is_estimated |= estimated,
            Told::Start { .. }
            | Told::Agent { .. }
            | Told::Sent { .. }
            | Told::Reduced { .. }
            | Told::Reasoning { .. }
            | Told::CallStart { .. }
            | Told::CallArguments { .. }
            | Told::SideUsage { .. } => {}
        }
        Ok(())
    }

    /// Shows what happened to a sub-agent: to a person only what it waits for.
    fn of_agent(&mut self, told: &Told, label: &str, event: &Told) -> anyhow::Result<()> {
        let took = took(&mut self.begun_by_agent, event);
        match event {
            Told::Start { .. } => self.agent = Some(Default::default()),
            Told::Call { .. } => self.agent.iter_mut().for_each(|(_, calls)| *calls += 1),
            Told::Usage { spent, .. } | Told::Done { spent, .. } => {
                self.agent.iter_mut().for_each(|(all, _)| *all = *spent);
            }
            _ => {}
        }
        if self.json {
            let Told::Agent { id, .. } = told else { return Ok(()) };
            let event = TimedLine { told: event, ms: ms(took) };
            return print_json(&AgentLine { kind: "agent", id, label, event });
        }
        if let Told::Again { why, wait_ms, .. } = event {
            let (label, wait_s) = (short(label), *wait_ms as f64 / 1e3);
            notice::say(format_args!("  {label}: asks again in {wait_s:.1} s: {why}"));
        }
        Ok(())
    }

    /// What the sub-agent took beside time, if one began.
    fn took_of_agent(&mut self) -> Option<String> {
        let (spent, calls) = self.agent.take()?;
        let (turns, calls) = (plural(spent.turns.into(), "request"), plural(calls, "call"));
        Some(format!("{turns}, {calls}, {} tokens", tokens(Tokens(spent.tokens()))))
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
        let cost = dollars_behind(spent.charge.cost);
        let about = if self.is_estimated { "about " } else { "" };
        let session = self.session.iter().map(|name| format!(", session {name}"));
        let session: String = session.collect();
        let of_agents = of_agents(spent);
        notice::say(format_args!("{turns}, {about}{all} tokens{cost}{of_agents}{session}"));
        if let Some(beside) = beside(&spent.side) {
            notice::say(format_args!("  {beside}"));
        }
        if let (Some(name), false) = (&self.session, matches!(outcome, Outcome::Finished { .. })) {
            notice::say(format_args!("`foveal run --session {name}` goes on with it"));
        }
        Ok(())
    }
}

/// How a call was answered that took what `figures` tell; nothing where it was not carried out here.
fn answered(figures: &str, (is_error, cached): (bool, bool), text: &str) -> String {
    match (is_error, cached) {
        (true, _) if figures.is_empty() => format!("failed: {}", short(text)),
        (true, _) => format!("failed after {figures}: {}", short(text)),
        (false, _) if figures.is_empty() => "as answered before".to_owned(),
        (false, true) => format!("{figures}, as answered before"),
        (false, false) => figures.to_owned(),
    }
}

/// What of a run models beside the main one came to, if any was asked.
fn beside(side: &SideSpent) -> Option<String> {
    let asked = (side.requests > 0).then(|| plural(side.requests.into(), "request"))?;
    let cost = match side.charge.cost > 0.0 {
        true => format!(" and {}", dollars(side.charge.cost)),
        false => String::new(),
    };
    Some(format!(
        "of that {} tokens{cost} in {asked} to models beside it",
        tokens(Tokens(side.charge.tokens()))
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

/// The same of what happened to a sub-agent: as the event tells it, with the time that a call of
/// the sub-agent took.
#[derive(Serialize)]
struct AgentLine<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a str,
    label: &'a str,
    event: TimedLine<'a>,
}

/// Prints what happened as a line of JSON.
fn print_json(line: &impl Serialize) -> anyhow::Result<()> {
    let line = serde_json::to_string(line)?;
    Ok(output::print(format!("{line}\n"))?)
}

/// How long the call took that is answered, if one is.
fn took(begun: &mut HashMap<String, Instant>, told: &Told) -> Option<Duration> {
    match told {
        Told::Call { id, .. } => {
            begun.insert(id.clone(), Instant::now());
            None
        }
        Told::Result { id, .. } => begun.remove(id).map(|begun| begun.elapsed()),
        _ => None,
    }
}

fn ms(took: Option<Duration>) -> Option<u64> {
    took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

/// What of it is of sub-agents, where there were any.
fn of_agents(spent: &Spent) -> String {
    let of = &spent.agents;
    if of.are_none() {
        return String::new();
    }
    let (count, turns) = (plural(of.count.into(), "sub-agent"), plural(of.turns.into(), "request"));
    let cost = dollars_behind(of.cost);
    format!(" (of that {count}: {turns}, {} tokens{cost})", tokens(Tokens(of.tokens)))
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
