//! Random conversations of an agent at work on a small file system.
//!
//! A [`ConversationScript`] is a list of operations, which proptest can print and shrink.
//! [`ConversationScript::build_conversation`] runs it, so that every result agrees with the
//! simulated files at that moment. There are edits, writes, external changes, parallel calls,
//! interrupted calls, compactions, rewinds, and pauses longer than the lifetime of a cache.

use foveal_transcript::Handle;
use foveal_transcript::{Conversation, EntryIndex, EntryMark, MessageRole};
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::FixtureBuilder;
use crate::simulated_files::{
    DIRECTORY, PATHS, RandomNumbers, SimulatedAnswer, SimulatedFiles, program_output,
};

/// A spelling of a path: three ways to name one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathSpelling {
    /// Absolute.
    Absolute,
    /// Relative to the working directory.
    Relative,
    /// With a superfluous `.`.
    Dotted,
}

/// One tool call. Files are indices into [`PATHS`], lines count from 1, seeds generate texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SimulatedCall {
    /// The read tool on a whole file.
    Read(usize, PathSpelling),
    /// The read tool on `count` lines from `first`.
    ReadRange(usize, usize, usize),
    /// The tool that returns lines verbatim: `count` from `first`.
    ReadLines(usize, usize, usize),
    /// The read tool in full mode.
    ReadFull(usize),
    /// The tool that returns the original of one of the last results.
    Expand(usize),
    /// `cat` in a shell.
    Cat(usize),
    /// `sed -n first,lastp` in a shell.
    Sed(usize, usize, usize),
    /// The edit tool on the line at this place, with a new text made from the seed.
    Edit(usize, usize, u64),
    /// The edit tool on this many lines from this place on, with as many new ones.
    EditLines(usize, usize, usize, u64),
    /// The write tool: this many lines generated from the seed.
    Write(usize, usize, u64),
    /// `git checkout` in a shell: restores a file as it was this many changes ago.
    CheckOut(usize, usize),
    /// The search tool for one of a few words.
    Search(usize),
    /// The list tool.
    List,
    /// A program that prints this many lines generated from the seed.
    Run(usize, u64),
    /// An unknown tool.
    Unknown,
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptOperation {
    /// One response with these calls, and their results.
    Respond(Vec<SimulatedCall>),
    /// A response without calls.
    Say,
    /// A response whose call gets no result because the user interrupts it.
    Interrupt,
    /// A message of the user.
    User,
    /// A reminder that the client injects.
    Remind,
    /// An external change of a line of a file.
    ChangeExternally(usize, usize, u64),
    /// A pause of this many seconds before the next entry.
    Wait(u32),
    /// A compaction by the client that keeps about this many of the latest entries.
    Compact(u32),
    /// A rewind to before one of the user's latest messages.
    Rewind(u32),
}

/// A plan for a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationScript {
    /// The seed of the files.
    pub seed: u64,
    /// The operations, in order.
    pub operations: Vec<ScriptOperation>,
}

/// Search words; the last occurs nowhere.
const SEARCH_WORDS: [&str; 4] = ["fn visit_", "größe", "}", "nowhere_at_all"];

fn simulated_calls() -> impl Strategy<Value = SimulatedCall> {
    let file = || 0..PATHS.len();
    let spelling = prop_oneof![
        3 => Just(PathSpelling::Absolute),
        1 => Just(PathSpelling::Relative),
        1 => Just(PathSpelling::Dotted),
    ];
    prop_oneof![
        8 => (file(), spelling).prop_map(|(file, spelling)| SimulatedCall::Read(file, spelling)),
        4 => (file(), 1..60usize, 1..60usize).prop_map(|(f, a, n)| SimulatedCall::ReadRange(f, a, n)),
        2 => (file(), 1..60usize, 1..60usize).prop_map(|(f, a, n)| SimulatedCall::ReadLines(f, a, n)),
        1 => file().prop_map(SimulatedCall::ReadFull),
        1 => (0..12usize).prop_map(SimulatedCall::Expand),
        2 => file().prop_map(SimulatedCall::Cat),
        2 => (file(), 1..60usize, 0..40usize).prop_map(|(f, a, n)| SimulatedCall::Sed(f, a, a + n)),
        6 => (file(), 0..90usize, any::<u64>()).prop_map(|(f, at, s)| SimulatedCall::Edit(f, at, s)),
        3 => (file(), 0..90usize, 2..12usize, any::<u64>())
            .prop_map(|(f, at, n, s)| SimulatedCall::EditLines(f, at, n, s)),
        1 => (file(), 1..60usize, any::<u64>()).prop_map(|(f, n, s)| SimulatedCall::Write(f, n, s)),
        2 => (file(), 0..3usize).prop_map(|(file, changes)| SimulatedCall::CheckOut(file, changes)),
        3 => (0..SEARCH_WORDS.len()).prop_map(SimulatedCall::Search),
        1 => Just(SimulatedCall::List),
        4 => (prop_oneof![4 => 0..30usize, 1 => 100..700usize], 0..6u64)
            .prop_map(|(lines, seed)| SimulatedCall::Run(lines, seed)),
        1 => Just(SimulatedCall::Unknown),
    ]
}

fn script_operations() -> impl Strategy<Value = ScriptOperation> {
    prop_oneof![
        24 => prop::collection::vec(simulated_calls(), 1..4).prop_map(ScriptOperation::Respond),
        2 => Just(ScriptOperation::Say),
        1 => Just(ScriptOperation::Interrupt),
        3 => Just(ScriptOperation::User),
        1 => Just(ScriptOperation::Remind),
        2 => (0..PATHS.len(), 0..90usize, any::<u64>())
            .prop_map(|(file, line, seed)| ScriptOperation::ChangeExternally(file, line, seed)),
        2 => prop_oneof![1..200u32, 280..320u32, 1000..5000u32].prop_map(ScriptOperation::Wait),
        1 => (0..12u32).prop_map(ScriptOperation::Compact),
        1 => (0..3u32).prop_map(ScriptOperation::Rewind),
    ]
}

/// Returns scripts of up to `operations_max` operations.
pub fn conversation_scripts(operations_max: usize) -> impl Strategy<Value = ConversationScript> {
    (0..50u64, prop::collection::vec(script_operations(), 0..=operations_max))
        .prop_map(|(seed, operations)| ConversationScript { seed, operations })
}

impl ConversationScript {
    /// Returns the conversation with its results. It starts with a system message and a task, and
    /// need not end with a response.
    pub fn build_conversation(&self) -> Conversation {
        let mut actor = ScriptRunner {
            builder: FixtureBuilder::default(),
            world: SimulatedFiles::new(self.seed),
            users: Vec::new(),
            compaction_points: Vec::new(),
            answers: Vec::new(),
        };
        actor.builder.message(
            MessageRole::System,
            EntryMark::None,
            "You are a careful programmer.",
        );
        actor.push_user_message("Make the tests pass.");
        for operation in &self.operations {
            actor.run_operation(operation);
        }
        let mut conversation = actor.builder.finish();
        conversation.id = format!("generated-{}", self.seed);
        conversation.directory = Some(DIRECTORY.to_owned());
        conversation
    }
}

struct ScriptRunner {
    builder: FixtureBuilder,
    world: SimulatedFiles,
    /// The user's entries that a rewind may go back to.
    users: Vec<EntryIndex>,
    /// Entries from which a compaction may keep the rest without separating a call from its result.
    compaction_points: Vec<EntryIndex>,
    /// The answers so far.
    answers: Vec<String>,
}

impl ScriptRunner {
    fn next_index(&self) -> EntryIndex {
        EntryIndex(self.builder.len())
    }

    fn push_user_message(&mut self, text: &str) {
        self.users.push(self.next_index());
        self.compaction_points.push(self.next_index());
        self.builder.message(MessageRole::User, EntryMark::None, text);
    }

    fn run_operation(&mut self, operation: &ScriptOperation) {
        match operation {
            ScriptOperation::Respond(acts) => self.respond(acts),
            ScriptOperation::Say => self.push_response("I have looked at it and go on."),
            ScriptOperation::Interrupt => {
                self.push_response("One moment.");
                self.builder.call("Bash", json!({ "command": "sleep 100" }));
                self.push_user_message("No, stop.");
            }
            ScriptOperation::User => self.push_user_message("And now the other one."),
            ScriptOperation::Remind => {
                self.builder.message(MessageRole::User, EntryMark::Injected, "Remember the plan.");
            }
            ScriptOperation::ChangeExternally(file, line, seed) => {
                self.world.change_line(*file, *line, RandomNumbers::new(*seed).random_line());
            }
            ScriptOperation::Wait(seconds) => self.builder.set_gap_ms(i64::from(*seconds) * 1000),
            ScriptOperation::Compact(keep) => self.compact(*keep),
            ScriptOperation::Rewind(back) => {
                let at = self.users.len().saturating_sub(1 + *back as usize);
                let to = self.users[at];
                self.users.truncate(at);
                self.compaction_points.retain(|place| *place < to);
                self.users.push(self.next_index());
                self.builder.message(
                    MessageRole::User,
                    EntryMark::Rewind { to },
                    "Do it another way.",
                );
            }
        }
    }

    fn push_response(&mut self, text: &str) {
        self.compaction_points.push(self.next_index());
        self.builder.message(MessageRole::Assistant, EntryMark::None, text);
    }

    fn compact(&mut self, keep: u32) {
        let from = self.next_index().0.saturating_sub(keep);
        let keep_from = self.compaction_points.iter().copied().find(|place| place.0 >= from);
        self.builder.message(MessageRole::System, EntryMark::CompactBoundary { keep_from }, "");
        self.users.clear();
        self.compaction_points.clear();
        self.users.push(self.next_index());
        self.builder.message(
            MessageRole::User,
            EntryMark::CompactSummary,
            "So far: the tests fail.",
        );
    }

    fn respond(&mut self, acts: &[SimulatedCall]) {
        self.push_response("");
        let answers: Vec<SimulatedAnswer> = acts.iter().map(|act| self.run_call(act)).collect();
        for answer in answers {
            self.builder.result(&answer.content, answer.is_error);
            self.answers.push(answer.content);
        }
    }

    /// Makes the call and returns its answer.
    fn run_call(&mut self, act: &SimulatedCall) -> SimulatedAnswer {
        let (name, arguments, answer) = match act {
            SimulatedCall::Read(file, spelling) => {
                let arguments = json!({ "file_path": spell_path(PATHS[*file], *spelling) });
                ("Read", arguments, self.world.read_numbered(*file, None))
            }
            SimulatedCall::ReadRange(file, first, count) => {
                let arguments =
                    json!({ "file_path": PATHS[*file], "offset": first, "limit": count });
                ("Read", arguments, self.world.read_numbered(*file, Some((*first, *count))))
            }
            SimulatedCall::ReadLines(file, first, count) => {
                let (path, last) = (PATHS[*file], first + count - 1);
                let arguments = json!({ "path": path, "start": first, "end": last });
                ("read_lines", arguments, self.world.read_numbered(*file, Some((*first, *count))))
            }
            SimulatedCall::ReadFull(file) => {
                let arguments = json!({ "path": PATHS[*file], "mode": "full" });
                ("read_file", arguments, self.world.read_numbered(*file, None))
            }
            SimulatedCall::Expand(back) => self.expand_result(*back),
            SimulatedCall::Cat(file) => {
                let command = format!("cat {}", PATHS[*file]);
                ("Bash", json!({ "command": command }), self.world.read_unnumbered(*file, None))
            }
            SimulatedCall::Sed(file, first, last) => {
                let command = format!("sed -n {first},{last}p {}", PATHS[*file]);
                let range = Some((*first, last - first + 1));
                ("Bash", json!({ "command": command }), self.world.read_unnumbered(*file, range))
            }
            SimulatedCall::Edit(file, at, seed) => self.edit_lines(*file, *at, 1, *seed),
            SimulatedCall::EditLines(file, at, count, seed) => {
                self.edit_lines(*file, *at, *count, *seed)
            }
            SimulatedCall::Write(file, count, seed) => {
                let lines = RandomNumbers::new(*seed).random_lines(*count);
                let arguments = json!({ "file_path": PATHS[*file], "content": lines.join("\n") });
                ("Write", arguments, self.world.write_file(*file, lines))
            }
            SimulatedCall::CheckOut(file, changes) => {
                let command = format!("git checkout -- {}", PATHS[*file]);
                let answer = self.world.check_out(*file, *changes);
                ("Bash", json!({ "command": command }), answer)
            }
            SimulatedCall::Search(word) => {
                let arguments = json!({ "pattern": SEARCH_WORDS[*word], "output_mode": "content" });
                ("Grep", arguments, self.world.search(SEARCH_WORDS[*word]))
            }
            SimulatedCall::List => ("Glob", json!({ "pattern": "**/*" }), self.world.list()),
            SimulatedCall::Run(lines, seed) => {
                let arguments = json!({ "command": "cargo test" });
                ("Bash", arguments, program_output(*seed, *lines))
            }
            SimulatedCall::Unknown => {
                let content = "noted".to_owned();
                ("ponder", json!({ "thought": "hm" }), SimulatedAnswer { content, is_error: false })
            }
        };
        self.builder.call(name, arguments);
        answer
    }

    fn expand_result(&self, back: usize) -> (&'static str, serde_json::Value, SimulatedAnswer) {
        let content = self.answers.iter().rev().nth(back).cloned();
        let is_error = content.is_none();
        let content = content.unwrap_or_else(|| "no content has this handle".to_owned());
        let handle = Handle::from_content(content.as_bytes());
        ("expand", json!({ "handle": handle }), SimulatedAnswer { content, is_error })
    }

    fn edit_lines(
        &mut self,
        file: usize,
        at: usize,
        count: usize,
        seed: u64,
    ) -> (&'static str, serde_json::Value, SimulatedAnswer) {
        let lines = self.world.file_lines(file).unwrap_or_default();
        let at = at % lines.len().max(1);
        let old = lines[at..lines.len().min(at + count)].join("\n");
        let new = RandomNumbers::new(seed).random_lines(count).join("\n");
        let answer = self.world.replace_text(file, &old, &new);
        let arguments = json!({ "file_path": PATHS[file], "old_string": old, "new_string": new });
        ("Edit", arguments, answer)
    }
}

fn spell_path(path: &str, spelling: PathSpelling) -> String {
    let relative = path.trim_start_matches(DIRECTORY).trim_start_matches('/');
    match spelling {
        PathSpelling::Absolute => path.to_owned(),
        PathSpelling::Relative => relative.to_owned(),
        PathSpelling::Dotted => format!("{DIRECTORY}/./{relative}"),
    }
}

#[cfg(test)]
mod tests;
