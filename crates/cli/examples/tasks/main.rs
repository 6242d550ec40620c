//! What foveal's own agent sends for the same tasks with and without the engine.
//!
//!     cargo build --release
//!     cargo run --release -p foveal --example tasks -- target/release/foveal REPOSITORY…
//!
//! A task is a commit of a checkout that is named: a scripted model finds the files that it
//! changed, reads them and others, looks at the history, makes the commit's edits, and looks at what
//! it did. Before an edit it looks whether the prompt shows what it is about to change, and reads it
//! anew where it does not. Model and provider are a server of this process, which caches prompts as
//! OpenAI does and bills by that.

mod commits;
mod player;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use foveal_mock_provider::{MockProvider, ReplyScript, Settings};

use crate::commits::Task;
use crate::player::Player;

/// Tasks in all, as many of each repository as of the others.
const TASKS: usize = 10;

/// What requests are decided by; the first is compared with.
const PROFILES: [&str; 4] = ["off", "lossless", "balanced", "max"];

/// What a token costs that was cached, beside one that was not: OpenAI's list prices.
const CACHED: f64 = 0.1;

/// What tasks came to.
#[derive(Debug, Default, Clone, Copy)]
struct Figures {
    requests: usize,
    /// Requests that read anew what an edit needed.
    repairs: usize,
    tokens: u64,
    /// Tokens at the full price.
    cost: f64,
    /// Tasks after which the files are those of the commit.
    done: usize,
}

impl Figures {
    fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            repairs: self.repairs + other.repairs,
            tokens: self.tokens + other.tokens,
            cost: self.cost + other.cost,
            done: self.done + other.done,
        }
    }
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = || io::Error::other("usage: tasks PROGRAM REPOSITORY…");
    let program = PathBuf::from(arguments.next().ok_or_else(usage)?).canonicalize()?;
    let repositories: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    if repositories.is_empty() {
        return Err(usage());
    }
    let each = TASKS.div_ceil(repositories.len());
    let mut tasks = Vec::new();
    for repository in &repositories {
        tasks.extend(commits::tasks(repository, each)?);
    }
    tasks.truncate(TASKS);
    let mut all = [Figures::default(); PROFILES.len()];
    for task in &tasks {
        println!("{}", task.name());
        for (sum, profile) in all.iter_mut().zip(PROFILES) {
            *sum = sum.plus(played(&program, task, profile)?);
        }
    }
    println!("\n| | requests | read anew | tokens of prompts | cost | files as in the commit |");
    println!("|---|---|---|---|---|---|");
    for (figures, profile) in all.iter().zip(PROFILES) {
        let Figures { requests, repairs, tokens, cost, done } = figures;
        let change = |now: f64, before: f64| format!("{:+.1} %", (now / before - 1.0) * 100.0);
        let (of_tokens, of_cost) =
            (change(*tokens as f64, all[0].tokens as f64), change(*cost, all[0].cost));
        println!(
            "| `{profile}` | {requests} | {repairs} | {tokens} ({of_tokens}) | {cost:.0} \
             ({of_cost}) | {done} of {} |",
            tasks.len()
        );
    }
    Ok(())
}

/// Has the agent do a task in a copy of its repository.
fn played(program: &Path, task: &Task, profile: &str) -> io::Result<Figures> {
    let folder = tempfile::tempdir()?;
    let (home, checkout) = (folder.path().join("home"), folder.path().join("checkout"));
    std::fs::create_dir(&home)?;
    task.check_out(&checkout)?;
    let upstream = MockProvider::start(Settings::default())?;
    let player = Arc::new(Mutex::new(Player::of(task)));
    let playing = Arc::clone(&player);
    upstream.set_script(ReplyScript::new(move |asked| {
        playing.lock().expect("nobody panics with it").next(asked.body).into()
    }));
    let mut command = Command::new(program);
    command.args(["run", "--yes", "--json", "--profile", profile, "--model"]);
    command.arg(format!("chat:gpt-5@{}/v1", upstream.url())).arg(task.message());
    command.current_dir(&checkout).env_clear().env("HOME", &home);
    command
        .env("FOVEAL_MODEL_KEY", "none")
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("{} with {profile}: {said}", task.name())));
    }
    let bills: Vec<_> = upstream.received_requests().iter().filter_map(|seen| seen.bill).collect();
    let full = |bill: &foveal_mock_provider::TokenBill| (bill.prompt_tokens() - bill.read) as f64;
    Ok(Figures {
        requests: bills.len(),
        repairs: player.lock().expect("nobody panics with it").repairs(),
        tokens: bills.iter().map(foveal_mock_provider::TokenBill::prompt_tokens).sum(),
        cost: bills.iter().map(|bill| full(bill) + bill.read as f64 * CACHED).sum(),
        done: usize::from(task.is_done(&checkout)?),
    })
}
