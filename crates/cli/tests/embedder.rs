//! `foveal index --embedder` and what follows from it, with a server on this machine.

use std::process::{Command, Stdio};
use std::time::Duration;

use foveal_testkit::embedding_server::{
    EmbeddingReply, EmbeddingRequest, EmbeddingServer, vectors_reply,
};
use serde_json::Value;

use crate::world::{Ran, World};

const FILES: usize = 40;

fn world(test: &str) -> World {
    let world = World::new(test);
    for n in 0..FILES {
        let text = format!("/// Part {n}.\npub fn part_{n}() -> u32 {{\n    {n}\n}}\n");
        world.write(&format!("r/f{n:02}.rs"), text);
    }
    world
}

/// Without the place of the server, and what the system says of nobody being there.
fn error_told(err: &str, server: &str) -> String {
    let err = err.replace(server, "SERVER");
    let (begin, end) = ("cannot reach http://SERVER/api/embed (", "): check that");
    match (err.find(begin), err.find(end)) {
        (Some(from), Some(to)) => format!("{}{}", &err[..from + begin.len()], &err[to..]),
        _ => err,
    }
}

/// What a run printed, without times and places of servers.
fn told(ran: &Ran, server: &str) -> String {
    let out = ran.out.lines().map(|line| line.rsplit_once(" in ").map_or(line, |(line, _)| line));
    let out: Vec<&str> = out.collect();
    format!("{:?} {}\n{}", ran.code, out.join("\n"), error_told(&ran.err, server))
}

fn check(world: &World, server: &str, command: &str, expected: &str) {
    assert_eq!(told(&world.run(command), server), expected, "{command}");
}

fn json(world: &World, command: &str) -> Value {
    serde_json::from_str(&world.run(command).out).expect("JSON")
}

/// Whether the best hit was found by its meaning, too.
fn has_cosine(value: &Value) -> bool {
    value["hits"][0]["cosine"].is_number()
}

const ALL: &str =
    "Some(0) 40 files indexed, 0 unchanged, 0 removed, 40 embedded; 40 parts of 40 files\n";

#[test]
fn the_index_remembers_its_embedder() {
    let world = world("embedder");
    let server = EmbeddingServer::start(vectors_reply);
    let at = server.address();
    check(&world, &at, &format!("index r --embedder ollama:m@http://{at}"), ALL);
    assert!(server.requests().iter().all(|asked| asked.model == "m" && asked.path == "/api/embed"));
    let before = server.requests().len();
    let value = json(&world, "search part 7 --path r --json");
    assert!(has_cosine(&value), "{value}");
    assert_eq!((&value["problem"], &value["waiting"]), (&Value::Null, &0.into()));
    assert_eq!(server.requests().len(), before + 1);
    assert_eq!(server.requests()[before].texts[0], "part 7");
    // A changed file is embedded before the search.
    world.write("r/f00.rs", "pub fn entirely_else() {}\n");
    let value = json(&world, "search entirely else --path r --json");
    assert_eq!((&value["hits"][0]["path"], has_cosine(&value)), (&"f00.rs".into(), true));
    let value = json(&world, "index r --json");
    assert_eq!(value["embedder"], format!("ollama:m@http://{at}"));
    assert_eq!((&value["embedded"], &value["waiting"]), (&0.into(), &0.into()));
    let before = server.requests().len();
    let value = json(&world, "search part 7 --path r --json --no-embeddings");
    assert!(!has_cosine(&value), "{value}");
    assert_eq!(server.requests().len(), before);
}

#[test]
fn without_the_server_the_search_goes_on() {
    let world = world("embedder_away");
    let server = EmbeddingServer::start(vectors_reply);
    let at = server.address();
    drop(server);
    let away = "cannot reach http://SERVER/api/embed (): check that the server is running and the \
                address is correct";
    check(
        &world,
        &at,
        &format!("index r --embedder ollama:m@http://{at}"),
        &format!(
            "Some(1) 40 files indexed, 0 unchanged, 0 removed, 40 without vectors; 40 parts of 40 \
             files\nvectors are not up to date; searches use words only: {away}; then run it again \
             to continue\n"
        ),
    );
    let ran = world.run("search part_7 --path r --limit 1");
    assert_eq!((ran.code, ran.out.lines().next()), (Some(0), Some("f07.rs:1-4  function part_7")));
    let note = format!(
        "40 files have no vectors by ollama:m@http://{at} yet: run `foveal index` to create them\n"
    );
    assert_eq!(ran.err, note);
    let server = EmbeddingServer::start_at_address(&at, vectors_reply);
    let expected =
        "Some(0) 0 files indexed, 40 unchanged, 0 removed, 40 embedded; 40 parts of 40 files\n";
    check(&world, &at, "index r", expected);
    assert!(has_cosine(&json(&world, "search part 7 --path r --json")));
    drop(server);
    world.write("r/f00.rs", "pub fn entirely_else() {}\n");
    for question in ["part_7", "entirely_else"] {
        let ran = world.run(&format!("search {question} --path r --limit 1"));
        assert_eq!(ran.code, Some(0));
        assert_eq!(error_told(&ran.err, &at), format!("searched by words only: {away}\n"));
    }
}

#[test]
fn the_vectors_before_are_used_until_the_new_ones_are_there() {
    let world = world("embedder_changed");
    world.output("index r");
    let before = world.output("search part 7 --path r");
    let server = EmbeddingServer::start(|asked: &EmbeddingRequest| match asked.number {
        // The one by which the model is known, and a few texts.
        0 | 1 => vectors_reply(asked),
        _ => EmbeddingReply::Raw(401, String::new(), "your key sesame has ended".to_owned()),
    });
    let at = server.address();
    let index = format!("index r --embedder openai:m@http://{at}/v1");
    let ran = world.run_with(&index, &[("FOVEAL_EMBEDDINGS_KEY", "sesame")]);
    let told = told(&ran, &at);
    let refused = "http://SERVER/v1/embeddings rejected the key in FOVEAL_EMBEDDINGS_KEY (401: \
                   your key … has ended); then run it again to continue\n";
    assert!(told.ends_with(refused), "{told}");
    assert!(
        server
            .requests()
            .iter()
            .all(|asked| asked.authorization.as_deref() == Some("Bearer sesame"))
    );
    let ran = world.run("search part 7 --path r");
    assert_eq!(ran.out, before);
    // How many files got vectors depends on who was first to ask.
    let notes = ["by the existing vectors: ", "have no vectors by openai:m@"];
    assert!(notes.iter().any(|note| ran.err.contains(note)), "{}", ran.err);
    drop(server);
    let _server = EmbeddingServer::start_at_address(&at, vectors_reply);
    let value = json(&world, "index r --json");
    assert_eq!((&value["unchanged"], &value["waiting"]), (&FILES.into(), &0.into()));
    let ran = world.run("search part 7 --path r");
    assert_ne!(ran.out, before);
    assert_eq!(ran.err, "");
    // The key is nowhere.
    let folder = world.folder.join("home/.local/share/foveal/index");
    for file in std::fs::read_dir(folder).expect("the place of the index") {
        let bytes = std::fs::read(file.expect("a file").path()).expect("a file");
        assert!(!bytes.windows(6).any(|window| window == b"sesame"));
    }
    // And back.
    world.output("index r --embedder built-in");
    assert_eq!(world.output("search part 7 --path r"), before);
}

#[test]
fn none_is_an_embedder() {
    let world = world("embedder_none");
    world.output("index r");
    world.output("index r --embedder none");
    assert!(!has_cosine(&json(&world, "search part 7 --path r --json")));
    assert!(has_cosine(&json(&world, "search part 7 --path r --json --embedder built-in")));
    assert!(has_cosine(&json(&world, "search part 7 --path r --json")));
}

#[test]
fn embedders_that_are_none() {
    let world = world("embedder_bad");
    for (arguments, error) in [
        (
            "index r --embedder nomic",
            "`nomic` is not a valid embedder: use built-in, none, ollama:MODEL",
        ),
        ("search x --embedder ollama:m@http://lan", "`http://lan` is another machine, and http"),
        (
            "index r --embedder openai:m@https://a:b@c",
            "a server address must not contain a user name",
        ),
        (
            "index r --embedder openai:m@gpu.internal:8080",
            "use openai:m@https://gpu.internal:8080, or http:// for this machine",
        ),
        (
            "index r --embedder none --no-embeddings",
            "the argument '--embedder <EMBEDDER>' cannot be",
        ),
    ] {
        let Ran { code, out, err } = world.run(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}");
        assert!(err.contains(error), "{arguments}: {err}");
    }
}

/// A key is for the server it was given with.
#[test]
fn the_server_before_gets_no_key() {
    let world = world("embedder_key");
    let [before, after] = [(); 2].map(|()| EmbeddingServer::start(vectors_reply));
    world.output(&format!("index r --embedder ollama:m@http://{}", before.address()));
    let asked_before = before.requests().len();
    let command = format!("search part 7 --path r --embedder openai:m@http://{}", after.address());
    let key = [("FOVEAL_EMBEDDINGS_KEY", "sesame")];
    assert_eq!(world.run_with(&command, &key).code, Some(0));
    // The vectors there are those of the first server, so it is asked for the question.
    let asked = before.requests().split_off(asked_before);
    assert!(!asked.is_empty());
    assert!(asked.iter().all(|asked| asked.authorization.is_none()), "{asked:?}");
    assert_eq!(world.run_with("index r", &key).code, Some(0));
    let sent = |asked: &EmbeddingRequest| asked.authorization.as_deref() == Some("Bearer sesame");
    assert!(!after.requests().is_empty() && after.requests().iter().all(sent));
    // Another model of the same server may have it.
    let asked_before = after.requests().len();
    world.run_with(&command.replace("openai:m", "openai:n"), &key);
    let asked = after.requests().split_off(asked_before);
    assert!(asked.iter().any(|asked| asked.model == "m") && asked.iter().all(sent), "{asked:?}");
}

/// What an index remembers may be none for another version of the program.
#[test]
fn a_remembered_embedder_that_is_none() {
    let world = world("embedder_unread");
    let server = EmbeddingServer::start(vectors_reply);
    world.output(&format!("index r --embedder ollama:m@http://{}", server.address()));
    let store = world.folder.join("home/.local/share/foveal/index");
    let store = std::fs::read_dir(store).expect("the place of the index").flatten();
    let is_store = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "db");
    let store = store.map(|file| file.path()).find(is_store).expect("an index");
    let connection = rusqlite::Connection::open(store).expect("an index");
    let sql = "UPDATE setting SET value = 'later:m' WHERE name = 'embedder'";
    assert_eq!(connection.execute(sql, []).ok(), Some(1));
    drop(connection);
    let why = "the embedder of the index cannot be used, choose one with --embedder: `later:m` \
               is not a valid embedder";
    for (command, told, code) in [
        ("graph part_7 r", format!("vectors are not updated: {why}"), 0),
        ("map r", format!("vectors are not updated: {why}"), 0),
        ("index r", format!("vectors are not updated: {why}"), 1),
        ("search part_7 --path r", format!("searched by words only: {why}"), 0),
    ] {
        let ran = world.run(command);
        assert_eq!(ran.code, Some(code), "{command}: {}", ran.err);
        assert!(ran.err.starts_with(&told) && !ran.out.is_empty(), "{command}: {}", ran.err);
    }
    let before = server.requests().len();
    let value = json(&world, "search part 7 --path r --json --no-embeddings");
    assert_eq!((has_cosine(&value), &value["problem"]), (false, &Value::Null));
    // Named again, its vectors are still there: only the model is asked what it is.
    world.output(&format!("index r --embedder ollama:m@http://{}", server.address()));
    assert_eq!(server.requests().len(), before + 1);
    assert!(has_cosine(&json(&world, "search part 7 --path r --json")));
}

/// Killed while vectors are made, the program goes on with those that are missing.
#[test]
fn a_killed_run_keeps_its_vectors() {
    let world = world("embedder_killed");
    let server = EmbeddingServer::start(|asked: &EmbeddingRequest| match asked.number {
        0..=3 => vectors_reply(asked),
        _ => EmbeddingReply::Silence(Duration::from_secs(2)),
    });
    let at = server.address();
    for n in 0..400 {
        world.write(&format!("r/g{n:03}.rs"), format!("pub fn more_{n}() {{}}\n"));
    }
    let mut command = world.command(&format!("index r --embedder ollama:m@http://{at}"));
    let mut child = command.stdout(Stdio::null()).spawn().expect("the program starts");
    while server.requests().len() < 7 {
        assert_eq!(child.try_wait().expect("a child of this test"), None);
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child of this test");
    child.wait().expect("a child of this test");
    drop(server);
    let _server = EmbeddingServer::start_at_address(&at, vectors_reply);
    let value = json(&world, "index r --json");
    assert_eq!((&value["waiting"], &value["rebuilt"]), (&0.into(), &false.into()), "{value}");
    assert_eq!(&value["indexed"], &0, "{value}");
    assert!(has_cosine(&json(&world, "search more 7 --path r --json")));
}

/// A server that fails at what has changed is still asked for the question, and not at all
/// where that would be many parts.
#[test]
fn changes_do_not_cost_a_search_its_vectors() {
    let world = world("embedder_slow");
    let server = EmbeddingServer::start(|asked: &EmbeddingRequest| {
        let of_changes = asked.texts.iter().any(|text| text.contains("changed_"));
        if of_changes {
            EmbeddingReply::Raw(503, String::new(), "slow".to_owned())
        } else {
            vectors_reply(asked)
        }
    });
    let at = server.address();
    world.output(&format!("index r --embedder ollama:m@http://{at}"));
    world.write("r/f00.rs", "pub fn changed_a_little() {}\n");
    let ran = world.run("search part 7 --path r");
    let expected = "searched by words and by the existing vectors: http://SERVER/api/embed failed \
                    (503: slow): see its log, or try again later\n";
    assert_eq!((error_told(&ran.err, &at).as_str(), ran.code), (expected, Some(0)));
    assert!(ran.out.contains("; meaning"), "{}", ran.out);
    // One file with as many parts as a request has no place for.
    let line = "    // and so on, and on\n".repeat(40);
    let function = |n| format!("/// Part.\npub fn changed_{n}() {{\n{line}}}\n");
    world.write("r/f00.rs", (0..40).map(function).collect::<String>());
    let before = server.requests().len();
    let value = json(&world, "search part 7 --path r --json");
    assert_eq!((has_cosine(&value), &value["problem"]), (true, &Value::Null), "{value}");
    assert_eq!((&value["waiting"], server.requests().len()), (&1.into(), before + 1));
}

/// A server may fail at a text for good.
#[test]
fn a_text_that_cannot_be_embedded_is_found_by_its_words() {
    let world = world("embedder_nan");
    let server = EmbeddingServer::start(|asked: &EmbeddingRequest| {
        let bad = asked.texts.iter().any(|text| text.contains("fn bad_"));
        if bad {
            EmbeddingReply::Raw(500, String::new(), "NaN".to_owned())
        } else {
            vectors_reply(asked)
        }
    });
    world.output(&format!("index r --embedder ollama:m@http://{}", server.address()));
    world.write("r/f00.rs", "pub fn bad_number() {}\n");
    for _ in 0..2 {
        let value = json(&world, "search bad_number --path r --json --limit 100");
        assert_eq!((&value["problem"], &value["waiting"]), (&Value::Null, &0.into()), "{value}");
        let hits = value["hits"].as_array().expect("hits");
        let hit = hits.iter().find(|hit| hit["path"] == "f00.rs").expect("it has the words");
        assert_eq!(hit["cosine"], 0.0, "{hit}");
        assert!(has_cosine(&value), "{value}");
    }
}

/// Ctrl+C while a server that was good so often has not answered.
fn check_interrupted(world: &World, good_answers: usize, command: &str, expected: &str) {
    let server = EmbeddingServer::start(move |asked: &EmbeddingRequest| match asked.number {
        number if number < good_answers => vectors_reply(asked),
        _ => EmbeddingReply::Silence(Duration::from_secs(600)),
    });
    let command = format!("{command} --embedder ollama:m@http://{}", server.address());
    let mut command = world.command(&command);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
    while server.requests().len() <= good_answers {
        assert_eq!(child.try_wait().expect("a child of this test"), None);
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let ran = child.wait_with_output().expect("a child of this test");
    let told = String::from_utf8_lossy(&ran.stdout);
    assert_eq!((ran.status.code(), told.starts_with(expected)), (Some(130), true), "{told}");
}

/// To the text by which the model is known, to parts of files, to a question, and before it.
#[test]
fn a_request_in_flight_is_given_up() {
    let world = world("embedder_interrupted");
    let first = "stopped: 40 files indexed, 0 unchanged, 0 removed, 40 without";
    check_interrupted(&world, 0, "index r", first);
    let second = "stopped: 0 files indexed, 40 unchanged, 0 removed, 40 without";
    check_interrupted(&world, 1, "index r", second);
    let server = EmbeddingServer::start(vectors_reply);
    world.output(&format!("index r --embedder ollama:m@http://{}", server.address()));
    check_interrupted(&world, 0, "search part 7 --path r", "");
    world.write("r/f00.rs", "pub fn entirely_else() {}\n");
    check_interrupted(&world, 0, "search part 7 --path r", "");
}
