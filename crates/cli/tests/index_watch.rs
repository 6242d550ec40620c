//! `foveal index --watch`, with a server on this machine.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use foveal_testkit::embedding_server::{EmbeddingRequest, EmbeddingServer, vectors_reply};
use serde_json::Value;

use crate::world::World;

/// For what comes soon, or never.
const PATIENCE: Duration = Duration::from_secs(20);

fn world(test: &str) -> World {
    let world = World::new(test);
    for n in 0..40 {
        let text = format!("/// Part {n}.\npub fn part_{n}() -> u32 {{\n    {n}\n}}\n");
        world.write(&format!("r/f{n:02}.rs"), text);
    }
    world
}

/// A watch that runs.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(world: &World, options: &str) -> Self {
        let mut command = world.command(&format!("index r --watch {options}"));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let (sender, lines) = channel();
        // Ends with the program.
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                drop(sender.send(line));
            }
        });
        Self { child, lines }
    }

    /// What was done next, without what there is then.
    fn next(&self) -> String {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line in time");
        line.split_once("; ").map_or(line.clone(), |(line, _)| line.to_owned())
    }

    fn stop(mut self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        assert!(self.child.wait().expect("a child of this test").success());
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It has ended where the test went well.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_watch_embeds_what_changes_and_begins_without_the_server() {
    let world = world("index_watch");
    let (open, gate) = channel::<()>();
    let gate = Mutex::new(gate);
    let server = EmbeddingServer::start(move |asked: &EmbeddingRequest| {
        // Open for all others once it has been opened.
        let gate = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let _opened = gate.recv_timeout(PATIENCE);
        vectors_reply(asked)
    });
    let watch = Watch::start(&world, &format!("--embedder ollama:m@http://{}", server.address()));
    assert_eq!(watch.next(), "40 files indexed, 0 unchanged, 0 removed, 40 without vectors");
    drop(open);
    assert_eq!(watch.next(), "0 files indexed, 0 unchanged, 0 removed, 40 embedded");
    world.write("r/f00.rs", "pub fn entirely_else() {}\n");
    assert_eq!(watch.next(), "1 file indexed, 0 unchanged, 0 removed");
    assert_eq!(watch.next(), "0 files indexed, 0 unchanged, 0 removed, 1 embedded");
    watch.stop();
}

#[test]
fn a_watch_takes_the_embedder_that_is_chosen_meanwhile() {
    let world = world("index_watch_chosen");
    let watch = Watch::start(&world, "");
    assert_eq!(watch.next(), "40 files indexed, 0 unchanged, 0 removed");
    let server = EmbeddingServer::start(vectors_reply);
    world.output(&format!("index r --embedder ollama:m@http://{}", server.address()));
    world.write("r/f00.rs", "pub fn entirely_else() {}\n");
    assert_eq!(watch.next(), "1 file indexed, 0 unchanged, 0 removed");
    assert_eq!(watch.next(), "0 files indexed, 0 unchanged, 0 removed, 1 embedded");
    watch.stop();
    let value: Value = serde_json::from_str(&world.output("index r --json")).expect("JSON");
    assert_eq!((&value["embedded"], &value["waiting"]), (&0.into(), &0.into()), "{value}");
}

/// A file changes under another name, which no system tells the watch.
#[test]
fn a_watch_looks_at_all_files_instead_of_asking_again_and_again() {
    let world = world("index_watch_stale");
    let elsewhere = world.folder.join("elsewhere.rs");
    fs::hard_link(world.folder.join("r/f00.rs"), &elsewhere).expect("a system with hard links");
    let server = EmbeddingServer::start(move |asked: &EmbeddingRequest| {
        if asked.number == 0 {
            fs::write(&elsewhere, "pub fn entirely_else() {}\n").expect("a file of this test");
        }
        vectors_reply(asked)
    });
    let watch = Watch::start(&world, &format!("--embedder ollama:m@http://{}", server.address()));
    assert_eq!(watch.next(), "40 files indexed, 0 unchanged, 0 removed, 40 without vectors");
    let next = watch.next();
    assert!(next.starts_with("1 file indexed, "), "{next}");
    assert!(server.requests().len() < 10, "{}", server.requests().len());
    watch.stop();
}
