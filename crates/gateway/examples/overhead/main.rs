//! The latency that a gateway adds: the same client sends requests to a model on loopback with and
//! without it, alternately.
//!
//!     cargo build --release
//!     cargo run --release -p foveal-gateway --example overhead -- target/release/foveal
//!
//! The decisions alone, without a program:
//!
//!     cargo run --release -p foveal-gateway --example overhead -- --alone
//!
//! One measurement alone (small, new, long, restart, at-once or memory):
//!
//!     … --example overhead -- target/release/foveal --only memory
//!
//! Any other gateway that is already running can be measured the same way:
//!
//!     … --example overhead -- --upstream-port 4200 --through http://127.0.0.1:4000
//!
//! The model is a server of this process that reads each request and responds at once with a few
//! bytes. In the conversations an agent reads this repository's own files.

mod conversation;
mod decision_time;
mod figures;
mod http_client;
mod model;
mod program;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use conversation::{Conversation, Texts};
use figures::{Times, row};
use http_client::{Client, load};
use program::Program;

/// Bytes of tool results in a long conversation: about 200,000 tokens.
const LONG_BYTES: usize = 740_000;

/// The shortest pause of an agent between two requests.
const PAUSE: Duration = Duration::from_millis(20);

/// The measurements to make.
struct Plan {
    program: Option<PathBuf>,
    through: Option<SocketAddr>,
    upstream_port: u16,
    /// Only the decisions, in this process.
    alone: bool,
    /// The part to measure; `None` for all.
    only: Option<String>,
}

impl Plan {
    fn has(&self, part: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only == part)
    }
}

fn plan() -> io::Result<Plan> {
    let mut plan =
        Plan { program: None, through: None, upstream_port: 0, alone: false, only: None };
    let mut arguments = std::env::args().skip(1);
    let wrong = |text: &str| io::Error::other(format!("{text} cannot be used"));
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--alone" => plan.alone = true,
            "--only" => plan.only = arguments.next(),
            "--through" => {
                let url = arguments.next().unwrap_or_default();
                let address = url.trim_start_matches("http://").trim_end_matches('/');
                plan.through = Some(address.parse().map_err(|_| wrong(&url))?);
            }
            "--upstream-port" => {
                let port = arguments.next().unwrap_or_default();
                plan.upstream_port = port.parse().map_err(|_| wrong(&port))?;
            }
            path => plan.program = Some(path.into()),
        }
    }
    if plan.program.is_none() && plan.through.is_none() && !plan.alone {
        return Err(io::Error::other("name the program `foveal`, or a gateway by --through"));
    }
    Ok(plan)
}

fn main() -> io::Result<()> {
    let plan = plan()?;
    let model = model::start(plan.upstream_port)?;
    let texts = Texts::of_this_repository()?;
    if plan.alone {
        for profile in ["lossless", "balanced", "max"] {
            decision_time::decisions(&texts, LONG_BYTES / 2, profile);
            decision_time::decisions(&texts, LONG_BYTES, profile);
        }
        return Ok(());
    }
    let mut program = match &plan.program {
        Some(path) => Some(Program::start(path, model)?),
        None => None,
    };
    if let Some(program) = &program {
        row("ready after", &format!("{:.0} ms", program.ready.as_secs_f64() * 1e3));
    }
    let through = || program.as_ref().map(|it| it.address).or(plan.through);
    let gateway = through().ok_or(io::ErrorKind::NotFound)?;
    if plan.has("small") {
        small(model, gateway)?;
    }
    if plan.has("new") {
        new(model, gateway, &texts)?;
    }
    if plan.has("long") {
        long(model, gateway, &texts)?;
    }
    if let Some(program) = program.as_mut().filter(|_| plan.has("restart")) {
        restart(program, model, &texts)?;
    }
    let gateway =
        program.as_ref().map(|it| it.address).or(plan.through).ok_or(io::ErrorKind::NotFound)?;
    if plan.has("at-once") {
        at_once(model, gateway, &texts)?;
    }
    if let Some(program) = program.as_mut().filter(|_| plan.has("memory")) {
        memory(program, model, &texts)?;
    }
    Ok(())
}

/// Measures requests of a few bytes.
fn small(model: SocketAddr, gateway: SocketAddr) -> io::Result<()> {
    let body = conversation::small();
    let (mut direct, mut through) = (Client::connect(model)?, Client::connect(gateway)?);
    let (mut without, mut with) = (Times::default(), Times::default());
    for _ in 0..1_000 {
        without.add(direct.ask(&body)?);
        with.add(through.ask(&body)?);
    }
    with.against("small requests", &without);
    Ok(())
}

/// Measures the first requests of long conversations.
fn new(model: SocketAddr, gateway: SocketAddr, texts: &Texts) -> io::Result<()> {
    let (mut direct, mut through) = (Client::connect(model)?, Client::connect(gateway)?);
    let (mut with, mut without) = (Times::default(), Times::default());
    for number in 0..20 {
        let body = Conversation::read(texts, &format!("new {number}"), LONG_BYTES).body();
        without.add(direct.ask(&body)?);
        with.add(through.ask(&body)?);
        std::thread::sleep(Duration::from_millis(300));
    }
    with.against("long, new", &without);
    Ok(())
}

/// Measures long conversations: their first request, and one for each short result.
fn long(model: SocketAddr, gateway: SocketAddr, texts: &Texts) -> io::Result<()> {
    let (mut direct, mut through) = (Client::connect(model)?, Client::connect(gateway)?);
    let (mut cold, mut cold_without) = (Times::default(), Times::default());
    let (mut warm, mut warm_without) = (Times::default(), Times::default());
    for number in 0..5 {
        let mut conversation = Conversation::read(texts, &format!("long {number}"), LONG_BYTES);
        let body = conversation.body();
        if number == 0 {
            row("long requests", &format!("{} bytes", body.len()));
        }
        cold_without.add(direct.ask(&body)?);
        cold.add(through.ask(&body)?);
        std::thread::sleep(Duration::from_millis(300));
        for turn in 0..60 {
            conversation.runs(texts, turn);
            let body = conversation.body();
            std::thread::sleep(PAUSE);
            // The second request finds the bytes in the processor's cache.
            if turn % 2 == 0 {
                warm_without.add(direct.ask(&body)?);
                warm.add(through.ask(&body)?);
            } else {
                warm.add(through.ask(&body)?);
                warm_without.add(direct.ask(&body)?);
            }
        }
    }
    cold.against("long, cold", &cold_without);
    warm.against("long, warm", &warm_without);
    Ok(())
}

/// Measures conversations with decisions from before the program was killed.
fn restart(program: &mut Program, model: SocketAddr, texts: &Texts) -> io::Result<()> {
    let mut conversations = Vec::new();
    let mut through = Client::connect(program.address)?;
    for number in 0..5 {
        let mut conversation = Conversation::read(texts, &format!("kept {number}"), LONG_BYTES);
        through.ask(&conversation.body())?;
        for turn in 0..20 {
            conversation.runs(texts, turn);
            through.ask(&conversation.body())?;
        }
        conversations.push(conversation);
    }
    program.restart(model)?;
    let (mut direct, mut through) = (Client::connect(model)?, Client::connect(program.address)?);
    let (mut with, mut without) = (Times::default(), Times::default());
    for conversation in &mut conversations {
        conversation.runs(texts, 20);
        let body = conversation.body();
        without.add(direct.ask(&body)?);
        with.add(through.ask(&body)?);
    }
    with.against("long, after a kill", &without);
    Ok(())
}

/// Measures the requests per second.
fn at_once(model: SocketAddr, gateway: SocketAddr, texts: &Texts) -> io::Result<()> {
    let seconds = Duration::from_secs(4);
    for (name, address) in [("directly", model), ("through it", gateway)] {
        let count = load(address, 8, seconds, |_, _| conversation::small())?;
        row(&format!("small requests a second, {name}"), &format!("{count:.0}"));
    }
    for (name, address) in [("directly", model), ("through it", gateway)] {
        let read = |client| Conversation::read(texts, &format!("at once {client}"), LONG_BYTES);
        let conversations: Vec<Mutex<Conversation>> = (0..2).map(read).map(Mutex::new).collect();
        let count = load(address, 2, seconds, |client, at| {
            let mut conversation = conversations[client].lock().expect("a lock");
            conversation.runs(texts, at);
            conversation.body()
        })?;
        row(&format!("long requests a second, {name}"), &format!("{count:.0}"));
    }
    Ok(())
}

/// Measures the memory of the program with a thousand live conversations and no requests.
fn memory(program: &mut Program, model: SocketAddr, texts: &Texts) -> io::Result<()> {
    program.restart(model)?;
    row("memory, nothing asked", &program.memory()?);
    let mut through = Client::connect(program.address)?;
    for number in 0..1_000 {
        let mut conversation = Conversation::read(texts, &format!("many {number}"), 40_000);
        through.ask(&conversation.body())?;
        conversation.runs(texts, number);
        through.ask(&conversation.body())?;
    }
    let began = Instant::now();
    row("memory, 1,000 conversations", &program.memory()?);
    std::thread::sleep(Duration::from_secs(5).saturating_sub(began.elapsed()));
    row("memory, 5 s later", &program.memory()?);
    Ok(())
}
