//! A workspace in a temporary folder, a store in memory, and a session that works in it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use foveal_index::Index;
use foveal_sandbox::{CommandEnvironment, ShellProgram};
use foveal_store::{SqliteStore, Store};
use foveal_tools::clock::Clock;
use foveal_tools::settings::ToolSettings;
use foveal_tools::toolbox::CommandRuntime;
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession, Toolbox};
use foveal_transcript::Timestamp;
use foveal_workspace::WorkspaceRoots;
use serde_json::Value;

use crate::note_rows::without_notes;

/// A clock that stands still unless it is moved.
#[derive(Debug)]
pub(crate) struct Standing(AtomicI64);

impl Clock for Standing {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }

    fn local_time(&self, time: Timestamp) -> (u8, u8, u8) {
        let seconds = u32::try_from(time.0.rem_euclid(86_400_000) / 1000).expect("within a day");
        let part = |part: u32| u8::try_from(part).expect("below 60");
        (part(seconds / 3600), part(seconds / 60 % 60), part(seconds % 60))
    }
}

/// A workspace, and a session in it.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) session: ToolSession,
    clock: Arc<Standing>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(ToolSettings::default())
    }

    pub(crate) fn with(settings: ToolSettings) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let clock = Arc::new(Standing(AtomicI64::new(37_425_000)));
        let mut toolbox = toolbox(folder.path().to_owned(), settings);
        toolbox.clock = clock.clone();
        let toolbox = Arc::new(toolbox);
        let session = ToolSession::new(&toolbox, "test");
        Self { folder, toolbox, session, clock }
    }

    /// Another session in the same workspace; the same if there was one of that name.
    pub(crate) fn session_named(&self, name: &str) -> ToolSession {
        ToolSession::new(&self.toolbox, name)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    /// Waits until what was written counts as old.
    pub(crate) fn settle(&self) {
        std::thread::sleep(std::time::Duration::from_millis(60));
    }

    pub(crate) fn on_disk(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).expect("a file")
    }

    pub(crate) fn pass(&self, ms: i64) {
        self.clock.0.fetch_add(ms, Ordering::Relaxed);
    }

    pub(crate) fn ask(&self, tool: &str, arguments: Value) -> ToolCallAnswer {
        let answer = self.session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE);
        without_notes(&answer);
        answer
    }

    /// The text of an answer that is no error.
    #[track_caller]
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> String {
        let answer = self.ask(tool, arguments);
        assert!(!answer.is_error, "{}", answer.text);
        answer.text
    }

    /// The text of an answer that is one.
    #[track_caller]
    pub(crate) fn refused(&self, tool: &str, arguments: Value) -> String {
        let answer = self.ask(tool, arguments);
        assert!(answer.is_error, "{}", answer.text);
        answer.text
    }
}

/// Tools for `folder` that remember in memory.
pub(crate) fn toolbox(folder: PathBuf, settings: ToolSettings) -> Toolbox {
    let store = SqliteStore::in_memory().expect("a store in memory");
    toolbox_over(folder, settings, Arc::new(store))
}

/// Tools for `folder` that remember in `store`.
pub(crate) fn toolbox_over(
    folder: PathBuf,
    settings: ToolSettings,
    store: Arc<dyn Store>,
) -> Toolbox {
    let roots = WorkspaceRoots::open(&[&folder]).expect("the folder is there");
    let path = std::env::var_os("PATH");
    let environment =
        CommandEnvironment::from_inherited(path.clone().map(|path| ("PATH".into(), path)));
    let shell = ShellProgram::find(path.as_deref()).expect("a shell");
    let host = CommandRuntime { environment, shell, sandbox: None, guard: None };
    Toolbox::new(roots, store, Box::new(move || Index::in_memory(&folder, None)), host, settings)
}

/// A Rust file of `count` functions of five lines each, the last line of which is blank.
pub(crate) fn source(count: usize) -> String {
    let function = |n: usize| {
        format!(
            "pub fn step_{n}(value: u64) -> u64 {{\n    let doubled = value * {n};\n    doubled + {n}\n}}\n\n"
        )
    };
    (0..count).map(function).collect()
}
