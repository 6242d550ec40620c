//! What a person wants of the agent beside talking.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use anyhow::{Context, bail};
use foveal_agent::{Agent, Event, MapChange};
use foveal_cancel::Cancel;
use foveal_chat::{Input, NoteKind};
use foveal_live::Conversations;
use foveal_screen::numbers::{count, plural};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::{FileBack, Session, Stands};

use super::arrived::Arrived;
use crate::commands::own_agent::Control;
use crate::notice;
use crate::session_control::{SaidByPerson, change, compact, line_of, map, said_by_person};

/// Makes wishes of what the person wants. They are carried out where the agent is, and what comes of
/// them arrives.
#[derive(Clone)]
pub(super) struct Controls {
    shaper: Arc<Conversations>,
    tools: Arc<Session>,
    arrived: SyncSender<Arrived>,
}

/// What goes back to before a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Back {
    Conversation,
    Files,
    Both,
}

impl Controls {
    /// Of an agent whose requests `shaper` decides about, and whose calls are made in `tools`.
    pub(super) fn new(
        shaper: Arc<Conversations>,
        tools: Arc<Session>,
        arrived: SyncSender<Arrived>,
    ) -> Self {
        Self { shaper, tools, arrived }
    }

    /// Tells what stands in the prompt.
    pub(super) fn map(&self) -> Control {
        let it = self.clone();
        Box::new(move |agent| {
            it.tell_map(agent);
            None
        })
    }

    /// Changes what is sent of a result, and tells what stands in the prompt then.
    pub(super) fn change(&self, wanted: MapChange) -> Control {
        let it = self.clone();
        Box::new(move |agent| {
            if let Err(error) = change(&it.shaper, agent, wanted, SystemClock.now()) {
                it.note(NoteKind::Warning, error.to_string());
            }
            it.tell_map(agent);
            None
        })
    }

    /// Has old results rewritten with the next request.
    pub(super) fn compact(&self) -> Control {
        let it = self.clone();
        Box::new(move |agent| {
            match compact(&it.shaper, agent, SystemClock.now()) {
                Ok(done) if done.results == 0 => {
                    it.note(NoteKind::Aside, "nothing of the prompt can be made smaller".into());
                }
                Ok(done) => it.note(
                    NoteKind::Aside,
                    format!(
                        "the next request goes with {} tokens in place of {}: {} are shortened",
                        count(done.after.0),
                        count(done.before.0),
                        plural(done.results as u64, "result")
                    ),
                ),
                Err(error) => it.note(NoteKind::Warning, error.to_string()),
            }
            None
        })
    }

    /// Puts the files back that were changed since the person said something last.
    pub(super) fn undo(&self) -> Control {
        let it = self.clone();
        Box::new(move |agent| {
            let said = said_by_person(agent.conversation().entries());
            let done = it.idle(agent).and_then(|()| {
                let last = said.last().context("nothing was said yet")?;
                it.put_back(last)
            });
            it.tell(done);
            None
        })
    }

    /// Goes back to before a message, as `argument` says; without one, tells what there is to go
    /// back to, or what going back would change.
    pub(super) fn rewind(&self, argument: String) -> Control {
        let it = self.clone();
        Box::new(move |agent| match it.rewound(agent, &argument) {
            Ok((told, event)) => {
                it.tell(Ok(told));
                event
            }
            Err(error) => {
                it.tell(Err(error));
                None
            }
        })
    }

    fn rewound(&self, agent: &Agent, argument: &str) -> anyhow::Result<(String, Option<Event>)> {
        self.idle(agent)?;
        let entries = agent.conversation().entries();
        let said = said_by_person(entries);
        let mut words = argument.split_whitespace();
        let Some(number) = words.next() else { return Ok((listed(&said), None)) };
        let target =
            number.parse::<usize>().ok().and_then(|number| said.get(number.checked_sub(1)?));
        let target = target.with_context(|| {
            format!("there is no message `{number}` of yours\n{}", listed(&said))
        })?;
        let back = match words.next() {
            None => return Ok((self.plan(target, number, entries.len())?, None)),
            Some("both") => Back::Both,
            Some("files") => Back::Files,
            Some("conversation") => Back::Conversation,
            Some(other) => {
                bail!("`{other}` is none of `both`, `conversation` and `files`");
            }
        };
        let mut told = match back {
            Back::Conversation => String::new(),
            Back::Files | Back::Both => self.put_back(target)?,
        };
        if back == Back::Files {
            return Ok((told, None));
        }
        self.tools.forget();
        let text = entries.get(target.place).map(foveal_transcript::Entry::text);
        let entries = entries[..target.place].to_vec();
        self.send(Input::Rewound { entries, text: text.unwrap_or_default() });
        told = format!("the conversation is as it was before message {number}\n{told}");
        Ok((told.trim_end().to_owned(), Some(Event::Rewind { to: target.place })))
    }

    /// What going back would change.
    fn plan(&self, target: &SaidByPerson, number: &str, messages: usize) -> anyhow::Result<String> {
        let gone = plural((messages - target.place) as u64, "message");
        let mut told = format!("back to before \"{}\": {gone} left out", target.words);
        for file in &self.files(target)? {
            write!(told, "\n  {}", line_of(file, false)).expect("strings take all text");
        }
        let how = format!(
            "\n/rewind {number} both does it; `conversation` or `files` in place of `both` goes \
             back with that alone"
        );
        told.push_str(&how);
        Ok(told)
    }

    fn files(&self, target: &SaidByPerson) -> anyhow::Result<Vec<FileBack>> {
        let since =
            target.time.context("it is not known when that was said: files stay as they are")?;
        Ok(self.tools.files_since(since, &Cancel::NEVER)?)
    }

    /// Puts the files back that were changed since a message; what became of each.
    fn put_back(&self, target: &SaidByPerson) -> anyhow::Result<String> {
        let files = self.files(target)?;
        let ours: Vec<&FileBack> =
            files.iter().filter(|file| file.stands == Stands::Ours).collect();
        self.tools.put_files_back(&ours, &Cancel::NEVER)?;
        if files.is_empty() {
            return Ok("no file was written since".to_owned());
        }
        let lines: Vec<String> = files.iter().map(|file| line_of(file, false)).collect();
        Ok(lines.join("\n"))
    }

    fn idle(&self, agent: &Agent) -> anyhow::Result<()> {
        match agent.is_idle() {
            true => Ok(()),
            false => bail!("that can be done once the agent is done: Ctrl+C stops it"),
        }
    }

    fn tell_map(&self, agent: &Agent) {
        self.send(Input::Map(map(&self.shaper, agent, SystemClock.now())));
    }

    fn tell(&self, done: anyhow::Result<String>) {
        match done {
            Ok(text) => self.note(NoteKind::Aside, text),
            Err(error) => self.note(NoteKind::Warning, notice::in_one_line(error.as_ref())),
        }
    }

    fn note(&self, kind: NoteKind, text: String) {
        self.send(Input::Note(kind, text));
    }

    fn send(&self, input: Input) {
        // Who no longer listens has ended.
        drop(self.arrived.send(Arrived::Input(input)));
    }
}

/// What the person said, with numbers.
fn listed(said: &[SaidByPerson]) -> String {
    if said.is_empty() {
        return "nothing was said yet".to_owned();
    }
    let lines = said.iter().zip(1..).map(|(said, number)| format!("\n  {number}  {}", said.words));
    let lines: String = lines.collect();
    format!("/rewind N goes back to before one of these:{lines}")
}
