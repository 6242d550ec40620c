//! The prompt log: what the engine would send, as JSON lines, one a request.
//!
//! The prompt of a request is the first `keep` messages of the one before, followed by
//! `append`; the first request of a conversation starts from nothing.

use std::borrow::Cow;

use foveal_context::projector::Projector;
use foveal_context::shape::Decision;
use foveal_context::step::Step;
use foveal_context::tokens::Tokens;
use foveal_secrets::without;
use foveal_transcript::{Conversation, EntryIndex, Session, Source};
use serde::Serialize;

use crate::prompt;

/// One request.
#[derive(Serialize)]
struct Record<'a> {
    session: &'a str,
    request: u32,
    before: SourceStep,
    keep: usize,
    append: Vec<Message<'a>>,
    tokens: Tokens,
}

/// A step of the recording and the place among its results.
#[derive(Serialize)]
struct SourceStep(u32, Option<u16>);

impl From<Source> for SourceStep {
    fn from(source: Source) -> Self {
        SourceStep(source.step, source.result)
    }
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    source: SourceStep,
    content: Cow<'a, str>,
}

/// What the conversation at `at` in `session` is called: the session's id, for that of a
/// sub-agent followed by a slash and its own.
pub(crate) fn conversation_name(session: &Session, at: usize) -> String {
    match at {
        0 => session.id.clone(),
        _ => format!("{}/{}", session.id, session.conversations[at].id),
    }
}

/// Writes the log of one conversation.
pub(crate) struct ConversationLog<'a> {
    conversation: &'a Conversation,
    name: String,
    keeps_secrets: bool,
    sent: Vec<(EntryIndex, Decision)>,
    /// The tokens up to each message that was sent and with it.
    totals: Vec<Tokens>,
    requests: u32,
    lines: Vec<u8>,
}

impl<'a> ConversationLog<'a> {
    /// The log of `conversation`, which is called `name`; without its secrets unless it
    /// `keeps_secrets`.
    pub(crate) fn new(name: String, conversation: &'a Conversation, keeps_secrets: bool) -> Self {
        let (sent, totals, lines) = (Vec::new(), Vec::new(), Vec::new());
        Self { conversation, name, keeps_secrets, sent, totals, requests: 0, lines }
    }

    /// Adds the request that `projector` has just planned.
    pub(crate) fn request(&mut self, projector: &Projector, step: &Step) {
        let window = projector.window();
        let same = |(sent, index): &(&(EntryIndex, Decision), &EntryIndex)| {
            sent.0 == **index && sent.1 == projector.item(**index).decision
        };
        // What the step kept need not be compared.
        let changed = step.changed.iter().filter_map(|(index, _)| window.binary_search(index).ok());
        let kept = step.kept.min(self.sent.len()).min(window.len());
        let kept = changed.fold(kept, usize::min);
        let rest = self.sent[kept..].iter().zip(&window[kept..]);
        let keep = kept + rest.take_while(same).count();
        self.sent.truncate(keep);
        self.totals.truncate(keep);
        let mut append = Vec::with_capacity(window.len() - keep);
        for index in &window[keep..] {
            let (entry, item) = (self.conversation.entry(*index), projector.item(*index));
            append.push(Message {
                role: prompt::role(entry.role),
                source: entry.source.into(),
                content: self.kept(prompt::text(entry, item)),
            });
            self.sent.push((*index, item.decision.clone()));
            let before = self.totals.last().copied().unwrap_or_default();
            self.totals.push(before + item.tokens);
        }
        self.requests += 1;
        let record = Record {
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

    /// A message as it is written.
    fn kept<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        if self.keeps_secrets {
            return text;
        }
        match without(&text) {
            Cow::Owned(text) => Cow::Owned(text),
            Cow::Borrowed(_) => text,
        }
    }

    pub(crate) fn into_lines(self) -> Vec<u8> {
        self.lines
    }
}
