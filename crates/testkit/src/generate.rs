//! Random conversations of an agent at work on a small file system.
//!
//! A [`Script`] is a list of operations, which proptest can print and shrink;
//! [`Script::conversation`] carries it out, so that every result is true of the simulated
//! files at that moment. Edits, writes, changes from outside, parallel calls, interrupted
//! calls, compactions, rewinds and pauses longer than a cache lives all occur.

use foveal_transcript::Handle;
use foveal_transcript::{Conversation, EntryIndex, Mark, Role};
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::Builder;
use crate::world::{Answer, DIRECTORY, Numbers, PATHS, World, program_output};

/// How a call spells a path: three ways to name one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// From the root.
    Absolute,
    /// From the working directory.
    Relative,
    /// With a superfluous `.`.
    Dotted,
}

/// One tool call. Files are places in [`PATHS`], lines count from 1, seeds make texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// The read tool on a whole file.
    Read(usize, Spelling),
    /// The read tool on `count` lines from `first`.
    ReadRange(usize, usize, usize),
    /// The tool that gives lines as they are: `count` from `first`.
    ReadLines(usize, usize, usize),
    /// The read tool, told to show everything.
    ReadFull(usize),
    /// What one of the last results was before it was shaped.
    Expand(usize),
    /// `cat` in a shell.
    Cat(usize),
    /// `sed -n first,lastp` in a shell.
    Sed(usize, usize, usize),
    /// The edit tool on the line at this place, with a new text made from the seed.
    Edit(usize, usize, u64),
    /// The edit tool on so many lines from this place on, with as many new ones.
    EditMany(usize, usize, usize, u64),
    /// The write tool: so many lines made from the seed.
    Write(usize, usize, u64),
    /// `git checkout` in a shell: a file is again as it was so many changes ago.
    CheckOut(usize, usize),
    /// The search tool for one of a few words.
    Search(usize),
    /// The list tool.
    List,
    /// A program that prints so many lines made from the seed.
    Run(usize, u64),
    /// A tool nobody knows.
    Unknown,
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// One response with these calls, and their results.
    Respond(Vec<Act>),
    /// A response that only says something.
    Say,
    /// A response whose call gets no result because the user speaks up.
    Interrupt,
    /// The user says something.
    User,
    /// The client puts in a reminder.
    Remind,
    /// Somebody else changes a line of a file.
    Disturb(usize, usize, u64),
    /// The next entry comes so many seconds later.
    Wait(u32),
    /// The client compacts; of the latest entries about so many stay.
    Compact(u32),
    /// The user goes back to before one of their latest messages.
    Rewind(u32),
}

/// A conversation to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Makes the files.
    pub seed: u64,
    /// What happens, in order.
    pub operations: Vec<Operation>,
}

/// Words searched for; the last is nowhere.
const WORDS: [&str; 4] = ["fn visit_", "größe", "}", "nowhere_at_all"];

fn act() -> impl Strategy<Value = Act> {
    let file = || 0..PATHS.len();
    let spelling = prop_oneof![
        3 => Just(Spelling::Absolute),
        1 => Just(Spelling::Relative),
        1 => Just(Spelling::Dotted),
    ];
    prop_oneof![
        8 => (file(), spelling).prop_map(|(file, spelling)| Act::Read(file, spelling)),
        4 => (file(), 1..60usize, 1..60usize).prop_map(|(f, a, n)| Act::ReadRange(f, a, n)),
        2 => (file(), 1..60usize, 1..60usize).prop_map(|(f, a, n)| Act::ReadLines(f, a, n)),
        1 => file().prop_map(Act::ReadFull),
        1 => (0..12usize).prop_map(Act::Expand),
        2 => file().prop_map(Act::Cat),
        2 => (file(), 1..60usize, 0..40usize).prop_map(|(f, a, n)| Act::Sed(f, a, a + n)),
        6 => (file(), 0..90usize, any::<u64>()).prop_map(|(f, at, s)| Act::Edit(f, at, s)),
        3 => (file(), 0..90usize, 2..12usize, any::<u64>())
            .prop_map(|(f, at, n, s)| Act::EditMany(f, at, n, s)),
        1 => (file(), 1..60usize, any::<u64>()).prop_map(|(f, n, s)| Act::Write(f, n, s)),
        2 => (file(), 0..3usize).prop_map(|(file, changes)| Act::CheckOut(file, changes)),
        3 => (0..WORDS.len()).prop_map(Act::Search),
        1 => Just(Act::List),
        4 => (prop_oneof![4 => 0..30usize, 1 => 100..700usize], 0..6u64)
            .prop_map(|(lines, seed)| Act::Run(lines, seed)),
        1 => Just(Act::Unknown),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        24 => prop::collection::vec(act(), 1..4).prop_map(Operation::Respond),
        2 => Just(Operation::Say),
        1 => Just(Operation::Interrupt),
        3 => Just(Operation::User),
        1 => Just(Operation::Remind),
        2 => (0..PATHS.len(), 0..90usize, any::<u64>())
            .prop_map(|(file, line, seed)| Operation::Disturb(file, line, seed)),
        2 => prop_oneof![1..200u32, 280..320u32, 1000..5000u32].prop_map(Operation::Wait),
        1 => (0..12u32).prop_map(Operation::Compact),
        1 => (0..3u32).prop_map(Operation::Rewind),
    ]
}

/// Scripts of up to `operations_max` operations.
pub fn scripts(operations_max: usize) -> impl Strategy<Value = Script> {
    (0..50u64, prop::collection::vec(operation(), 0..=operations_max))
        .prop_map(|(seed, operations)| Script { seed, operations })
}

impl Script {
    /// The conversation, results included. It starts with a system message and a task, and
    /// need not end with a response.
    pub fn conversation(&self) -> Conversation {
        let mut actor = Actor {
            builder: Builder::default(),
            world: World::new(self.seed),
            users: Vec::new(),
            places: Vec::new(),
            answers: Vec::new(),
        };
        actor.builder.message(Role::System, Mark::None, "You are a careful programmer.");
        actor.user("Make the tests pass.");
        for operation in &self.operations {
            actor.carry_out(operation);
        }
        let mut conversation = actor.builder.finish();
        conversation.id = format!("generated-{}", self.seed);
        conversation.directory = Some(DIRECTORY.to_owned());
        conversation
    }
}

struct Actor {
    builder: Builder,
    world: World,
    /// Entries of the user that can be gone back to.
    users: Vec<EntryIndex>,
    /// Entries from which a compaction may keep the rest: no call is torn from its result.
    places: Vec<EntryIndex>,
    /// What was answered so far.
    answers: Vec<String>,
}

impl Actor {
    fn next(&self) -> EntryIndex {
        EntryIndex(self.builder.len())
    }

    fn user(&mut self, text: &str) {
        self.users.push(self.next());
        self.places.push(self.next());
        self.builder.message(Role::User, Mark::None, text);
    }

    fn carry_out(&mut self, operation: &Operation) {
        match operation {
            Operation::Respond(acts) => self.respond(acts),
            Operation::Say => self.say("I have looked at it and go on."),
            Operation::Interrupt => {
                self.say("One moment.");
                self.builder.call("Bash", json!({ "command": "sleep 100" }));
                self.user("No, stop.");
            }
            Operation::User => self.user("And now the other one."),
            Operation::Remind => {
                self.builder.message(Role::User, Mark::Injected, "Remember the plan.");
            }
            Operation::Disturb(file, line, seed) => {
                self.world.disturb(*file, *line, Numbers::new(*seed).line());
            }
            Operation::Wait(seconds) => self.builder.wait_ms(i64::from(*seconds) * 1000),
            Operation::Compact(keep) => self.compact(*keep),
            Operation::Rewind(back) => {
                let at = self.users.len().saturating_sub(1 + *back as usize);
                let to = self.users[at];
                self.users.truncate(at);
                self.places.retain(|place| *place < to);
                self.users.push(self.next());
                self.builder.message(Role::User, Mark::Rewind { to }, "Do it another way.");
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.places.push(self.next());
        self.builder.message(Role::Assistant, Mark::None, text);
    }

    fn compact(&mut self, keep: u32) {
        let from = self.next().0.saturating_sub(keep);
        let keep_from = self.places.iter().copied().find(|place| place.0 >= from);
        self.builder.message(Role::System, Mark::CompactBoundary { keep_from }, "");
        self.users.clear();
        self.places.clear();
        self.users.push(self.next());
        self.builder.message(Role::User, Mark::CompactSummary, "So far: the tests fail.");
    }

    fn respond(&mut self, acts: &[Act]) {
        self.say("");
        let answers: Vec<Answer> = acts.iter().map(|act| self.act(act)).collect();
        for answer in answers {
            self.builder.result(&answer.content, answer.is_error);
            self.answers.push(answer.content);
        }
    }

    /// Makes the call and says what it answers.
    fn act(&mut self, act: &Act) -> Answer {
        let (name, arguments, answer) = match act {
            Act::Read(file, spelling) => {
                let arguments = json!({ "file_path": spell(PATHS[*file], *spelling) });
                ("Read", arguments, self.world.numbered(*file, None))
            }
            Act::ReadRange(file, first, count) => {
                let arguments =
                    json!({ "file_path": PATHS[*file], "offset": first, "limit": count });
                ("Read", arguments, self.world.numbered(*file, Some((*first, *count))))
            }
            Act::ReadLines(file, first, count) => {
                let (path, last) = (PATHS[*file], first + count - 1);
                let arguments = json!({ "path": path, "start": first, "end": last });
                ("read_lines", arguments, self.world.numbered(*file, Some((*first, *count))))
            }
            Act::ReadFull(file) => {
                let arguments = json!({ "path": PATHS[*file], "mode": "full" });
                ("read_file", arguments, self.world.numbered(*file, None))
            }
            Act::Expand(back) => self.expand(*back),
            Act::Cat(file) => {
                let command = format!("cat {}", PATHS[*file]);
                ("Bash", json!({ "command": command }), self.world.plain(*file, None))
            }
            Act::Sed(file, first, last) => {
                let command = format!("sed -n {first},{last}p {}", PATHS[*file]);
                let range = Some((*first, last - first + 1));
                ("Bash", json!({ "command": command }), self.world.plain(*file, range))
            }
            Act::Edit(file, at, seed) => self.edit(*file, *at, 1, *seed),
            Act::EditMany(file, at, count, seed) => self.edit(*file, *at, *count, *seed),
            Act::Write(file, count, seed) => {
                let lines = Numbers::new(*seed).lines(*count);
                let arguments = json!({ "file_path": PATHS[*file], "content": lines.join("\n") });
                ("Write", arguments, self.world.put(*file, lines))
            }
            Act::CheckOut(file, changes) => {
                let command = format!("git checkout -- {}", PATHS[*file]);
                let answer = self.world.check_out(*file, *changes);
                ("Bash", json!({ "command": command }), answer)
            }
            Act::Search(word) => {
                let arguments = json!({ "pattern": WORDS[*word], "output_mode": "content" });
                ("Grep", arguments, self.world.search(WORDS[*word]))
            }
            Act::List => ("Glob", json!({ "pattern": "**/*" }), self.world.list()),
            Act::Run(lines, seed) => {
                let arguments = json!({ "command": "cargo test" });
                ("Bash", arguments, program_output(*seed, *lines))
            }
            Act::Unknown => {
                let content = "noted".to_owned();
                ("ponder", json!({ "thought": "hm" }), Answer { content, is_error: false })
            }
        };
        self.builder.call(name, arguments);
        answer
    }

    fn expand(&self, back: usize) -> (&'static str, serde_json::Value, Answer) {
        let content = self.answers.iter().rev().nth(back).cloned();
        let is_error = content.is_none();
        let content = content.unwrap_or_else(|| "no content has this handle".to_owned());
        let handle = Handle::of(content.as_bytes());
        ("expand", json!({ "handle": handle }), Answer { content, is_error })
    }

    fn edit(
        &mut self,
        file: usize,
        at: usize,
        count: usize,
        seed: u64,
    ) -> (&'static str, serde_json::Value, Answer) {
        let lines = self.world.file(file).unwrap_or_default();
        let at = at % lines.len().max(1);
        let old = lines[at..lines.len().min(at + count)].join("\n");
        let new = Numbers::new(seed).lines(count).join("\n");
        let answer = self.world.replace(file, &old, &new);
        let arguments = json!({ "file_path": PATHS[file], "old_string": old, "new_string": new });
        ("Edit", arguments, answer)
    }
}

fn spell(path: &str, spelling: Spelling) -> String {
    let relative = path.trim_start_matches(DIRECTORY).trim_start_matches('/');
    match spelling {
        Spelling::Absolute => path.to_owned(),
        Spelling::Relative => relative.to_owned(),
        Spelling::Dotted => format!("{DIRECTORY}/./{relative}"),
    }
}

#[cfg(test)]
mod tests;
