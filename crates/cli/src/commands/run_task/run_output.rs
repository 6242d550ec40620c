//! Output of a run. As JSON it has a line for each event. As text it has the model's last answer on
//! standard output, and short messages about the rest on standard error.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use foveal_agent::{
    AgentEvent, IndexingProgress, LimitKind, RunOutcome, RunTotals, START_AGENT, SideModelTotals,
    UNKNOWN_COST_ADVICE, retry_text,
};
use foveal_agent_runtime::call_subject_line;
use foveal_engine::views::CurationProgress;
use foveal_pricing::tokens::Tokens;
use foveal_screen::escape_one_line;
use foveal_screen::numbers::cost_suffix;
use foveal_tools::call_control::CallProgress;
use foveal_transcript::ToolCall;
use serde::Serialize;

use crate::notice;
use crate::numbers::{format_dollars, format_plural, format_tokens};
use crate::output;
use crate::status_line::StatusLine;

/// Characters of a text in a short message.
const SHORT_TEXT_CHARS_MAX: usize = 200;

/// Prints the events of a run.
pub(super) struct RunPrinter {
    json: bool,
    /// The model's text since the last call or request.
    text: String,
    /// The name of the session, if it is stored.
    session: Option<String>,
    /// Whether some token counts are estimates.
    is_estimated: bool,
    /// The start times of unanswered calls, by id.
    call_starts: HashMap<String, Instant>,
    /// The start times of unanswered calls of the current sub-agent, by id.
    sub_agent_call_starts: HashMap<String, Instant>,
    /// The usage and the number of calls of the current sub-agent.
    sub_agent_usage: Option<(RunTotals, u64)>,
    /// The time at which a model began to read files into the index, and the progress before.
    indexing_start: Option<(Instant, IndexingProgress)>,
    indexed: IndexingProgress,
    /// The line of a model that works on a read.
    curation_line: Option<StatusLine>,
}

impl RunPrinter {
    /// Returns a printer for a run that is stored in the session of this name.
    pub(super) fn new(json: bool, session: Option<String>) -> Self {
        Self {
            json,
            text: String::new(),
            session,
            is_estimated: false,
            call_starts: HashMap::new(),
            sub_agent_call_starts: HashMap::new(),
            sub_agent_usage: None,
            indexing_start: None,
            indexed: IndexingProgress::default(),
            curation_line: None,
        }
    }

    /// Prints an event.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(super) fn print_event(&mut self, told: &AgentEvent) -> anyhow::Result<()> {
        if let AgentEvent::Agent { label, event, .. } = told {
            return self.print_sub_agent_event(told, label, event);
        }
        let took = call_duration(&mut self.call_starts, told);
        if !matches!(told, AgentEvent::Progress { .. } | AgentEvent::Indexing(_)) {
            self.hide_curation_line();
        }
        if self.json {
            return print_json(&TimedEventLine { told, ms: duration_ms(took) });
        }
        match told {
            AgentEvent::Text { text } => self.text.push_str(text),
            AgentEvent::Again { why, wait_ms, .. } => {
                self.text.clear();
                notice::print_notice(retry_text(why, *wait_ms));
            }
            AgentEvent::Call { id, name, arguments } => {
                let said = std::mem::take(&mut self.text);
                if !said.trim().is_empty() {
                    notice::print_notice(short_line(said.trim()));
                }
                let (id, name, arguments) = (id.clone(), name.clone(), arguments.clone());
                let call = ToolCall { id, name, arguments };
                notice::print_notice(format_args!(
                    "· {} {}",
                    short_line(&call.name),
                    short_line(&call_subject_line(&call))
                ));
            }
            AgentEvent::Result { name, is_error, cached, text, .. } => {
                let took = took.map(|took| format!("{:.2} s", took.as_secs_f64()));
                let of_agent =
                    (name == START_AGENT).then(|| self.take_sub_agent_figures()).flatten();
                let figures: Vec<String> = took.into_iter().chain(of_agent).collect();
                let how = call_outcome(&figures.join(", "), *is_error, *cached, text);
                notice::print_notice(format_args!("  {}: {how}", short_line(name)));
            }
            AgentEvent::Progress { message, model: Some(work), .. } => {
                self.print_curation(message, work);
            }
            AgentEvent::Progress { model: None, .. } => {}
            AgentEvent::Indexing(told) => self.print_indexing(told),
            AgentEvent::Repeated { name, times } => {
                let name = short_line(name);
                notice::print_notice(format_args!(
                    "  {name}: the same call and answer, {times} times"
                ));
            }
            AgentEvent::Done { outcome, spent } => return self.print_end(outcome, spent),
            AgentEvent::Usage { estimated, .. } => self.is_estimated |= estimated,
            AgentEvent::Start { .. }
            | AgentEvent::Agent { .. }
            | AgentEvent::Sent { .. }
            | AgentEvent::Reduced { .. }
            | AgentEvent::Reasoning { .. }
            | AgentEvent::CallStart { .. }
            | AgentEvent::CallArguments { .. }
            | AgentEvent::SideUsage { .. } => {}
        }
        Ok(())
    }

    /// Shows a model at work on a read: on a terminal in a line that goes, its outcome in one that
    /// stays.
    fn print_curation(&mut self, message: &str, work: &CurationProgress) {
        if let CurationProgress::Chose(_) | CurationProgress::LeftOut(_) = work {
            self.hide_curation_line();
            notice::print_notice(format_args!("  {}", short_line(message)));
            return;
        }
        let (message, model) = (message.to_owned(), Some(work.clone()));
        let line = self.curation_line.get_or_insert_with(StatusLine::new);
        line.show_progress(&CallProgress { done: 0, total: None, message, model });
    }

    fn hide_curation_line(&mut self) {
        if let Some(line) = self.curation_line.take() {
            line.hide_line();
        }
    }

    /// Prints an event of a sub-agent. Text output has only its repeated requests.
    fn print_sub_agent_event(
        &mut self,
        told: &AgentEvent,
        label: &str,
        event: &AgentEvent,
    ) -> anyhow::Result<()> {
        let took = call_duration(&mut self.sub_agent_call_starts, event);
        match event {
            AgentEvent::Start { .. } => self.sub_agent_usage = Some(Default::default()),
            AgentEvent::Call { .. } => {
                self.sub_agent_usage.iter_mut().for_each(|(_, calls)| *calls += 1);
            }
            AgentEvent::Usage { spent, .. } | AgentEvent::Done { spent, .. } => {
                self.sub_agent_usage.iter_mut().for_each(|(all, _)| *all = *spent);
            }
            _ => {}
        }
        if self.json {
            let AgentEvent::Agent { id, .. } = told else { return Ok(()) };
            let event = TimedEventLine { told: event, ms: duration_ms(took) };
            return print_json(&SubAgentEventLine { kind: "agent", id, label, event });
        }
        if let AgentEvent::Again { why, wait_ms, .. } = event {
            let (label, text) = (short_line(label), retry_text(why, *wait_ms));
            notice::print_notice(format_args!("  {label}: {text}"));
        }
        Ok(())
    }

    /// Returns the requests, calls and tokens of the sub-agent, if one was started.
    fn take_sub_agent_figures(&mut self) -> Option<String> {
        let (spent, calls) = self.sub_agent_usage.take()?;
        let (turns, calls) =
            (format_plural(spent.turns.into(), "request"), format_plural(calls, "call"));
        Some(format!("{turns}, {calls}, {} tokens", format_tokens(Tokens(spent.total_tokens()))))
    }

    /// Prints the files that a model read into the index, once it is idle.
    fn print_indexing(&mut self, told: &IndexingProgress) {
        let before = std::mem::replace(&mut self.indexed, told.clone());
        if told.is_active() {
            self.indexing_start.get_or_insert((Instant::now(), before));
        } else if let Some((begun, before)) = self.indexing_start.take() {
            let time = format!("{:.1} s", begun.elapsed().as_secs_f64());
            notice::print_notice(format_args!(
                "  {}",
                short_line(&told.summary_since(&before, &time))
            ));
        }
    }

    fn print_end(&mut self, outcome: &RunOutcome, spent: &RunTotals) -> anyhow::Result<()> {
        match outcome {
            RunOutcome::Finished { text } => output::print(with_final_newline(text))?,
            RunOutcome::Cut { text } => {
                output::print(with_final_newline(text))?;
                notice::print_notice("the answer was cut off: it exceeds the model's output limit");
            }
            RunOutcome::Refused { text } => {
                output::print(with_final_newline(text))?;
                notice::print_notice("the model refused to continue");
            }
            RunOutcome::Limit { limit: LimitKind::UnknownCost } => notice::print_notice(
                format_args!("stopped before the task was done: {UNKNOWN_COST_ADVICE}"),
            ),
            RunOutcome::Limit { limit } => {
                notice::print_notice(format_args!(
                    "stopped before the task was done: the limit of {} was reached",
                    limit.display_name()
                ));
            }
            RunOutcome::Repeated { name, times } => notice::print_notice(format_args!(
                "stopped before the task was done: the model called {} {times} times with the same \
                 arguments and got the same answer",
                short_line(name)
            )),
            RunOutcome::TooLong { message } => notice::print_notice(format_args!(
                "{message}: give a smaller task, or choose a model with a larger window"
            )),
            RunOutcome::Failed { message } => notice::print_notice(message),
            RunOutcome::Stopped => notice::print_notice("stopped"),
        }
        let (turns, all) = (
            format_plural(spent.turns.into(), "request"),
            format_tokens(Tokens(spent.total_tokens())),
        );
        let cost = cost_suffix(spent.charge.cost, spent.charge.has_unknown_cost);
        let about = if self.is_estimated { "about " } else { "" };
        let repeats = match spent.repeats {
            0 => String::new(),
            repeats => format!(", {}", format_plural(repeats.into(), "repeated call")),
        };
        let session = self.session.iter().map(|name| format!(", session {name}"));
        let session: String = session.collect();
        let of_agents = sub_agent_usage_text(spent);
        notice::print_notice(format_args!(
            "{turns}, {about}{all} tokens{cost}{of_agents}{repeats}{session}"
        ));
        if let Some(beside) = side_usage_line(&spent.side) {
            notice::print_notice(format_args!("  {beside}"));
        }
        if let (Some(name), false) = (&self.session, matches!(outcome, RunOutcome::Finished { .. }))
        {
            notice::print_notice(format_args!("resume with `foveal run --session {name}`"));
        }
        Ok(())
    }
}

/// Returns the outcome of a call whose duration and usage are in `figures`. Empty figures mean that
/// the call was not executed in this run.
fn call_outcome(figures: &str, is_error: bool, cached: bool, text: &str) -> String {
    match (is_error, cached) {
        (true, _) if figures.is_empty() => format!("failed: {}", short_line(text)),
        (true, _) => format!("failed after {figures}: {}", short_line(text)),
        (false, _) if figures.is_empty() => "repeated an earlier answer".to_owned(),
        (false, true) => format!("{figures}, repeated an earlier answer"),
        (false, false) => figures.to_owned(),
    }
}

/// Returns the usage of side models, if there was any.
fn side_usage_line(side: &SideModelTotals) -> Option<String> {
    let asked = (side.requests > 0).then(|| format_plural(side.requests.into(), "request"))?;
    let cost = match side.charge.cost > 0.0 {
        true => format!(" and {}", format_dollars(side.charge.cost)),
        false => String::new(),
    };
    Some(format!(
        "of that, {} tokens{cost} in {asked} to side models",
        format_tokens(Tokens(side.charge.total_tokens()))
    ))
}

/// A line of JSON for an event.
#[derive(Serialize)]
struct TimedEventLine<'a> {
    #[serde(flatten)]
    told: &'a AgentEvent,
    /// The duration of an answered call, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
}

/// A line of JSON for an event of a sub-agent, with the duration of the sub-agent's call.
#[derive(Serialize)]
struct SubAgentEventLine<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a str,
    label: &'a str,
    event: TimedEventLine<'a>,
}

/// Prints a value as a line of JSON.
fn print_json(line: &impl Serialize) -> anyhow::Result<()> {
    let line = serde_json::to_string(line)?;
    Ok(output::print(format!("{line}\n"))?)
}

/// Returns the duration of the call that the event answers, if it answers one.
fn call_duration(begun: &mut HashMap<String, Instant>, told: &AgentEvent) -> Option<Duration> {
    match told {
        AgentEvent::Call { id, .. } => {
            begun.insert(id.clone(), Instant::now());
            None
        }
        AgentEvent::Result { id, .. } => begun.remove(id).map(|begun| begun.elapsed()),
        _ => None,
    }
}

fn duration_ms(took: Option<Duration>) -> Option<u64> {
    took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

/// Returns the part of the usage that sub-agents have, if there were any.
fn sub_agent_usage_text(spent: &RunTotals) -> String {
    let of = &spent.agents;
    if of.is_zero() {
        return String::new();
    }
    let (count, turns) =
        (format_plural(of.count.into(), "sub-agent"), format_plural(of.turns.into(), "request"));
    let cost = cost_suffix(of.cost, false);
    format!(" (of that, {count}: {turns}, {} tokens{cost})", format_tokens(Tokens(of.tokens)))
}

/// Returns a text with exactly one line break at its end.
fn with_final_newline(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

/// Returns the beginning of a text, in one line.
fn short_line(text: &str) -> String {
    let line = escape_one_line(text.lines().next().unwrap_or_default()).into_owned();
    let is_all = text.lines().nth(1).is_none() && line.chars().count() <= SHORT_TEXT_CHARS_MAX;
    let beginning: String = line.chars().take(SHORT_TEXT_CHARS_MAX).collect();
    if is_all { beginning } else { format!("{beginning} …") }
}
