//! How long a person waits for the screen.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use foveal_mock_provider::{MockProvider, ModelReply, ReplyCall, ReplyScript, Settings};
use serde_json::json;

use super::stream::{Server, Stream};
use super::terminal::Terminal;

const ENTER: &str = "\r";
const SIZE: (u16, u16) = (80, 24);

/// How often each is measured.
const TIMES: usize = 20;

/// Files of the long session, and lines of each.
const FILES: usize = 78;
const LINES: usize = 1_400;

/// Measures, and prints a table.
pub(crate) fn print(program: &Path) -> anyhow::Result<()> {
    println!("| what | wanted | median | slowest of {TIMES} |\n|---|---:|---:|---:|");
    row("`foveal chat` is up", 60, start(program)?);
    row("the model's first token is on the screen", 5, first_token(program)?);
    row("a key is on the screen while 500 events a second stream", 16, keys(program)?);
    let (tokens, times) = resumed(program)?;
    row(&format!("a session of {tokens} tokens is gone on with"), 300, times);
    Ok(())
}

fn row(what: &str, wanted_ms: u32, mut times: Vec<Duration>) {
    times.sort();
    let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let (median, most) = (ms(times.get(times.len() / 2)), ms(times.last()));
    println!("| {what} | {wanted_ms} ms | {median:.1} ms | {most:.1} ms |");
}

fn start(program: &Path) -> anyhow::Result<Vec<Duration>> {
    let home = tempfile::tempdir()?;
    let once = || {
        let begun = Instant::now();
        let mut chat = Terminal::chat(program, home.path(), "http://127.0.0.1:9", &[], SIZE)?;
        let took = chat.shows("/help lists keys")? - begun;
        chat.quits()?;
        Ok(took)
    };
    // The first run makes what later ones find.
    once().and_then(|_| (0..TIMES).map(|_| once()).collect())
}

fn first_token(program: &Path) -> anyhow::Result<Vec<Duration>> {
    let home = tempfile::tempdir()?;
    let stream = Stream {
        waits: Duration::from_millis(333),
        pieces: vec!["Zorp.".to_owned()],
        every: Duration::ZERO,
    };
    let server = Server::start(stream)?;
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let mut chat = Terminal::chat(program, home.path(), &server.url, &[], SIZE)?;
        chat.shows("/help lists keys")?;
        chat.types("go")?.types(ENTER)?;
        let shown = chat.shows("Zorp.")?;
        times.push(shown.saturating_duration_since(server.first.recv()?));
        chat.quits()?;
    }
    Ok(times)
}

fn keys(program: &Path) -> anyhow::Result<Vec<Duration>> {
    let home = tempfile::tempdir()?;
    let pieces = (0..4_000).map(|at| format!("word{at} ")).collect();
    let stream = Stream { waits: Duration::ZERO, pieces, every: Duration::from_millis(2) };
    let server = Server::start(stream)?;
    let mut chat = Terminal::chat(program, home.path(), &server.url, &[], SIZE)?;
    chat.shows("/help lists keys")?;
    chat.types("go")?.types(ENTER)?.shows("word100 ")?;
    let mut typed = String::from("> ");
    let mut times = Vec::new();
    for (at, sign) in (0..TIMES).zip(('a'..='z').cycle()) {
        // At all places between two frames.
        std::thread::sleep(Duration::from_millis(100 + (at as u64 * 7) % 16));
        typed.push(sign);
        let begun = Instant::now();
        chat.types(&sign.to_string())?;
        times.push(chat.shows(&typed)?.saturating_duration_since(begun));
    }
    chat.types("\x15\x03")?;
    std::thread::sleep(Duration::from_millis(300));
    chat.quits()?;
    Ok(times)
}

/// The tokens of the session, four bytes each, and how long it took to go on with it.
fn resumed(program: &Path) -> anyhow::Result<(u64, Vec<Duration>)> {
    let home = tempfile::tempdir()?;
    let work = home.path();
    let settings = work.join("home/.config/foveal");
    fs::create_dir_all(&settings)?;
    fs::write(settings.join("config.toml"), "[answers]\ntokens = 20_000\n")?;
    for file in 0..FILES {
        let line = |at: usize| format!("let value_{file}_{at} = {} + {at};\n", file * at);
        fs::write(work.join(format!("f{file}.rs")), (0..LINES).map(line).collect::<String>())?;
    }
    let upstream = MockProvider::start(Settings::default()).context("no server")?;
    let read = |file: usize| ReplyCall {
        name: "read_lines".to_owned(),
        arguments: json!({"path": format!("f{file}.rs"), "start": 1, "end": LINES}),
    };
    let turn = |from: usize| ModelReply {
        calls: (from..from + 6).map(read).collect(),
        ..ModelReply::from_text("I read on.")
    };
    let turns = (0..FILES).step_by(6).map(turn).chain([ModelReply::from_text("All is read.")]);
    upstream.set_script(ReplyScript::by_turn(turns));
    let model = format!("messages:claude-sonnet-4-5@{}", upstream.url());
    let mut run = Command::new(program);
    run.args(["run", "--yes", "--profile", "off", "--model", &model, "read all"]);
    run.current_dir(work).env_clear().env("HOME", work.join("home"));
    run.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("FOVEAL_MODEL_KEY", "a key");
    let ran = run.stdin(Stdio::null()).output()?;
    if !ran.status.success() {
        bail!("{}", String::from_utf8_lossy(&ran.stderr));
    }
    let longest =
        upstream.received_requests().iter().map(|seen| seen.body.len()).max().unwrap_or(0);
    let once = || {
        let begun = Instant::now();
        let url = upstream.url();
        let mut chat = Terminal::chat(program, work, &url, &["--continue"], SIZE)?;
        let took = chat.shows("All is read.")? - begun;
        chat.quits()?;
        anyhow::Ok(took)
    };
    let times = once().and_then(|_| (0..TIMES).map(|_| once()).collect())?;
    Ok((longest as u64 / 4, times))
}
