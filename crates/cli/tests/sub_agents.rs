//! Sub-agents of foveal's own agent, with a scripted model that plays both.

use std::fmt::Write as _;
use std::process::Stdio;
use std::time::Duration;

use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyScript, ScriptRequest, ScriptedFault, ScriptedOutcome, Settings,
};
use serde_json::{Value, json};

use crate::document_stories::results;
use crate::run_sessions::{go_on, messages, started, wait_for};
use crate::run_task::{DIALECTS, bodies, calls, events, model, of_type, run, settle};
use crate::world::World;

/// Whether a request is the agent's: it alone may start others.
fn is_main(body: &Value) -> bool {
    body["tools"].to_string().contains("\"start_agent\"")
}

/// A provider that plays these turns of the agent, and those of each sub-agent.
fn provider(main: Vec<ModelReply>, sub: Vec<ModelReply>) -> MockProvider {
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(script(main, sub));
    upstream
}

fn script<M: Into<ScriptedOutcome>, S: Into<ScriptedOutcome>>(
    main: Vec<M>,
    sub: Vec<S>,
) -> ReplyScript {
    let main: Vec<ScriptedOutcome> = main.into_iter().map(Into::into).collect();
    let sub: Vec<ScriptedOutcome> = sub.into_iter().map(Into::into).collect();
    ReplyScript::new(move |asked: &ScriptRequest<'_>| {
        let plays = if is_main(asked.body) { &main } else { &sub };
        plays.get(asked.turn).or(plays.last()).cloned().unwrap_or_default()
    })
}

fn start(task: &str) -> ModelReply {
    calls(&[("start_agent", json!({"task": task, "label": "look for it"}))])
}

fn read(path: &str) -> ModelReply {
    calls(&[("read_file", json!({"path": path}))])
}

/// The requests of the agent, and those of its sub-agents.
fn by_agent(upstream: &MockProvider) -> (Vec<Value>, Vec<Value>) {
    bodies(upstream).into_iter().partition(is_main)
}

fn listing(name: &str) -> String {
    let mut text = String::new();
    for at in 1..=60 {
        writeln!(text, "const {name}_{at}: u32 = {};", at * 7_919 % 10_007).expect("a text");
    }
    text
}

#[test]
fn the_answer_comes_back_and_nothing_else() {
    for dialect in DIALECTS {
        let world = World::new(&format!("agents-answer-{dialect}"));
        world.write("a.rs", listing("A"));
        world.write("AGENTS.md", "Be kind to numbers.\n");
        let main = vec![start("Where is A_30 defined?"), ModelReply::from_text("All is known.")];
        let sub = vec![read("a.rs"), ModelReply::from_text("In line 30 of a.rs.")];
        let upstream = provider(main, sub);
        let ran = run(&world, &upstream, dialect, "");
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "All is known.\n"), "{}", ran.err);
        let (main, sub) = by_agent(&upstream);
        assert_eq!((main.len(), sub.len()), (2, 2), "{dialect}");
        let last = main[1].to_string();
        assert!(
            last.contains("In line 30 of a.rs.") && !last.contains("A_29"),
            "{dialect}: {last}"
        );
        // It begins with what the project says of itself and the task, and with nothing else.
        let first = sub[0].to_string();
        assert!(first.contains("Where is A_30 defined?") && first.contains("Be kind to numbers."));
        assert!(first.contains("for another agent") && !first.contains("make it three"), "{first}");
        assert!(sub[1].to_string().contains("A_29"));
        // It cannot start others; all else it can do.
        let names = |body: &Value| {
            let tools = body["tools"].as_array().expect("tools").iter();
            let name = |tool: &Value| match &tool["function"]["name"] {
                Value::Null => tool["name"].as_str().map(str::to_owned),
                name => name.as_str().map(str::to_owned),
            };
            tools.map(|tool| name(tool).expect("a name")).collect::<Vec<_>>()
        };
        let (mut all, of_sub) = (names(&main[0]), names(&sub[0]));
        assert_eq!(all.pop().as_deref(), Some("start_agent"));
        assert_eq!(all, of_sub);
    }
}

#[test]
fn it_is_told_to_a_person_in_short() {
    let world = World::new("agents-told");
    world.write("a.rs", listing("A"));
    let main = vec![start("Where is A_30 defined?"), ModelReply::from_text("All is known.")];
    let sub = vec![read("a.rs"), ModelReply::from_text("In line 30 of a.rs.")];
    let ran = run(&world, &provider(main, sub), "chat", "");
    let lines: Vec<&str> = ran.err.lines().map(|it| it.trim_start_matches("foveal: ")).collect();
    let at = lines.iter().position(|line| line.contains("· start_agent look for it")).expect("it");
    let end = lines[at + 1];
    assert!(end.trim().starts_with("start_agent: ") && end.contains(" s, 2 requests, 1 call, "));
    assert!(!ran.err.contains("read_file"), "{}", ran.err);
    let sum = lines[at + 2];
    assert!(sum.starts_with("4 requests, ") && sum.contains("of that, 1 sub-agent: 2 requests"));
}

#[test]
fn its_events_are_its_own() {
    let world = World::new("agents-events");
    world.write("a.rs", listing("A"));
    let main = vec![start("Where is A_30 defined?"), ModelReply::from_text("All is known.")];
    let sub = vec![read("a.rs"), ModelReply::from_text("In line 30 of a.rs.")];
    let upstream = provider(main, sub);
    let ran = run(&world, &upstream, "messages", "--json");
    let events = events(&ran);
    let texts =
        of_type(&events, "text").iter().map(|it| it["text"].to_string()).collect::<String>();
    assert!(!texts.contains("In line 30"), "{texts}");
    assert_eq!(of_type(&events, "done").len(), 1);
    let call = of_type(&events, "call")[0]["id"].clone();
    let agent: Vec<Value> = of_type(&events, "agent")
        .iter()
        .map(|it| {
            assert_eq!((&it["id"], &it["label"]), (&call, &json!("look for it")));
            it["event"].clone()
        })
        .collect();
    let session = agent[0]["session"].as_str().expect("a name");
    let main = of_type(&events, "start")[0]["session"].as_str().expect("a name");
    assert_eq!(session, format!("{main}/1"));
    let [read] = of_type(&agent, "result")[..] else { panic!("{agent:?}") };
    assert!(read["name"] == "read_file" && read["ms"].is_u64(), "{read}");
    let last = agent.last().expect("an event");
    assert_eq!((&last["type"], &last["outcome"]), (&json!("done"), &json!("finished")));
    // All that was billed is counted, once.
    let billed = |is_it: &dyn Fn(&Value) -> bool| {
        let seen = upstream.received_requests();
        let of = seen.iter().filter(|it| is_it(&serde_json::from_slice(&it.body).expect("JSON")));
        of.map(|it| {
            let bill = it.bill.expect("it was answered");
            bill.uncached + bill.read + bill.written_5m + bill.written_1h + bill.output
        })
        .sum::<u64>()
    };
    let spent = &of_type(&events, "done")[0]["spent"];
    let told: u64 = ["uncached", "cache_read", "cache_write", "output"]
        .iter()
        .map(|name| spent[name].as_u64().expect("a number"))
        .sum();
    assert_eq!(told, billed(&|_| true));
    assert_eq!(spent["turns"], 4);
    let of = &spent["agents"];
    assert_eq!((&of["count"], &of["turns"]), (&json!(1), &json!(2)));
    assert_eq!(of["tokens"].as_u64(), Some(billed(&|body| !is_main(body))));
    let (all, of) = (spent["cost"].as_f64().expect("a sum"), of["cost"].as_f64().expect("a sum"));
    assert!(of > 0.0 && of < all, "{spent}");
}

/// What the one was shown does not count as shown to the other.
#[test]
fn each_has_a_ledger_of_its_own() {
    let world = World::new("agents-ledger");
    let [a, b] = ["A", "B"].map(listing);
    world.write("a.rs", &a);
    world.write("b.rs", &b);
    settle(&world.folder);
    let main = vec![
        read("a.rs"),
        start("Look."),
        read("b.rs"),
        read("a.rs"),
        ModelReply::from_text("Done."),
    ];
    let sub = vec![read("a.rs"), read("b.rs"), read("b.rs"), ModelReply::from_text("I looked.")];
    let upstream = provider(main, sub);
    let ran = run(&world, &upstream, "messages", "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (main, sub) = by_agent(&upstream);
    let [main, sub] = [main, sub].map(|bodies| results(bodies.last().expect("a request")));
    let has_all = |result: &str, text: &str| text.lines().all(|line| result.contains(line));
    // The agent read a.rs, the sub-agent b.rs: each is shown the other's in full.
    assert!(has_all(&sub[0], &a), "{}", sub[0]);
    assert!(has_all(&main[2], &b), "{}", main[2]);
    // What it was shown itself is only pointed at.
    assert!(!has_all(&sub[2], &b) && !has_all(&main[3], &a), "{sub:?} {main:?}");
}

/// What a sub-agent writes, the agent learns of as of a change by others.
#[test]
fn what_it_writes_is_noticed() {
    let world = World::new("agents-writes");
    let a = listing("A");
    world.write("a.rs", &a);
    settle(&world.folder);
    let edit = |old: &str, new: &str| {
        calls(&[(
            "edit_file",
            json!({"path": "a.rs", "old_str": old, "new_str": new, "intent": "rename"}),
        )])
    };
    let main = vec![
        read("a.rs"),
        start("Rename A_30 to C_30."),
        // It does not know that line any more.
        edit("const A_30:", "const D_30:"),
        calls(&[("write_file", json!({"path": "a.rs", "content": "const NONE: u8 = 0;\n"}))]),
        read("a.rs"),
        edit("const C_30:", "const D_30:"),
        ModelReply::from_text("Done."),
    ];
    let sub =
        vec![read("a.rs"), edit("const A_30:", "const C_30:"), ModelReply::from_text("Renamed.")];
    let upstream = provider(main, sub);
    let ran = run(&world, &upstream, "messages", "--yes");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (main, _) = by_agent(&upstream);
    let results = results(main.last().expect("a request"));
    assert_eq!(results[1], "Renamed.");
    assert!(results[2].contains("old_str is not in the file"), "{}", results[2]);
    // Nor is what the sub-agent wrote written over unseen.
    assert!(results[3].contains("was changed"), "{}", results[3]);
    // Only what changed comes.
    assert!(results[4].contains("C_30:") && !results[4].contains("A_10:"), "{}", results[4]);
    assert_eq!(world.read("a.rs"), a.replace("A_30", "D_30"));
}

#[test]
fn what_it_takes_is_taken_off_the_limits() {
    let world = World::new("agents-limits");
    let looks: Vec<ModelReply> = (0..20)
        .map(|at| ModelReply {
            text: format!("I look for {at}."),
            ..calls(&[("grep", json!({"pattern": format!("p{at}")}))])
        })
        .collect();
    let main = vec![start("Look."), ModelReply::from_text("It did not find it.")];
    let upstream = provider(main.clone(), looks.clone());
    // The agent's first one, and one for its answer.
    let ran = run(&world, &upstream, "messages", "--max-turns 6");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It did not find it.\n"), "{}", ran.err);
    let (main_bodies, sub) = by_agent(&upstream);
    assert_eq!((main_bodies.len(), sub.len()), (2, 4));
    let told = main_bodies[1].to_string();
    assert!(told.contains("the limit of requests to the model is reached"), "{told}");
    assert!(told.contains("I look for 3."), "{told}");
    // Money that is gone is gone for both.
    let upstream = provider(main, looks);
    let ran = run(&world, &upstream, "messages", "--max-cost 0.02");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("limit of cost"), "{}", ran.err);
    let (main, sub) = by_agent(&upstream);
    assert!(main.len() == 1 && sub.len() > 1, "{} {}", main.len(), sub.len());
}

#[test]
fn it_may_do_what_the_agent_may() {
    let world = World::new("agents-refused");
    let main = vec![start("Make it."), ModelReply::from_text("I may not.")];
    let sub =
        vec![calls(&[("bash", json!({"command": "touch made"}))]), ModelReply::from_text("No.")];
    let upstream = provider(main.clone(), sub.clone());
    let ran = run(&world, &upstream, "chat", "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!world.folder.join("made").exists());
    let (_, told) = by_agent(&upstream);
    assert!(told[1].to_string().contains("--yes was not given"), "{}", told[1]);
    let ran = run(&world, &provider(main, sub), "chat", "--yes");
    assert!(ran.code == Some(0) && world.folder.join("made").exists(), "{}", ran.err);
}

#[test]
fn several_work_one_after_the_other() {
    let world = World::new("agents-several");
    let start = |task: &str| ("start_agent", json!({"task": task, "label": task}));
    let both = calls(&[start("one"), ("list", json!({})), start("two")]);
    let line = "echo begin >> made; sleep 0.2; echo end >> made";
    let sub = vec![calls(&[("bash", json!({"command": line}))]), ModelReply::from_text("Made.")];
    let upstream = provider(vec![both, ModelReply::from_text("Both.")], sub);
    let ran = run(&world, &upstream, "responses", "--yes");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Both.\n"), "{}", ran.err);
    assert_eq!(world.read("made"), "begin\nend\nbegin\nend\n");
    assert!(ran.err.contains("of that, 2 sub-agents: 4 requests"), "{}", ran.err);
}

/// An answer that is longer than any prompt should be goes with its ends, and all of it is kept.
#[test]
fn a_long_answer_is_cut_as_other_results_are() {
    let world = World::new("agents-long");
    let mut long = String::new();
    for at in 0..6_000 {
        writeln!(long, "{at}: a line of the answer that says little").expect("a text");
    }
    let main = vec![start("Tell all."), ModelReply::from_text("That was long.")];
    let upstream = provider(main, vec![ModelReply::from_text(long.clone())]);
    let ran = run(&world, &upstream, "messages", "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "That was long.\n"), "{}", ran.err);
    let result = results(&by_agent(&upstream).0[1]).remove(0);
    assert!(result.len() < 130_000 && result.contains("5999: a line"), "{} bytes", result.len());
    let at = result.find("expand ").expect("a handle") + "expand ".len();
    let handle: String = result[at..].chars().take_while(char::is_ascii_alphanumeric).collect();
    assert_eq!(world.output(&format!("expand {handle}")).trim_end(), long.trim_end());
}

#[test]
fn one_that_fails_is_an_answer() {
    let world = World::new("agents-fails");
    let main = vec![
        ScriptedOutcome::from(start("Look.")),
        ScriptedOutcome::from(ModelReply::from_text("It failed.")),
    ];
    let refused = ScriptedOutcome::from(ScriptedFault::Status { status: 400, retry_after_s: None });
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(script(main, vec![refused]));
    let ran = run(&world, &upstream, "messages", "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It failed.\n"), "{}", ran.err);
    let told = by_agent(&upstream).0[1].to_string();
    assert!(told.contains("the sub-agent ended before it was done"), "{told}");
    assert!(told.contains("\"is_error\":true"), "{told}");
}

#[test]
fn who_stops_the_agent_stops_its_sub_agent() {
    let world = World::new("agents-stopped");
    let sleeps =
        ScriptedOutcome::from(calls(&[("bash", json!({"command": "touch there; sleep 60"}))]));
    let silent = ScriptedOutcome {
        fault: ScriptedFault::SilentBefore(3),
        ..ScriptedOutcome::from(ModelReply::from_text("It never comes."))
    };
    for sub in [sleeps, silent] {
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        let main = vec![start("Look."), ModelReply::from_text("It was stopped.")];
        upstream.set_script(script(main, vec![sub]));
        let mut command = world.command("run --json --yes --model");
        command.arg(model(&upstream, "messages")).arg("task").stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        upstream.wait_for_requests(2, Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(300));
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it runs");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130));
        let out = String::from_utf8(output.stdout).expect("text");
        let events: Vec<Value> =
            out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let [result] = of_type(&events, "result")[..] else { panic!("{out}") };
        assert!(result["text"].to_string().contains("it was stopped"), "{result}");
        // What its server had begun to answer counts.
        let spent = &of_type(&events, "done")[0]["spent"]["agents"];
        assert!(spent["tokens"].as_u64() > Some(1_000), "{spent}");
        // It goes on, and all calls have results.
        let ran = go_on(&world, &["--continue", "--yes"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It was stopped.\n"), "{}", ran.err);
        bodies(&upstream);
    }
}

#[test]
fn the_time_of_the_agent_is_its_time() {
    let world = World::new("agents-late");
    let sub = vec![calls(&[("bash", json!({"command": "sleep 60"}))])];
    let upstream = provider(vec![start("Look.")], sub);
    let ran = run(&world, &upstream, "messages", "--yes --max-time 2");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("it was stopped") && ran.err.contains("limit of time"), "{}", ran.err);
}

#[test]
fn what_it_leaves_running_ends_with_it() {
    let world = World::new("agents-terminal");
    // Its number says nothing to other commands, which have processes of their own.
    let looks = "before=$(cat beat); sleep 0.5; \
                 if test \"$before\" = \"$(cat beat)\"; then echo it ended; else echo it runs; fi";
    let main = vec![
        start("Start it."),
        calls(&[("bash", json!({"command": looks}))]),
        ModelReply::from_text("I see."),
    ];
    let runs = json!({"command": "while sleep 0.05; do echo $((n += 1)) > beat; done"});
    let looks = calls(&[("bash", json!({"command": looks}))]);
    let sub = vec![calls(&[("exec", runs)]), looks, ModelReply::from_text("It runs.")];
    let upstream = provider(main, sub);
    let ran = run(&world, &upstream, "messages", "--yes");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (main, sub) = by_agent(&upstream);
    let [main, sub] = [main, sub].map(|bodies| results(bodies.last().expect("a request")));
    assert!(sub[1].contains("it runs") && main[1].contains("it ended"), "{sub:?} {main:?}");
}

#[test]
fn a_kill_in_the_middle_of_a_sub_agent_does_nothing_twice() {
    for dialect in DIALECTS {
        let world = World::new(&format!("agents-killed-{dialect}"));
        let acts = json!({"command": "echo done >> made; sleep 30"});
        let sub = vec![calls(&[("bash", acts)]), ModelReply::from_text("Made.")];
        let upstream = provider(vec![start("Make it."), ModelReply::from_text("I looked.")], sub);
        let mut child =
            started(&world, &["--yes", "--model", &model(&upstream, dialect), "make it three"]);
        let made = world.folder.join("made");
        wait_for(&|| made.exists());
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let ran = go_on(&world, &["--continue", "--yes"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "I looked.\n"), "{}", ran.err);
        assert_eq!(world.read("made"), "done\n", "{dialect}");
        let (main, sub) = by_agent(&upstream);
        assert_eq!((main.len(), sub.len()), (2, 1), "{dialect}");
        let [before, after] = [0, 1].map(|at| messages(&main[at]));
        assert!(after.starts_with(&before), "{dialect}");
        assert!(main[1].to_string().contains("its answer is not known"), "{}", main[1]);
    }
}

/// A session of an earlier foveal, or of other settings, goes on with the tools of today.
#[test]
fn it_can_be_switched_off() {
    let world = World::new("agents-off");
    let upstream =
        provider(vec![ModelReply::from_text("One.")], vec![ModelReply::from_text("Two.")]);
    let ran = run(&world, &upstream, "messages", "");
    assert_eq!(ran.out, "One.\n", "{}", ran.err);
    world.write("home/.config/foveal/config.toml", "[agent]\nsub_agents = false\n");
    let ran = go_on(&world, &["--continue", "and now"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Two.\n"), "{}", ran.err);
    let (main, sub) = by_agent(&upstream);
    assert_eq!((main.len(), sub.len()), (1, 1));
    // Who calls it all the same is told that it is not there.
    let calls = vec![start("Look."), ModelReply::from_text("No.")];
    upstream.set_script(script(calls.clone(), calls));
    let ran = go_on(&world, &["--continue", "again"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "No.\n"), "{}", ran.err);
    let last = bodies(&upstream).pop().expect("a request").to_string();
    assert!(last.contains("start_agent") && last.contains("is_error"), "{last}");
}

/// The sessions that are listed.
fn listed(world: &World, options: &str) -> Vec<String> {
    let listed: Value =
        serde_json::from_str(&world.output(&format!("sessions --json {options}"))).expect("JSON");
    let all = listed.as_array().expect("a list").iter();
    all.map(|it| it["session"].as_str().expect("a name").to_owned()).collect()
}

/// A run in which the agent and its sub-agent change a file each, and the sub-agent the agent's.
fn changes_by_both(world: &World) -> MockProvider {
    for name in ["a", "b"] {
        world.write(&format!("{name}.rs"), format!("const {name}: u8 = 1;\n"));
    }
    settle(&world.folder);
    let edit = |path: &str, old: &str, new: &str| {
        let intent = format!("{old} is {new}");
        ("edit_file", json!({"path": path, "old_str": old, "new_str": new, "intent": intent}))
    };
    let main = vec![
        read("a.rs"),
        calls(&[edit("a.rs", "1", "2")]),
        start("Make both three. The key is AKIAQYLPMN5HFIQR7XYA."),
        ModelReply::from_text("All are three."),
    ];
    let sub = vec![
        calls(&["a.rs", "b.rs"].map(|path| ("read_file", json!({"path": path})))),
        calls(&[edit("a.rs", "2", "3"), edit("b.rs", "1", "3")]),
        ModelReply::from_text("Both are three."),
    ];
    provider(main, sub)
}

#[test]
fn its_session_is_a_part_of_the_agents() {
    let world = World::new("agents-kept");
    let upstream = changes_by_both(&world);
    assert_eq!(run(&world, &upstream, "messages", "--yes").code, Some(0));
    let [name] = &listed(&world, "")[..] else { panic!("one is listed") };
    let part = name.strip_prefix("run ").expect("a run");
    assert!(world.output("sessions").contains("1 sub-agent: see `foveal sessions --all`"));
    let all = listed(&world, "--all");
    assert!(all.len() == 2 && all.contains(&format!("{name}/1")), "{all:?}");
    // Nothing that looks like a key is kept of either.
    let log = std::fs::read(world.folder.join("home/.local/share/foveal/store.db")).expect("it");
    assert!(!String::from_utf8_lossy(&log).contains("AKIAQYLPMN5HFIQR7XYA"));
    // It is shown behind the agent's, and alone.
    let shown = world.output(&format!("show {part}"));
    let agent = shown.find("\n1, agent foveal, in ").expect("a sub-agent");
    assert!(shown[agent..].contains(&format!(", of {name}: 3 turns, ")), "{shown}");
    let own = world.output(&format!("show {part} --conversation 1 --turn 3"));
    assert!(own.contains("Both are three."), "{own}");
    let turn = world.output(&format!("show {part} --turn 3"));
    assert!(turn.contains(r#"[{"trajectory_id":"1"}]"#), "{turn}");
    let alone = world.output(&format!("show {part}/1"));
    assert!(alone.starts_with(&format!("{name}/1, agent foveal")), "{alone}");
    assert!(world.output(&format!("changelog {part}")).contains("1 is 3"));
    for (asked, requests) in [(part.to_owned(), 7), (format!("{part}/1"), 3)] {
        let replayed = world.run(&format!("replay {asked} --json"));
        assert_eq!((replayed.code, replayed.err.as_str()), (Some(0), ""), "{asked}");
        let replayed: Value = serde_json::from_str(&replayed.out).expect("JSON");
        assert_eq!(replayed["raw"]["requests"], requests, "{asked}");
    }
    // It cannot be gone on with alone.
    let ran = go_on(&world, &["--session", &format!("{part}/1"), "more"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("is not a session of `foveal run`"),
        "{}",
        ran.err
    );
    // It is kept and removed with the agent's.
    assert_eq!(world.run(&format!("sessions pin {part}")).code, Some(0));
    let pinned = world.output("sessions --all");
    assert_eq!(pinned.matches("pinned").count(), 2, "{pinned}");
    let ran = world.ran(world.command("sessions delete").arg(name));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(listed(&world, "--all").is_empty());
}

/// A session that is used does not lose its sub-agents to age, and one that is pinned has all of them.
#[test]
fn it_is_kept_as_long_as_the_agent() {
    let world = World::new("agents-age");
    let main = vec![start("Look."), ModelReply::from_text("Found.")];
    let upstream = provider(main, vec![ModelReply::from_text("I looked.")]);
    let ran = run(&world, &upstream, "messages", "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Found.\n"), "{}", ran.err);
    let name = listed(&world, "").remove(0);
    assert_eq!(world.run(&format!("sessions pin {}", name.replace("run ", ""))).code, Some(0));
    let used = |world: &World| {
        let listed = world.output("sessions --json --all");
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let agents = listed.as_array().expect("a list").iter().filter(|it| it["session"] != name);
        let told = agents.map(|it| (it["used_ms"].as_i64().expect("a time"), it["pinned"] == true));
        told.collect::<Vec<_>>()
    };
    let before = used(&world);
    // It has called once when it goes on.
    let again = vec![start("Look."), start("Look again."), ModelReply::from_text("Found more.")];
    upstream.set_script(script(again, vec![ModelReply::from_text("I looked again.")]));
    let ran = go_on(&world, &["--continue", "and again"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Found more.\n"), "{}", ran.err);
    let after = used(&world);
    assert_eq!((before.len(), after.len()), (1, 2), "{after:?}");
    assert!(after.iter().all(|(used, pinned)| *pinned && *used > before[0].0), "{after:?}");
}

#[test]
fn what_it_wrote_goes_back_with_the_agents() {
    let world = World::new("agents-rewind");
    let upstream = changes_by_both(&world);
    assert_eq!(run(&world, &upstream, "messages", "--yes").code, Some(0));
    assert_eq!(world.read("a.rs") + &world.read("b.rs"), "const a: u8 = 3;\nconst b: u8 = 3;\n");
    let name = listed(&world, "").remove(0).replace("run ", "");
    let ran = world.run(&format!("rewind {name} --files --yes"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(world.read("a.rs") + &world.read("b.rs"), "const a: u8 = 1;\nconst b: u8 = 1;\n");
}
