//! Whatever goes wrong in a run, its session stays valid and goes on.

use std::process::Stdio;
use std::time::Duration;

use foveal_mock_provider::{ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome};
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::full_disk::{BLOCKS, limited};
use crate::run_sessions::{go_on, messages, started, wait_for};
use crate::run_task::{DIALECTS, KEY, bodies, calls, changes_a_file, model, provider, run};
use crate::world::World;

/// Turns of the model in which it writes a line each, and looks.
const TURNS: usize = 8;

/// A model that appends the number of each turn to a file, whatever became of the one before.
fn counts() -> ReplyScript {
    ReplyScript::new(|asked| {
        let turn = asked.turn;
        let line = json!({"command": format!("echo {turn} >> made")});
        let looks = json!({"pattern": format!("nothing {turn}")});
        let idles = json!({"command": format!("true {turn}")});
        ScriptedOutcome::from(match turn {
            TURNS => ModelReply::from_text("All are there."),
            _ => ModelReply {
                thinking: format!("Now {turn}."),
                ..calls(&[("bash", line), ("grep", looks), ("bash", idles)])
            },
        })
    })
}

/// Kills at any time: no line is written twice, and it comes to its end.
#[test]
fn nothing_is_done_twice_however_often_it_is_killed() {
    let kills = std::env::var("FOVEAL_TEST_KILLS").map_or(16, |kills| kills.parse().expect("one"));
    let (mut runs, mut lost) = (0, 0);
    for (number, dialect) in (0u64..).zip(DIALECTS) {
        let world = World::new(&format!("faults-killed-{dialect}"));
        let upstream = provider([ModelReply::from_text("")]);
        upstream.set_script(counts());
        let model = model(&upstream, dialect);
        let mut options = vec!["--yes", "--model", &model, "count"];
        for round in 0..kills / 3 + 1 {
            let mut child = started(&world, &options);
            // Spread over the time of some turns.
            let wait = 40_000 + (round * 7 + number) * 77_719 % 500_000;
            std::thread::sleep(Duration::from_micros(wait));
            let is_over = child.try_wait().expect("it can be asked").is_some();
            child.kill().expect("it runs, or ran");
            child.wait().expect("it ends");
            // Whether it came to keep anything decides how it is gone on with.
            let listed = world.output("sessions --json");
            if listed.contains("\"about\":\"count\"") || listed.contains("\"about\": \"count\"") {
                options = vec!["--yes", "--continue"];
            }
            runs += 1;
            if is_over {
                break;
            }
        }
        let ran = go_on(&world, &options);
        let is_done = ran.err.contains("the model had finished");
        assert!(is_done || ran.out == "All are there.\n", "{dialect}: {}", ran.err);
        let made = world.read("made");
        let mut lines: Vec<&str> = made.lines().collect();
        let count = lines.len();
        lines.dedup();
        assert_eq!(lines.len(), count, "{dialect}: {made}");
        lost += TURNS - count.min(TURNS);
        // Each request had calls and results in pairs.
        bodies(&upstream);
    }
    println!("{runs} runs were killed, {lost} calls before they had begun or done their work");
}

/// A request that is refused for good ends the run at any turn, and the session goes on from there.
#[test]
fn a_run_that_failed_goes_on() {
    for dialect in DIALECTS {
        let world = World::new(&format!("faults-refused-{dialect}"));
        world.write("a.rs", "const A: u8 = 2;\n");
        let upstream = provider([ModelReply::from_text("")]);
        let mut plays = Vec::new();
        for reply in changes_a_file() {
            for status in [400, 401] {
                plays.push(ScriptedOutcome::from(ScriptedFault::Status {
                    status,
                    retry_after_s: None,
                }));
            }
            // A storm that ends, an answer that breaks off, and then the answer.
            plays.push(ScriptedOutcome::from(ScriptedFault::Status {
                status: 429,
                retry_after_s: Some(0),
            }));
            plays.push(ScriptedOutcome {
                fault: ScriptedFault::ResetInEvent(2),
                ..ScriptedOutcome::from(reply.clone())
            });
            plays.push(ScriptedOutcome::from(reply));
        }
        upstream.set_script(ReplyScript::in_order(plays));
        let mut codes = vec![run(&world, &upstream, dialect, "--yes").code];
        while codes.last() != Some(&Some(0)) && codes.len() < 20 {
            let ran = go_on(&world, &["--continue", "--yes"]);
            assert!(ran.code == Some(0) || ran.err.contains("foveal run --session"), "{}", ran.err);
            codes.push(ran.code);
        }
        let failed = Some(2);
        assert_eq!(codes, [[failed; 6].as_slice(), &[Some(0)]].concat(), "{dialect}");
        assert_eq!(world.read("a.rs"), "const A: u8 = 3;\n");
        let bodies = bodies(&upstream);
        for two in bodies.windows(2) {
            assert!(messages(&two[1]).starts_with(&messages(&two[0])), "{dialect}");
        }
    }
}

/// On a full disk a run does its work, and what is kept of it is a beginning.
#[test]
fn on_a_full_disk_a_run_does_its_work() {
    for blocks in BLOCKS {
        let world = World::new(&format!("faults-full-{blocks}"));
        world.write("a.rs", "const A: u8 = 2;\n");
        let upstream = provider([ModelReply::from_text("")]);
        upstream.set_script(ReplyScript::by_turn(changes_a_file()));
        let mut command = limited(&world, "run --yes make", blocks);
        command.args(["--model", &model(&upstream, "messages")]).env("FOVEAL_MODEL_KEY", KEY);
        let ran = world.ran(command.stdin(Stdio::null()));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is three now.\n"), "{}", ran.err);
        let is_told = ["cannot be saved", "nothing is saved"].iter().any(|it| ran.err.contains(it));
        // There is room again: it goes on from what was kept, or nothing was, which is said.
        let ran = go_on(&world, &["--continue"]);
        match ran.code {
            Some(0) => assert_eq!(ran.out, "It is three now.\n"),
            code => {
                assert_eq!(code, Some(2));
                let why =
                    if is_told { "is stored for this folder" } else { "the model had finished" };
                assert!(ran.err.contains(why), "{blocks}: {}", ran.err);
            }
        }
        assert!(is_told || ran.code == Some(2), "{blocks}: {}", ran.err);
        bodies(&upstream);
    }
}

/// What cannot be kept while another process holds the store is kept once it lets go.
#[test]
fn what_waits_for_the_store_is_kept_later() {
    let world = World::new("faults-held");
    world.write("a.rs", "const A: u8 = 2;\n");
    world.output("read a.rs");
    let store = world.folder.join("home/.local/share/foveal/store.db");
    let held = Connection::open(store).expect("a store");
    held.execute_batch("BEGIN IMMEDIATE").expect("nobody else writes");
    let upstream = provider([ModelReply::from_text("")]);
    let late = ScriptedOutcome {
        fault: ScriptedFault::DelayedHead(Duration::from_secs(4)),
        ..ScriptedOutcome::from(ModelReply::from_text("Yes."))
    };
    upstream.set_script(ReplyScript::in_order([
        ScriptedOutcome::from(calls(&[("list", json!({}))])),
        late,
    ]));
    let mut child = started(&world, &["--model", &model(&upstream, "chat"), "is it there?"]);
    wait_for(&|| upstream.request_count() == 2);
    held.execute_batch("ROLLBACK").expect("it is ours");
    assert!(child.wait().expect("it ends").success());
    let listed: Value = serde_json::from_str(&world.output("sessions --json")).expect("JSON");
    assert_eq!(listed[0]["about"], "is it there?", "{listed}");
    let shown = world.output(&format!(
        "show {}",
        listed[0]["session"].as_str().expect("a name").trim_start_matches("run ")
    ));
    assert!(shown.contains("2 turns, 5 messages"), "{shown}");
}

/// Whatever signal ends a run, and at whatever stage, its session is valid and goes on to its end.
#[test]
fn a_signal_at_any_stage_leaves_a_session_that_goes_on() {
    let acts = || calls(&[("bash", json!({"command": "echo done >> made; sleep 30"}))]);
    let with = |fault: ScriptedFault| {
        vec![ScriptedOutcome {
            fault,
            ..ScriptedOutcome::from(ModelReply::from_text("It never comes."))
        }]
    };
    // The stage, what the model does, and after how many requests it is there.
    let stages: [(&str, Vec<ScriptedOutcome>, usize); 6] = [
        ("before its answer", with(ScriptedFault::DelayedHead(Duration::from_secs(60))), 1),
        ("at the first event", with(ScriptedFault::SilentBefore(0)), 1),
        ("in its answer", with(ScriptedFault::SilentBefore(3)), 1),
        ("while it waits", with(ScriptedFault::Status { status: 429, retry_after_s: Some(60) }), 1),
        ("in a call", vec![ScriptedOutcome::from(acts())], 1),
        (
            "in the answer to calls",
            [
                vec![ScriptedOutcome::from(calls(&[("list", json!({}))]))],
                with(ScriptedFault::SilentBefore(2)),
            ]
            .concat(),
            2,
        ),
    ];
    for (number, (stage, plays, requests)) in stages.into_iter().enumerate() {
        for (at, signal) in [Signal::INT, Signal::TERM, Signal::HUP].into_iter().enumerate() {
            let world = World::new(&format!("faults-signal-{number}-{at}"));
            let upstream = provider([ModelReply::from_text("")]);
            let end = [ScriptedOutcome::from(ModelReply::from_text("It is there."))];
            upstream.set_script(ReplyScript::in_order(plays.iter().cloned().chain(end)));
            let dialect = DIALECTS[(number + at) % DIALECTS.len()];
            let model = model(&upstream, dialect);
            let mut child = started(&world, &["--yes", "--model", &model, "is it there?"]);
            let made = world.folder.join("made");
            wait_for(&|| {
                upstream.request_count() == requests && (stage != "in a call" || made.exists())
            });
            kill_process(Pid::from_child(&child), signal).expect("it runs");
            let code = child.wait().expect("it ends").code();
            assert_eq!(code, Some(130), "{stage}, {signal:?}");
            let ran = go_on(&world, &["--continue", "--yes"]);
            let told = (ran.code, ran.out.as_str());
            assert_eq!(told, (Some(0), "It is there.\n"), "{stage}, {signal:?}: {}", ran.err);
            // Each request had calls and results in pairs, and nothing was done twice.
            bodies(&upstream);
            assert!(stage != "in a call" || world.read("made") == "done\n", "{signal:?}");
        }
    }
}
