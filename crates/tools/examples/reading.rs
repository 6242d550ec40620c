//! How long reads take: a file of 1,000 lines read first, curated for a question, and read
//! again unchanged; each answer with all that is remembered and stored for it.
//!
//! `cargo run --release -p foveal-tools --example reading -- [ROUNDS]`

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_index::Index;
use foveal_sandbox::{CommandEnvironment, ShellProgram};
use foveal_store::SqliteStore;
use foveal_tools::settings::ToolSettings;
use foveal_tools::toolbox::CommandRuntime;
use foveal_tools::{CallControl, ToolRequest, ToolSession, Toolbox};
use foveal_workspace::WorkspaceRoots;
use serde_json::json;

/// Files read where nothing is given.
const ROUNDS: usize = 200;

/// Sources of this crate, of which files of 1,000 lines are made.
const SOURCES: [&str; 4] = [
    include_str!("../src/file_writing/file_edit.rs"),
    include_str!("../src/file_reading/file_read.rs"),
    include_str!("../src/session/transcript_shaper.rs"),
    include_str!("../src/code_index.rs"),
];

fn main() {
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let toolbox = Arc::new(toolbox(folder.path()));
    for round in 0..=rounds {
        fs::write(folder.path().join(name(round)), source(round)).expect("a file");
    }
    let session = ToolSession::new(&toolbox, "reading");
    let cold = first(&session, 0);
    // Times of files written just now are not trusted.
    std::thread::sleep(Duration::from_millis(100));
    let curated: Vec<Duration> = (1..=rounds).map(|round| first(&session, round)).collect();
    let again: Vec<Duration> = (1..=rounds).map(|round| pointer(&session, round)).collect();
    println!("first read of 1,000 lines, curated, in a new process   {:8.2} ms", ms(cold));
    tell("first read of 1,000 lines, curated", curated);
    tell("the same again, unchanged", again);
}

fn toolbox(folder: &std::path::Path) -> Toolbox {
    let roots = WorkspaceRoots::open(&[folder]).expect("the folder is there");
    let store = SqliteStore::open(&folder.join(".store/store.db")).expect("a store");
    let shell = ShellProgram::find(std::env::var_os("PATH").as_deref()).expect("a shell");
    let host = CommandRuntime {
        environment: CommandEnvironment::from_inherited([]),
        shell,
        sandbox: None,
        guard: None,
    };
    let root = folder.to_owned();
    let open = Box::new(move || Index::in_memory(&root, None));
    Toolbox::new(roots, Arc::new(store), open, host, ToolSettings::default())
}

fn name(round: usize) -> String {
    format!("file_{round}.rs")
}

/// 1,000 lines that are in no other file.
fn source(round: usize) -> String {
    let lines = SOURCES.iter().flat_map(|source| source.lines()).cycle().take(999);
    format!("// {round}\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}

fn first(session: &ToolSession, round: usize) -> Duration {
    // A fresh start each time, or all lines would stand above.
    session.clear_visibility();
    let question = format!("how is file {round} put back when writing fails?");
    let (text, took) = read(session, json!({"path": name(round), "question": question}));
    assert!(text.contains("(curated)"), "{}", &text[..100]);
    took
}

fn pointer(session: &ToolSession, round: usize) -> Duration {
    session.clear_visibility();
    read(session, json!({"path": name(round), "mode": "full"}));
    let (text, took) = read(session, json!({"path": name(round)}));
    assert!(text.contains("unchanged, its 1000 lines"), "{text}");
    took
}

fn read(session: &ToolSession, arguments: serde_json::Value) -> (String, Duration) {
    let request = ToolRequest::new("read_file", arguments);
    let begin = Instant::now();
    let answer = session.call(&request, &CallControl::NONE);
    (answer.text, begin.elapsed())
}

fn tell(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| ms(times[((times.len() - 1) as f64 * share) as usize]);
    println!("{what:54} {:8.3} ms p50, {:8.3} ms p99, {} times", at(0.5), at(0.99), times.len());
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
