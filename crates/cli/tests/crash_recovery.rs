//! A server that is killed in the middle of edits of several files, and the one that comes after.
//!
//! `FOVEAL_TEST_KILLS` says how often; 20 times if not set.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use crate::world::World;

const FILES: [&str; 3] = ["a/one.txt", "b/two.txt", "a/three.txt"];

/// A server, spoken to over its pipes.
struct Server {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(world: &World) -> (Child, Self) {
        let mut command = world.command("mcp");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let mut child = command.spawn().expect("the program starts");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut server = Self { input, output };
        let about = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        server.ask("initialize", &about).expect("it answers");
        writeln!(server.input, r#"{{"jsonrpc": "2.0", "method": "notifications/initialized"}}"#)
            .expect("it reads");
        (child, server)
    }

    /// The answer; nothing if the server has ended.
    fn ask(&mut self, method: &str, parameters: &Value) -> Option<Value> {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
        writeln!(self.input, "{message}").ok()?;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).ok().filter(|read| *read > 0)?;
            let answer: Value = serde_json::from_str(&line).ok()?;
            if answer.get("id").is_some() {
                return Some(answer);
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Option<String> {
        let answer = self.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        let text = &answer["result"]["content"][0]["text"];
        Some(text.as_str().unwrap_or_default().to_owned())
    }

    /// Edits all files from one generation to the next, for ever.
    fn edit_on(&mut self, mut generation: usize) -> usize {
        loop {
            let (old, new) = (format!("value {generation};"), format!("value {};", generation + 1));
            let edit = |path: &&str| json!({"path": path, "old_str": old, "new_str": new});
            let edits: Vec<Value> = FILES.iter().map(edit).collect();
            let Some(answer) = self.call("multi_edit", &json!({"edits": edits})) else {
                return generation;
            };
            assert!(!answer.contains("none of the edits"), "{answer}");
            generation += 1;
        }
    }
}

fn generations(world: &World) -> [usize; 3] {
    let number = |path: &str| {
        let text = world.read(path);
        text["value ".len()..text.find(';').expect("as written")].parse().expect("a number")
    };
    FILES.map(number)
}

fn temporary_files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".foveal-")).count()
}

#[test]
fn edits_of_several_files_are_all_or_none_after_a_kill() {
    let kills = std::env::var("FOVEAL_TEST_KILLS").map_or(20, |kills| kills.parse().expect("one"));
    let world = World::new("killed");
    for path in FILES {
        world.write(path, format!("value 0;\n{}", "filled up\n".repeat(500)));
    }
    let (mut generation, mut halves, mut left) = (0, 0, 0);
    for round in 0..kills {
        let (mut child, mut server) = Server::start(&world);
        let (started, wait) = channel();
        let done = std::thread::scope(|scope| {
            let edits = scope.spawn(move || {
                server.call("list", &json!({"path": "a"}));
                started.send(()).expect("it waits");
                server.edit_on(generation)
            });
            wait.recv().expect("it starts");
            // Spread over the time of some edits.
            std::thread::sleep(Duration::from_micros(3_000 + round * 7_919 % 150_000));
            child.kill().expect("it runs");
            child.wait().expect("it ends");
            edits.join().expect("no edit is refused")
        });
        halves +=
            usize::from(generations(&world).iter().any(|found| *found != generations(&world)[0]));
        let (mut child, mut server) = Server::start(&world);
        server.call("list", &json!({"path": "a"})).expect("it answers");
        let found = generations(&world);
        assert!(found.iter().all(|one| *one == found[0]), "{round}: {found:?}");
        assert!(found[0] == done || found[0] == done + 1, "{round}: {done} {found:?}");
        generation = found[0];
        left +=
            ["a", "b"].map(|name| temporary_files(&world.folder.join(name))).iter().sum::<usize>();
        drop(server);
        child.wait().expect("it ends with its input");
    }
    println!("{generation} edits, {halves} of {kills} kills left files of two generations");
    assert_eq!(left, 0);
}
