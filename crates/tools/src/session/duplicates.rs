//! Calls that an earlier answer answers.

use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::calls::{Asked, CallTracker, Declared, Extent, cached_note};
use foveal_context::handle::Handle;

use foveal_files::tree::{self, Scope};
use foveal_files::{Bounds, ContentHash, Located, Opened};

use crate::answer::{Dependency, Found};
use crate::table::Tool;

use super::place::means_all;
use super::{Request, Session, Work};

/// What is remembered of a call that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The whole text.
    pub content: Handle,
    /// Its bytes.
    pub bytes: u64,
}

/// The calls of all sessions of a process.
pub type Calls = CallTracker<Recorded, Vec<Dependency>>;

/// Tools that without a path mean the folder in which commands are run.
const FROM_HERE: [&str; 3] = ["grep", "glob", "list"];

/// Lines around a hit that a call asks for.
fn context(arguments: &Value) -> u64 {
    arguments.get("context").and_then(Value::as_u64).unwrap_or(0)
}

impl Session {
    /// Switches answers from earlier calls on or off for this session; `None`: as for all.
    pub fn set_duplicate_detection(&self, detect: Option<bool>) {
        self.toolbox.calls().set_detection(&self.id, detect, self.toolbox.clock.now());
    }

    /// Forgets the calls of this session, so that each is carried out again.
    pub fn clear_calls(&self) {
        self.toolbox.calls().clear_session(&self.id);
    }

    /// The call as it is looked up.
    pub(super) fn asked(&self, tool: &Tool, request: &Request) -> Asked {
        let declared = if tool.hints.read_only { Declared::ReadOnly } else { Declared::Other };
        let roots = self.roots();
        let key = |path: &str| match roots.resolve(path) {
            Ok(located) => located.key().as_str().to_owned(),
            Err(_) => path.to_owned(),
        };
        let mut arguments = request.arguments.clone();
        let path = arguments.get("path").and_then(Value::as_str);
        let is_here = arguments.get("path").is_none_or(|path| path.as_str() == Some(""));
        let means_all = means_all(&roots, path);
        if FROM_HERE.contains(&tool.name)
            && is_here
            && let Value::Object(arguments) = &mut arguments
        {
            // It means the folder of commands, which is another one later, or what no path means.
            let path = if means_all { "every root\n" } else { "." };
            arguments.insert("path".to_owned(), path.into());
        }
        let asked = self.toolbox.calls().ask(tool.name, declared, arguments, &key);
        let detects = request.detect_duplicates && self.toolbox.settings.detect_duplicates;
        if detects { asked } else { asked.without_detection() }
    }

    /// What an earlier call found, if it still holds.
    pub(super) fn cached(&self, work: &Work<'_>, asked: &Asked) -> Option<Found> {
        let now = self.toolbox.clock.now();
        let (id, time, recorded, depends) = {
            let mut calls = self.toolbox.calls();
            let hit = calls.look_up(&self.id, asked, now).ok()?;
            if hit.extent != Extent::Same {
                return None;
            }
            let record = hit.record;
            if context(asked.arguments()) > context(&record.arguments) {
                return None;
            }
            (record.id, record.time, record.result.clone(), record.dependencies.clone())
        };
        let holds = depends.iter().all(|dependency| work.still_holds(dependency));
        let content = if holds { self.content(recorded.content) } else { None };
        let Some(text) = content else {
            self.toolbox.calls().refuse(&self.id, id);
            return None;
        };
        self.toolbox.calls().confirm(&self.id, asked, recorded.bytes);
        let (hour, minute, second) = self.toolbox.clock.local(time);
        let note = cached_note(hour, minute, second);
        Some(Found { text, note: Some(note), cached: true, ..Found::default() })
    }

    /// Remembers what a call found, where it can be told whether that still holds.
    pub(super) fn record(
        &self,
        asked: Asked,
        content: Handle,
        bytes: u64,
        depends: Vec<Dependency>,
    ) {
        if depends.is_empty() {
            return;
        }
        let now = self.toolbox.clock.now();
        let mut calls = self.toolbox.calls();
        calls.record(&self.id, asked, Recorded { content, bytes }, depends, now);
        let history = calls.session_history(&self.id).map(serde_json::to_value);
        drop(calls);
        if let Some(Ok(history)) = history {
            drop(self.toolbox.store.set_calls(&self.stored, &history, now));
        }
    }
}

impl Work<'_> {
    /// Whether what an answer rests on is as it was then.
    fn still_holds(&self, dependency: &Dependency) -> bool {
        match dependency {
            // What was allowed once is asked about again.
            Dependency::File(path, content) => self
                .file(&tree::name_of(path))
                .is_ok_and(|located| self.content_of(&located) == Some(*content)),
            Dependency::Tree(path, since) => self.is_unchanged(path, *since),
            Dependency::Directory(path) => path == self.session.roots().working_directory(),
        }
    }

    fn is_unchanged(&self, path: &Path, since: SystemTime) -> bool {
        let Ok(located) = self.file(&tree::name_of(path)) else { return false };
        let path = tree::name_of(located.relative()).into_owned();
        let scope = Scope { path, ..Scope::default() };
        let base = located.root().path();
        tree::is_unchanged(base, &scope, since, self.control.go_on).unwrap_or(false)
    }

    fn content_of(&self, located: &Located) -> Option<ContentHash> {
        let opened = Opened::open(located).ok()?;
        Some(opened.hash(&Bounds { bytes_max: u64::MAX }, self.control.go_on).ok()?.hash)
    }
}
