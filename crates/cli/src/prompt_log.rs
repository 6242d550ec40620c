//! The prompt log: the prompts that the engine would send, as JSON lines, one per request.
//!
//! The prompt of a request is the first `keep` messages of the one before, followed by `append`;
//! the first request of a conversation starts with an empty prompt.

use std::borrow::Cow;

use foveal_engine::message_shape::Decision;
use foveal_engine::plan_step::PlanStep;
use foveal_engine::projector::Projector;
use foveal_pricing::tokens::Tokens;
use foveal_redaction::redact_text;
use foveal_transcript::{Conversation, EntryIndex, RecordedSession, RecordingPosition};
use serde::Serialize;

use crate::prompt_text;

/// The line of one request.
#[derive(Serialize)]
struct PromptLogLine<'a> {
    session: &'a str,
    request: u32,
    before: SourceStep,
    keep: usize,
    append: Vec<PromptLogMessage<'a>>,
    tokens: Tokens,
}

/// A step of the recording and the position among its results.
#[derive(Serialize)]
struct SourceStep(u32, Option<u16>);

impl From<RecordingPosition> for SourceStep {
    fn from(source: RecordingPosition) -> Self {
        SourceStep(source.step, source.result)
    }
}

#[derive(Serialize)]
struct PromptLogMessage<'a> {
    role: &'static str,
    source: SourceStep,
    content: Cow<'a, str>,
}

/// Returns the name of the conversation at `at` in `session`: the session's id; for a sub-agent
/// followed by a slash and its own id.
pub(crate) fn conversation_name(session: &RecordedSession, at: usize) -> String {
    match at {
        0 => session.id.clone(),
        _ => format!("{}/{}", session.id, session.conversations[at].id),
    }
}

/// The log of one conversation.
pub(crate) struct ConversationLog<'a> {
    conversation: &'a Conversation,
    name: String,
    keeps_secrets: bool,
    sent: Vec<(EntryIndex, Decision)>,
    /// The running total of tokens after each message that was sent.
    totals: Vec<Tokens>,
    requests: u32,
    lines: Vec<u8>,
}

impl<'a> ConversationLog<'a> {
    /// Creates the log of `conversation` under `name`; secrets are redacted unless `keeps_secrets`
    /// is set.
    pub(crate) fn new(name: String, conversation: &'a Conversation, keeps_secrets: bool) -> Self {
        let (sent, totals, lines) = (Vec::new(), Vec::new(), Vec::new());
        Self { conversation, name, keeps_secrets, sent, totals, requests: 0, lines }
    }

    /// Adds the request that `projector` has just planned.
    pub(crate) fn push_request(&mut self, projector: &Projector, step: &PlanStep) {
        let window = projector.window();
        let same = |(sent, index): &(&(EntryIndex, Decision), &EntryIndex)| {
            sent.0 == **index && sent.1 == projector.entry_state(**index).decision
        };
        // Messages that the step kept need no comparison.
        let changed = step.changed.iter().filter_map(|(index, _)| window.binary_search(index).ok());
        let kept = step.kept.min(self.sent.len()).min(window.len());
        let kept = changed.fold(kept, usize::min);
        let rest = self.sent[kept..].iter().zip(&window[kept..]);
        let keep = kept + rest.take_while(same).count();
        self.sent.truncate(keep);
        self.totals.truncate(keep);
        let mut append = Vec::with_capacity(window.len() - keep);
        for index in &window[keep..] {
            let (entry, item) = (self.conversation.entry(*index), projector.entry_state(*index));
            append.push(PromptLogMessage {
                role: prompt_text::role_name(entry.role),
                source: entry.source.into(),
                content: self.redact_unless_kept(prompt_text::projected_text(entry, item)),
            });
            self.sent.push((*index, item.decision.clone()));
            let before = self.totals.last().copied().unwrap_or_default();
            self.totals.push(before + item.tokens);
        }
        self.requests += 1;
        let record = PromptLogLine {
            session: &self.name,
            request: self.requests,
            before: self.conversation.entry(step.answer).source.into(),
            keep,
            append,
            tokens: self.totals.last().copied().unwrap_or_default(),
        };
        serde_json::to_writer(&mut self.lines, &record)
            .expect("strings and numbers are JSON, and memory takes them");
        self.lines.push(b'\n');
    }

    /// Returns a message as it is logged: redacted unless secrets are kept.
    fn redact_unless_kept<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        if self.keeps_secrets {
            return text;
        }
        match redact_text(&text) {
            Cow::Owned(text) => Cow::Owned(text),
            Cow::Borrowed(_) => text,
        }
    }

    pub(crate) fn into_lines(self) -> Vec<u8> {
        self.lines
    }
}
