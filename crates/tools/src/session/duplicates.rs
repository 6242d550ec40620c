//! Calls that an earlier answer answers.

use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_calls::{CallTracker, Declared, Extent, Hit, Miss, Query, cached_note};
use foveal_transcript::Handle;

use foveal_files::Freshness;
use foveal_files::tree::{self, Scope};

use crate::answer::{Dependency, Found};
use crate::table::Tool;

use super::place::means_all;
use super::{KnownFile, Request, Session, Work};

/// What is remembered of a call that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The whole text.
    pub content: Handle,
    /// Its bytes.
    pub bytes: u64,
    /// The same as data, where that is short.
    #[serde(default)]
    pub data: Option<Value>,
}

/// The calls of all sessions of a process.
pub type Calls = CallTracker<Recorded, Vec<Dependency>>;

/// Tools that without a path mean the folder in which commands are run.
const FROM_HERE: [&str; 3] = ["grep", "glob", "list"];

/// Texts of a call that are longer are remembered by their hash.
const TEXT_BYTES_MAX: usize = 256;

/// Data that is longer, as JSON, is not remembered.
const DATA_BYTES_MAX: usize = 4 * 1024;

/// Lines around a hit that a call asks for.
fn context(arguments: &Value) -> u64 {
    arguments.get("context").and_then(Value::as_u64).unwrap_or(0)
}

/// The arguments with a hash in place of each long text: equal ones stay equal, others others.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            format!("blake3 {}", blake3::hash(text.as_bytes()).to_hex()).into()
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(properties) => {
            let short = |(name, value): (&String, &Value)| (name.clone(), shortened(value));
            Value::Object(properties.iter().map(short).collect())
        }
        other => other.clone(),
    }
}

impl Session {
    /// Switches answers from earlier calls on or off for this session; `None`: as for all.
    pub fn set_duplicate_detection(&self, detect: Option<bool>) {
        self.toolbox.calls().set_detection(&self.id, detect, self.toolbox.clock.now());
        self.save_calls();
    }

    /// Forgets the calls of this session, so that each is carried out again.
    pub fn clear_calls(&self) {
        self.toolbox.calls().clear_session(&self.id);
        self.save_calls();
    }

    /// How often calls were answered from earlier ones, in all sessions of this process.
    pub fn call_statistics(&self) -> foveal_calls::Statistics {
        self.toolbox.call_statistics()
    }

    /// How many calls of this session are remembered.
    pub fn remembered_calls(&self) -> usize {
        self.toolbox.calls().records(&self.id).count()
    }

    /// Keeps what is remembered of this session across a restart.
    fn save_calls(&self) {
        let history = self.toolbox.calls().session_history(&self.id).map(serde_json::to_value);
        let history = history.unwrap_or(Ok(Value::Null));
        if let Ok(history) = history {
            let now = self.toolbox.clock.now();
            let store = &self.toolbox.store;
            drop(self.opened(|| store.set_calls(&self.stored, &history, now)));
        }
    }

    /// The call as it is looked up.
    pub(super) fn asked(&self, tool: &Tool, request: &Request) -> Query {
        let declared = if tool.hints.read_only { Declared::ReadOnly } else { Declared::Other };
        let roots = self.roots();
        let key = |path: &str| match roots.resolve(path) {
            Ok(located) => located.key().as_str().to_owned(),
            Err(_) => path.to_owned(),
        };
        let mut arguments = shortened(&request.arguments);
        let path = request.arguments.get("path").and_then(Value::as_str);
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
        let asked = self.toolbox.calls().query(tool.name, declared, arguments, &key);
        if request.detect_duplicates { asked } else { asked.without_detection() }
    }

    /// Whether the lines that a call asks for count as seen.
    fn has_seen(&self, arguments: &Value) -> bool {
        let path = arguments.get("path").and_then(Value::as_str);
        let located = path.and_then(|path| self.roots().resolve(path).ok());
        let number = |name: &str| {
            let number = arguments.get(name).and_then(Value::as_u64)?;
            Some(u32::try_from(number).unwrap_or(u32::MAX))
        };
        let (Some(located), Some(start), Some(end)) = (located, number("start"), number("end"))
        else {
            return false;
        };
        let has_seen = |known: &KnownFile| known.seen.holds_all(start, end.min(known.count()));
        self.of_known(&located.key(), has_seen).unwrap_or(false)
    }

    /// Whether a call may be answered by what was answered before.
    pub(super) fn detects(&self, tool: &Tool, request: &Request) -> bool {
        request.detect_duplicates && self.toolbox.calls().detects_tool(&self.id, tool.name)
    }

    /// What an earlier call found, if it still holds.
    pub(super) fn cached(&self, work: &Work<'_>, asked: &Query) -> Result<Found, Miss> {
        let now = self.toolbox.clock.now();
        // Lines that are given again count as seen; that is for the read to note.
        let is_seen = work.tool.name != "read_lines" || self.has_seen(asked.arguments());
        let (id, time, recorded, depends) = {
            let is_usable = |hit: &Hit<'_, Recorded, Vec<Dependency>>| {
                hit.extent == Extent::Same
                    && is_seen
                    && context(asked.arguments()) <= context(&hit.record.arguments)
            };
            let mut calls = self.toolbox.calls();
            let record = calls.look_up_if(&self.id, asked, now, is_usable)?.record;
            (record.id, record.time, record.result.clone(), record.dependencies.clone())
        };
        let holds: Option<Vec<Dependency>> =
            depends.into_iter().map(|dependency| work.still_holds(dependency)).collect();
        let holds = holds.zip(self.whole_content(recorded.content));
        let Some((depends, text)) = holds else {
            self.toolbox.calls().refuse(&self.id, id);
            return Err(Miss::New);
        };
        let mut calls = self.toolbox.calls();
        calls.renew(&self.id, id, depends);
        calls.confirm(&self.id, asked, recorded.bytes);
        drop(calls);
        self.save_calls();
        let (hour, minute, second) = self.toolbox.clock.local(time);
        let mut note = cached_note(hour, minute, second);
        if !work.tool.hints.read_only {
            note.push_str("\n[nothing was written: the files hold this already]");
        }
        let structured = recorded.data;
        Ok(Found { text, structured, note: Some(note), cached: true, ..Found::default() })
    }

    /// Remembers that the tool itself answered by what is kept for all sessions.
    pub(super) fn note_shared(&self, asked: &Query, bytes: u64) {
        let now = self.toolbox.clock.now();
        self.toolbox.calls().answer_from_elsewhere(&self.id, asked, bytes, now);
        self.save_calls();
    }

    /// What is to be remembered of a call that found this, where it can be told whether that
    /// still holds.
    pub(super) fn to_record(&self, found: &Found) -> Option<ToRecord> {
        if found.is_error || found.depends.is_empty() {
            return None;
        }
        let data = found.structured.clone();
        Some(ToRecord {
            bytes: found.text.len() as u64,
            data: data.filter(|data| data.to_string().len() <= DATA_BYTES_MAX),
            depends: found.depends.clone(),
        })
    }

    /// Remembers what a call found; its text stands behind `content`.
    pub(super) fn record(&self, asked: Query, content: Handle, what: ToRecord) {
        let ToRecord { bytes, data, depends } = what;
        let recorded = Recorded { content, bytes, data };
        let now = self.toolbox.clock.now();
        let id = self.toolbox.calls().record(&self.id, asked, recorded, depends, now);
        if id.is_some() {
            self.save_calls();
        }
    }
}

/// What is to be remembered of a call, but for where its text is kept.
pub(super) struct ToRecord {
    bytes: u64,
    data: Option<Value>,
    depends: Vec<Dependency>,
}

impl Work<'_> {
    /// What an answer rests on, if that is as it was then.
    fn still_holds(&self, dependency: Dependency) -> Option<Dependency> {
        match dependency {
            // What was allowed once is asked about again.
            Dependency::Directory(path) => (path == self.session.roots().working_directory())
                .then_some(Dependency::Directory(path)),
            Dependency::File(path, version) => {
                let located = self.file(&tree::name_of(&path)).ok()?;
                match version.check(&located, self.control.cancel).ok()? {
                    Freshness::Same(version) => Some(Dependency::File(path, version)),
                    Freshness::Changed => None,
                }
            }
            Dependency::Tree(path, since) => {
                let is_unchanged = self.is_unchanged(&path, since);
                is_unchanged.then_some(Dependency::Tree(path, since))
            }
            Dependency::Index(query, since) => {
                self.permit(&query, None).ok()?;
                let is_unchanged =
                    |root: &Path| self.is_scope_unchanged(root, &Scope::default(), since);
                let roots = self.session.roots();
                let all = roots.all().all(|root| is_unchanged(root.path()));
                all.then_some(Dependency::Index(query, since))
            }
        }
    }

    fn is_unchanged(&self, path: &Path, since: SystemTime) -> bool {
        let Ok(located) = self.file(&tree::name_of(path)) else { return false };
        let path = tree::name_of(located.relative()).into_owned();
        let scope = Scope { path, ..Scope::default() };
        self.is_scope_unchanged(located.root().path(), &scope, since)
    }

    fn is_scope_unchanged(&self, base: &Path, scope: &Scope, since: SystemTime) -> bool {
        tree::is_unchanged(base, scope, since, self.control.cancel).unwrap_or(false)
    }
}
