//! What a session has shown: its calls and answers as a transcript, each answer shaped by the
//! engine when it is given and never again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::planner::{Planner, Step};
use foveal_context::prices::PriceCard;
use foveal_context::record::Record;
use foveal_context::settings::Settings;
use foveal_context::shape::{Decision, Shape};
use foveal_context::tokens::Tokenizer;
use foveal_context::views::Views;
use foveal_transcript::Handle;
use foveal_transcript::{
    Block, Call, Conversation, Entry, EntryIndex, Mark, Role, Source, Timestamp, ToolResult,
};

use super::seen::Seen;

/// Bytes of answers after which a session is to start anew. No prompt holds as much.
const BYTES_MAX: usize = 8 << 20;

/// What was shown in one session.
#[derive(Debug)]
pub struct Shown {
    record: Record,
    planner: Planner,
    made: Made,
    bytes: usize,
    step: u32,
}

/// What a planner is made from.
#[derive(Debug, Clone)]
struct Made {
    settings: Settings,
    views: Arc<dyn Views>,
    directory: String,
}

/// A call to be answered.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// Its arguments as carried out.
    pub arguments: &'a Value,
    /// What the model wants to know, where it says so.
    pub question: Option<&'a str>,
}

/// A call of an earlier process, as it was answered.
#[derive(Debug, Clone)]
pub struct Before {
    /// The tool's name.
    pub tool: String,
    /// Its arguments as carried out.
    pub arguments: Value,
    /// What the model wanted to know.
    pub question: Option<String>,
    /// The whole of what was found.
    pub content: String,
    /// Whether that was an error.
    pub is_error: bool,
    /// The folder that relative paths started at, where that is known.
    pub directory: Option<PathBuf>,
    /// When.
    pub time: Timestamp,
    /// What was decided on it.
    pub step: Step,
}

/// An answer as it was given.
#[derive(Debug, Clone)]
pub struct Given {
    /// The entry that holds the whole.
    pub entry: EntryIndex,
    /// What is sent.
    pub text: String,
    /// What was replaced; `None`: nothing.
    pub shape: Option<Arc<Shape>>,
    /// Bytes of the whole.
    pub bytes: u64,
    /// The numbers of the lines that stand in it.
    pub shown: Seen,
    /// The numbers of lines of which something is left out, rather than pointed at.
    pub left_out: Seen,
    /// Lines with a number that there are, and that stand in it.
    pub lines: Counts,
    /// The decision, to be recorded.
    pub step: Step,
}

/// Numbered lines of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Those that there are.
    pub all: u32,
    /// Those that stand in it.
    pub shown: u32,
}

impl Shown {
    /// Nothing shown yet; paths are taken from `directory`.
    pub fn new(settings: Settings, views: Arc<dyn Views>, directory: String) -> Self {
        let made = Made { settings, views, directory };
        let (record, planner) = made.start();
        Self { record, planner, made, bytes: 0, step: 0 }
    }

    /// Goes on where a session ended: its calls and answers in order, with the decisions that
    /// were taken on them. False, and nothing counts as shown, if some are missing: decisions
    /// name answers by their places.
    pub fn resume(&mut self, before: Vec<Before>) -> bool {
        let mut steps = Vec::with_capacity(before.len());
        self.forget();
        for before in before {
            let Before { tool, arguments, question, content, is_error, directory, time, step } =
                before;
            if let Some(directory) = directory {
                self.work_in(&directory);
            }
            let asked = Asked { tool: &tool, arguments: &arguments, question: question.as_deref() };
            self.bytes += content.len();
            let entry = self.push_call(asked, content, is_error, time);
            if step.answer != EntryIndex(entry.0 + 1) {
                self.forget();
                return false;
            }
            steps.push(step);
        }
        let (settings, prices) = (self.made.settings.clone(), PriceCard::anthropic_5m());
        let planner = Planner::resume(settings, prices, &self.record, &steps);
        self.planner = planner.with_views(Arc::clone(&self.made.views));
        true
    }

    /// Has relative paths of the next call start at `directory`. What commands say of where they
    /// go is not all: they may be kept from leaving the roots.
    pub fn work_in(&mut self, directory: &Path) {
        self.record.start_in(&directory.to_string_lossy());
    }

    /// Answers a call with `content`, shaped by what was shown before.
    pub fn give(
        &mut self,
        asked: Asked<'_>,
        content: String,
        is_error: bool,
        now: Timestamp,
    ) -> Given {
        self.bytes += content.len();
        let entry = self.push_call(asked, content, is_error, now);
        let answer = EntryIndex(entry.0 + 1);
        let step = self.planner.advance(&self.record, answer, None);
        self.given(entry, step)
    }

    /// Takes a call and what it was answered with.
    fn push_call(
        &mut self,
        asked: Asked<'_>,
        content: String,
        is_error: bool,
        now: Timestamp,
    ) -> EntryIndex {
        self.step += 1;
        if let Some(question) = asked.question {
            self.push(Role::User, vec![Block::Text(question.to_owned())], now);
        }
        let id = self.step.to_string();
        let (name, arguments) = (asked.tool.to_owned(), asked.arguments.clone());
        let call = Call { id: id.clone(), name, arguments };
        self.push(Role::Assistant, vec![Block::Call(call)], now);
        let result = ToolResult { call: id, content, is_error };
        self.push(Role::Tool, vec![Block::Result(result)], now)
    }

    fn given(&self, entry: EntryIndex, step: Step) -> Given {
        let result = self.record.entry(entry).result().expect("it was pushed as a result");
        let printed = &self.record.facts(entry).printed;
        let number = |at: u32| printed.lines[at as usize].number.map(|number| number.0);
        let count = printed.lines.len() as u32;
        let decision = &self.planner.item(entry).decision;
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
        Given {
            entry,
            bytes: result.content.len() as u64,
            text: match decision {
                Decision::Keep => result.content.clone(),
                Decision::Replace(shape) => shape.render(&result.content),
            },
            shape: match decision {
                Decision::Keep => None,
                Decision::Replace(shape) => Some(Arc::clone(shape)),
            },
            lines: Counts { all, shown: kept.len() as u32 },
            shown: Seen::of(kept.into_iter().map(|line| (line, line))),
            left_out,
            step,
        }
    }

    fn push(&mut self, role: Role, blocks: Vec<Block>, now: Timestamp) -> EntryIndex {
        let entry = Entry {
            source: Source { step: self.step, result: (role == Role::Tool).then_some(0) },
            role,
            time: Some(now),
            mark: Mark::None,
            model: None,
            usage: None,
            blocks,
        };
        self.record.push(entry)
    }

    /// Whether so many bytes more are too many: all is to be forgotten first.
    pub fn is_full(&self, bytes: usize) -> bool {
        self.bytes > 0 && self.bytes + bytes > BYTES_MAX
    }

    /// Forgets all that was shown: nothing is pointed at any more.
    pub fn forget(&mut self) {
        (self.record, self.planner) = self.made.start();
        self.bytes = 0;
    }

    /// The whole content of the answer at `entry`.
    pub fn content(&self, entry: EntryIndex) -> Option<&str> {
        Some(&self.record.entries().get(entry.at())?.result()?.content)
    }

    /// The latest answer whose whole has this handle.
    pub fn find(&self, handle: Handle) -> Option<EntryIndex> {
        let entries = (0..self.record.len() as u32).rev().map(EntryIndex);
        entries.into_iter().find(|entry| self.record.facts(*entry).handle == Some(handle))
    }

    /// The calls and answers so far.
    pub fn record(&self) -> &Record {
        &self.record
    }
}

impl Made {
    fn start(&self) -> (Record, Planner) {
        let mut conversation = Conversation::default();
        conversation.directory = Some(self.directory.clone());
        let record = Record::of(conversation, Tokenizer::Bytes);
        let planner = Planner::new(self.settings.clone(), PriceCard::anthropic_5m());
        (record, planner.with_views(Arc::clone(&self.views)))
    }
}
