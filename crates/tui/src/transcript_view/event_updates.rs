//! Updates of the transcript by agent events.

use foveal_agent::{
    AgentEvent, CurationProgress, LimitKind, RunOutcome, UNKNOWN_COST_ADVICE, retry_text,
};
use foveal_screen::{escape_one_line, numbers};

use super::block::{ChatBlock, NoticeLevel, Thinker};
use super::block_list::TranscriptView;
use super::tool_block::{ToolBlock, ToolState};

impl TranscriptView {
    /// Applies an event of the agent.
    pub(crate) fn apply_event(&mut self, told: AgentEvent, now_ms: u64) {
        let is_beside = matches!(
            told,
            AgentEvent::Progress { .. } | AgentEvent::Indexing(_) | AgentEvent::SideUsage { .. }
        );
        if !is_beside && !matches!(told, AgentEvent::Reasoning { .. }) {
            self.end_thinking(now_ms);
        }
        match told {
            AgentEvent::Sent { rewrite, inactive, .. } => {
                self.note_request(rewrite, inactive);
            }
            AgentEvent::Reduced { id, kind, bytes, bytes_sent, curated_text, .. } => {
                let [bytes, sent] = [bytes, bytes_sent].map(numbers::format_count);
                let told = format!("{kind}: {sent} of {bytes} bytes sent to the model");
                self.update_call(&id, |tool| tool.record_reduction(told, curated_text));
            }
            AgentEvent::Text { text } => self.append_reply(&text),
            AgentEvent::Reasoning { text } => {
                self.append_thinking(Thinker::Main, &text, now_ms);
            }
            AgentEvent::Again { why, wait_ms, .. } => {
                self.note_retry(&why, wait_ms);
            }
            AgentEvent::CallStart { id, name } => {
                self.push_block(ChatBlock::Tool(Box::new(ToolBlock::new(id, name, now_ms))));
            }
            AgentEvent::CallArguments { id, piece } => {
                self.update_open_call(&id, |tool| tool.arguments_bytes += piece.len());
            }
            AgentEvent::Call { id, name, arguments } => {
                if !self.has_open_call(&id) {
                    let tool = ToolBlock::new(id.clone(), name, now_ms);
                    self.push_block(ChatBlock::Tool(Box::new(tool)));
                }
                self.update_open_call(&id, |tool| tool.start_running(arguments, now_ms));
            }
            AgentEvent::Progress { model: Some(work), message, id } => {
                self.apply_curation_progress(&id, work, message, now_ms);
            }
            AgentEvent::Progress { id, message, model: None } => {
                self.update_open_call(&id, |tool| tool.append_output(&message));
            }
            AgentEvent::Result { id, cached, is_error, text, .. } => {
                self.update_open_call(&id, |tool| {
                    let took_ms = (tool.state == ToolState::Running)
                        .then(|| now_ms.saturating_sub(tool.began_ms));
                    tool.record_answer(&text, is_error, cached, took_ms);
                });
            }
            AgentEvent::Repeated { name, times } => {
                let name = escape_one_line(&name);
                self.push_notice(
                    NoticeLevel::Warning,
                    format!("{name}: same call and same result {times} times"),
                );
            }
            AgentEvent::Done { outcome, .. } => {
                self.close_open_calls(&ToolState::Abandoned);
                if let Some((kind, text)) = outcome_notice(&outcome) {
                    self.push_notice(kind, text);
                }
            }
            AgentEvent::Agent { id, event, .. } => {
                self.update_open_call(&id, |tool| tool.apply_sub_agent_event(&event));
            }
            AgentEvent::Start { .. }
            | AgentEvent::Usage { .. }
            | AgentEvent::SideUsage { .. }
            | AgentEvent::Indexing(_) => {}
        }
    }
}

impl TranscriptView {
    /// Discards a partial answer and shows why its request is repeated.
    fn note_retry(&mut self, why: &str, wait_ms: u64) {
        self.discard_answer();
        self.push_notice(NoticeLevel::Warning, retry_text(why, wait_ms));
        self.begin_answer();
    }

    /// Shows why a request rewrites earlier results, and why nothing is omitted.
    fn note_request(&mut self, rewrite: Option<&str>, inactive: Option<String>) {
        self.begin_answer();
        if let Some(why) = rewrite {
            let text = format!("earlier results were rewritten: {why}");
            self.push_notice(NoticeLevel::Info, text);
        }
        if let Some(why) = inactive {
            self.push_notice_once(NoticeLevel::Info, format!("the prompt is not reduced: {why}"));
        }
        self.begin_answer();
    }

    /// Shows the work of the model that curates a result.
    fn apply_curation_progress(
        &mut self,
        call: &str,
        work: CurationProgress,
        message: String,
        now_ms: u64,
    ) {
        match work {
            CurationProgress::Waits | CurationProgress::Answers(_) => {}
            CurationProgress::Thinks(text) => {
                self.update_call(call, |tool| tool.append_curator_thinking(&text));
                self.append_thinking(Thinker::Curator, &text, now_ms);
            }
            CurationProgress::Chose(_) | CurationProgress::LeftOut(_) => {
                self.end_thinking(now_ms);
                self.push_notice(NoticeLevel::Info, message);
            }
        }
    }
}

/// Returns the message about the end of a turn; `None` where the model's last message suffices.
fn outcome_notice(outcome: &RunOutcome) -> Option<(NoticeLevel, String)> {
    let (kind, text) = match outcome {
        RunOutcome::Finished { .. } => return None,
        RunOutcome::Cut { .. } => {
            (NoticeLevel::Warning, "the answer was cut off at the model's output limit".into())
        }
        RunOutcome::Refused { .. } => {
            (NoticeLevel::Warning, "the model refused to continue".into())
        }
        RunOutcome::Limit { limit: LimitKind::UnknownCost } => {
            (NoticeLevel::Warning, format!("stopped early: {UNKNOWN_COST_ADVICE}"))
        }
        RunOutcome::Limit { limit } => (
            NoticeLevel::Warning,
            format!("stopped early: the limit on {} was reached", limit.display_name()),
        ),
        RunOutcome::Repeated { name, times } => (
            NoticeLevel::Warning,
            format!(
                "stopped early: the model called {} {times} times with the same arguments and got \
                 the same result",
                escape_one_line(name)
            ),
        ),
        RunOutcome::TooLong { message } => (
            NoticeLevel::Error,
            format!("{message}: drop something in /context, or start a new session"),
        ),
        RunOutcome::Failed { message } => (NoticeLevel::Error, message.clone()),
        RunOutcome::Stopped => (NoticeLevel::Info, "stopped".into()),
    };
    Some((kind, text))
}
