//! What a session has shown: its calls and answers as a transcript, each answer shaped by the
//! engine when it is given and never again.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use foveal_context::new_result::NewResult;
use foveal_context::record::Record;
use foveal_context::room::Room;
use foveal_context::settings::Settings;
use foveal_context::shape::Decision;
use foveal_context::tokens::Tokenizer;
use foveal_context::views::{Views, Watch};
use foveal_context::visible::Visible;
use foveal_transcript::{
    Block, Call, Conversation, Entry, EntryIndex, Handle, Mark, Role, Source, Timestamp, ToolResult,
};

use crate::read_view::ReadView;
use crate::views::ViewsOfRead;

use super::deliveries::{CallNumber, CallView, Settled};
use super::seen::Seen;
use super::shaper::{EarlierCall, LineCounts, ShapedAnswer, Shaper, ShownCall};

/// Bytes of calls and answers after which a session is to start anew. No prompt holds as much.
const BYTES_MAX: usize = 8 << 20;

/// What a call counts beside its texts: what is known of each takes memory, too.
const CALL_BYTES: usize = 1 << 10;

/// What was shown in one session.
#[derive(Debug)]
pub struct Shown {
    record: Record,
    /// What was given to any call and may have been delivered.
    visible: Visible,
    /// Messages of calls of which it is not certain yet for whom they count, in order.
    unsettled: Vec<Given>,
    settings: Settings,
    /// Chooses lines of reads that are not shown whole.
    curator: Arc<dyn Views>,
    directory: String,
    bytes: usize,
    step: u32,
}

/// A message of a call of which it is not certain yet for whom it counts.
#[derive(Debug, Clone, Copy)]
struct Given {
    entry: EntryIndex,
    call: CallNumber,
    awaits_delivery: bool,
}

impl Shown {
    /// Nothing shown yet; paths are taken from `directory`.
    pub fn new(settings: Settings, curator: Arc<dyn Views>, directory: String) -> Self {
        let (record, visible) = (start_in(&directory), Visible::default());
        let unsettled = Vec::new();
        Self { record, visible, unsettled, settings, curator, directory, bytes: 0, step: 0 }
    }

    /// Has relative paths of the next call start at `directory`. What commands say of where they
    /// go is not all: they may be kept from leaving the roots.
    fn work_in(&mut self, directory: &Path) {
        self.record.start_in(&directory.to_string_lossy());
    }

    /// Takes a call and what it was answered with.
    fn push_call(&mut self, call: ShownCall<'_>, content: String) -> EntryIndex {
        if let Some(directory) = call.directory {
            self.work_in(directory);
        }
        let (question, arguments) = (call.question.unwrap_or_default(), call.arguments);
        self.bytes += CALL_BYTES + content.len() + question.len() + arguments.to_string().len();
        self.step += 1;
        let (now, is_error) = (call.time, call.is_error);
        if let Some(question) = call.question {
            self.push_shown(Role::User, Block::Text(question.to_owned()), now);
        }
        let id = self.step.to_string();
        let (name, arguments) = (call.tool.to_owned(), call.arguments.clone());
        let call = Call { id: id.clone(), name, arguments };
        self.push_shown(Role::Assistant, Block::Call(call), now);
        let result = ToolResult { call: id, content, is_error };
        self.push(Role::Tool, Block::Result(result), now)
    }

    /// The prompt as the model saw it when it made the call.
    fn visible_to(&self, view: &CallView) -> Cow<'_, Visible> {
        let hidden = self.unsettled.iter().filter(|given| !view.counts(given.call));
        let hidden: Vec<EntryIndex> = hidden.map(|given| given.entry).collect();
        match hidden.is_empty() {
            true => Cow::Borrowed(&self.visible),
            false => Cow::Owned(self.visible.without(&self.record, &hidden)),
        }
    }

    fn answer(&self, entry: EntryIndex, decision: &Decision) -> ShapedAnswer {
        let result = self.record.entry(entry).result().expect("it was pushed as a result");
        let facts = self.record.facts(entry);
        let printed = &facts.printed;
        let number = |at: u32| printed.lines[at as usize].number.map(|number| number.0);
        let count = printed.lines.len() as u32;
        let kept: Vec<u32> = match decision {
            Decision::Keep => (0..count).filter_map(number).collect(),
            Decision::Replace(shape) => {
                shape.lines_kept(printed).into_iter().filter_map(number).collect()
            }
        };
        let left_out = match decision {
            Decision::Keep => Seen::default(),
            Decision::Replace(shape) => {
                Seen::of(shape.numbers_left_out(printed).map(|number| (number, number)))
            }
        };
        let all = (0..count).filter_map(number).count() as u32;
        ShapedAnswer {
            handle: facts.handle().expect("a result has a handle"),
            bytes: result.content.len() as u64,
            text: match decision {
                Decision::Keep => result.content.clone(),
                Decision::Replace(shape) => shape.render(&result.content),
            },
            shape: match decision {
                Decision::Keep => None,
                Decision::Replace(shape) => Some(Arc::clone(shape)),
            },
            lines: LineCounts { all, shown: kept.len() as u32 },
            shown: Seen::of(kept.into_iter().map(|line| (line, line))),
            left_out,
            is_final: true,
            place: Some(entry),
            chosen_by: None,
        }
    }

    /// Takes a message that is sent as it is.
    fn push_shown(&mut self, role: Role, block: Block, now: Timestamp) {
        let entry = self.push(role, block, now);
        self.visible.show(&self.record, entry, &Decision::Keep);
    }

    /// Takes messages (ascending) out of the prompt that nobody got.
    fn lose(&mut self, lost: &[EntryIndex]) {
        if !lost.is_empty() {
            self.visible = self.visible.without(&self.record, lost);
        }
    }

    fn push(&mut self, role: Role, block: Block, now: Timestamp) -> EntryIndex {
        let entry = Entry {
            source: Source { step: self.step, result: (role == Role::Tool).then_some(0) },
            role,
            time: Some(now),
            mark: Mark::None,
            model: None,
            usage: None,
            blocks: vec![block],
        };
        self.record.push(entry)
    }
}

impl Shaper for Shown {
    fn shape(&mut self, call: ShownCall<'_>, content: String, view: ReadView) -> ShapedAnswer {
        // A short file comes whole when it is first read, whatever lines it shares with others.
        let settings = match (call.may_point, view.is_short(&content)) {
            (false, _) => Some(self.settings.clone().without_pointers()),
            (true, true) => Some(self.settings.clone().within_files()),
            (true, false) => None,
        };
        let (room, end_bytes, given_to) = (call.room, call.end_bytes, call.view);
        let watch = call.watch;
        let first = self.record.len() as u32;
        let entry = self.push_call(call, content);
        let (call, awaits_delivery) = (given_to.call(), given_to.awaits_delivery());
        let own = (first..=entry.0).map(EntryIndex);
        self.unsettled.extend(own.map(|entry| Given { entry, call, awaits_delivery }));
        // Views are of one read: what it wants to show is theirs for this answer.
        let views = ViewsOfRead::new(Arc::clone(&self.curator), view, room, watch);
        let visible = self.visible_to(given_to);
        let result = NewResult {
            record: &self.record,
            visible: &visible,
            settings: settings.as_ref().unwrap_or(&self.settings),
            views: Some(&views),
            room,
            end_bytes,
        };
        let decision = result.decide();
        drop(visible);
        self.visible.show(&self.record, entry, &decision);
        ShapedAnswer { chosen_by: views.into_chosen_by(), ..self.answer(entry, &decision) }
    }

    fn resume(&mut self, calls: Vec<EarlierCall>) -> bool {
        self.forget();
        let mut lost = Vec::new();
        for earlier in calls {
            let EarlierCall { tool, arguments, question, content, is_error, time, .. } = earlier;
            let call = ShownCall {
                tool: &tool,
                arguments: &arguments,
                question: question.as_deref(),
                is_error,
                directory: earlier.directory.as_deref(),
                time,
                room: Room::UNBOUNDED,
                end_bytes: 0,
                view: CallView::NOBODY,
                may_point: true,
                watch: Watch::NOBODY,
            };
            let first = self.record.len() as u32;
            let entry = self.push_call(call, content);
            // Notes name answers by their places.
            if earlier.place != entry {
                self.forget();
                return false;
            }
            self.visible.show(&self.record, entry, &earlier.decision);
            if !earlier.is_delivered {
                lost.extend((first..=entry.0).map(EntryIndex));
            }
        }
        self.lose(&lost);
        true
    }

    fn forget(&mut self) {
        (self.record, self.visible) = (start_in(&self.directory), Visible::default());
        self.unsettled.clear();
        self.bytes = 0;
    }

    fn settle(&mut self, settled: &Settled) -> Vec<EntryIndex> {
        let (mut places, mut lost) = (Vec::new(), Vec::new());
        self.unsettled.retain(|given| {
            let is_delivered = settled.delivered.contains(&given.call);
            if is_delivered && given.awaits_delivery {
                places.push(given.entry);
            }
            let is_lost = settled.lost.contains(&given.call);
            if is_lost {
                lost.push(given.entry);
            }
            !is_delivered && !is_lost
        });
        self.lose(&lost);
        places.retain(|entry| self.record.entry(*entry).result().is_some());
        places
    }

    fn is_full(&self, bytes: usize) -> bool {
        self.bytes > 0 && self.bytes + bytes > BYTES_MAX
    }

    fn whole(&self, handle: Handle) -> Option<&str> {
        let mut entries = (0..self.record.len() as u32).rev().map(EntryIndex);
        let entry = entries.find(|entry| self.record.facts(*entry).handle() == Some(handle))?;
        Some(&self.record.entries().get(entry.at())?.result()?.content)
    }
}

/// The record of a conversation that begins in `directory`.
fn start_in(directory: &str) -> Record {
    let mut conversation = Conversation::default();
    conversation.directory = Some(directory.to_owned());
    Record::of(conversation, Tokenizer::Bytes)
}

#[cfg(test)]
mod tests;
