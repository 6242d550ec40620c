//! What happens, as blocks.

use foveal_agent::{ModelWork, Outcome, Told};
use foveal_screen::{in_one_line, numbers};

use super::block::{Block, NoteKind};
use super::blocks::Talk;
use super::tool::{ToolBlock, ToolState};

impl Talk {
    /// Takes what happened.
    pub(crate) fn take(&mut self, told: Told, now_ms: u64) {
        let is_beside =
            matches!(told, Told::Progress { .. } | Told::Indexing(_) | Told::SideUsage { .. });
        if !is_beside && !matches!(told, Told::Reasoning { .. }) {
            self.end_thinking(now_ms);
        }
        match told {
            Told::Sent { rewrite, inactive, .. } => {
                self.sent(rewrite, inactive);
            }
            Told::Reduced { id, kind, bytes, bytes_sent, .. } => {
                let [bytes, sent] = [bytes, bytes_sent].map(numbers::count);
                self.give(&id, format!("{kind}: the model is sent {sent} of {bytes} bytes"));
            }
            Told::Text { text } => self.say(&text),
            Told::Reasoning { text } => self.think(&text, now_ms),
            Told::Again { why, wait_ms, .. } => {
                self.forget_answer();
                let seconds = wait_ms as f64 / 1e3;
                self.note(NoteKind::Warning, format!("asks again in {seconds:.1} s: {why}"));
                self.begin_answer();
            }
            Told::CallStart { id, name } => {
                self.push(Block::Tool(Box::new(ToolBlock::new(id, name, now_ms))));
            }
            Told::CallArguments { id, piece } => {
                self.with_tool(&id, |tool| tool.arguments_bytes += piece.len());
            }
            Told::Call { id, name, arguments } => {
                if !self.has_open(&id) {
                    self.push(Block::Tool(Box::new(ToolBlock::new(id.clone(), name, now_ms))));
                }
                self.with_tool(&id, |tool| tool.run(arguments, now_ms));
            }
            Told::Progress { model: Some(work), message, .. } => self.help(work, message, now_ms),
            Told::Progress { id, message, model: None } => {
                self.with_tool(&id, |tool| tool.print(&message));
            }
            Told::Result { id, cached, is_error, text, .. } => {
                self.with_tool(&id, |tool| {
                    let took_ms = (tool.state == ToolState::Running)
                        .then(|| now_ms.saturating_sub(tool.began_ms));
                    tool.answer(&text, is_error, cached, took_ms);
                });
            }
            Told::Repeated { name, times } => {
                let name = in_one_line(&name);
                self.note(
                    NoteKind::Warning,
                    format!("{name}: the same call and the same answer, {times} times"),
                );
            }
            Told::Done { outcome, .. } => {
                self.leave_open(&ToolState::Left);
                if let Some((kind, text)) = ended(&outcome) {
                    self.note(kind, text);
                }
            }
            Told::Agent { id, event, .. } => self.with_tool(&id, |tool| tool.of_agent(&event)),
            Told::Start { .. }
            | Told::Usage { .. }
            | Told::SideUsage { .. }
            | Told::Indexing(_) => {}
        }
    }
}

impl Talk {
    /// Says why older results change with a request, and why nothing is left out.
    fn sent(&mut self, rewrite: Option<&str>, inactive: Option<String>) {
        self.begin_answer();
        if let Some(why) = rewrite {
            let text = format!("older results go otherwise than before: {why}");
            self.note(NoteKind::Aside, text);
        }
        if let Some(why) = inactive {
            self.note_once(NoteKind::Aside, format!("nothing is left out: {why}"));
        }
        self.begin_answer();
    }

    /// Takes what a model does that chooses what is shown of a result.
    fn help(&mut self, work: ModelWork, message: String, now_ms: u64) {
        match work {
            ModelWork::Waits | ModelWork::Answers(_) => {}
            ModelWork::Thinks(text) => self.think(&text, now_ms),
            ModelWork::Chose(_) | ModelWork::LeftOut(_) => {
                self.end_thinking(now_ms);
                self.note(NoteKind::Aside, message);
            }
        }
    }
}

/// What is said of how a turn ended; nothing where the model's last words say it.
fn ended(outcome: &Outcome) -> Option<(NoteKind, String)> {
    let (kind, text) = match outcome {
        Outcome::Finished { .. } => return None,
        Outcome::Cut { .. } => (
            NoteKind::Warning,
            "the answer was cut: it is longer than the model may say at once".into(),
        ),
        Outcome::Refused { .. } => (NoteKind::Warning, "the model refuses to go on".into()),
        Outcome::Limit { limit } => (
            NoteKind::Warning,
            format!("ended before it was done: the limit of {} is reached", limit.words()),
        ),
        Outcome::Repeated { name, times } => (
            NoteKind::Warning,
            format!(
                "ended before it was done: the model called {} {times} times with the same \
                 arguments and got the same answer",
                in_one_line(name)
            ),
        ),
        Outcome::TooLong { message } => {
            (NoteKind::Error, format!("{message}: drop something in /context, or begin anew"))
        }
        Outcome::Failed { message } => (NoteKind::Error, message.clone()),
        Outcome::Stopped => (NoteKind::Aside, "stopped".into()),
    };
    Some((kind, text))
}
