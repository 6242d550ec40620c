//! The stories of the design documents that foveal began with, from end to end: a scripted model
//! asks over real HTTP, and what it is sent is looked at.

use std::fmt::Write as _;

use foveal_mock_provider::{MockProvider, ModelReply, ReplyScript, Settings};
use serde_json::{Value, json};

use crate::run_task::{bodies, calls, events, model, of_type, provider, settle};
use crate::world::{Ran, World};

/// Runs a task in the folder `project` of a world.
fn run(world: &World, upstream: &MockProvider, options: &str, task: &str) -> Ran {
    let mut command = world.command("run --yes --json --model");
    command.current_dir(world.folder.join("project")).arg(model(upstream, "messages"));
    let ran = world.ran(command.args(options.split_whitespace()).arg(task));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran
}

/// The results of calls in a prompt, as the model is sent them.
pub(crate) fn results(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().expect("messages").iter();
    let blocks = messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
    let results = blocks.filter(|block| block["type"] == "tool_result");
    let text = |content: &Value| match content {
        Value::String(text) => text.clone(),
        parts => {
            parts.as_array().into_iter().flatten().filter_map(|it| it["text"].as_str()).collect()
        }
    };
    results.map(|block| text(&block["content"])).collect()
}

/// The results in the last prompt of a run in which the model makes these calls, one an answer.
pub(crate) fn after(
    world: &World,
    options: &str,
    asked: &[(&str, Value)],
) -> (Vec<String>, Vec<Value>) {
    let mut turns: Vec<ModelReply> =
        asked.iter().map(|call| calls(std::slice::from_ref(call))).collect();
    turns.push(ModelReply::from_text("Done."));
    let upstream = provider(turns);
    let ran = run(world, &upstream, options, "look");
    let last = bodies(&upstream).pop().expect("a request");
    (results(&last), events(&ran))
}

/// Lines that a listing of `path` could have, each of its own.
fn listing(lines: usize, name: &str) -> String {
    let mut text = String::new();
    for at in 1..=lines {
        writeln!(text, "const {name}_{at}: u32 = {};", at * 7_919 % 10_007).expect("a text");
    }
    text
}

fn read(path: &str) -> (&'static str, Value) {
    ("read_file", json!({"path": path}))
}

/// A program of 1,200 lines: forty parts of thirty lines, one of which is the loop that runs all.
fn app() -> String {
    const NOUNS: [&str; 8] =
        ["window", "cursor", "history", "theme", "buffer", "clipboard", "session", "network"];
    const VERBS: [&str; 5] = ["draw", "load", "store", "check", "reset"];
    let mut text = String::new();
    for part in 0..40 {
        let (noun, verb) = (NOUNS[part % 8], VERBS[part / 8]);
        let (about, name) = match part {
            22 => {
                ("Runs the main loop: waits for an event and handles it.", "main_loop".to_owned())
            }
            _ => ("Keeps its part in order.", format!("{verb}_{noun}")),
        };
        writeln!(text, "/// {about}\npub fn {name}(state: &mut State) -> Result<u32, Error> {{")
            .expect("a text");
        for line in 0..25 {
            let number = part * 1_000 + line * 37;
            writeln!(text, "    let {noun}_{line} = state.{verb}({number}, \"{noun} {line}\")?;")
                .expect("a text");
        }
        writeln!(text, "    Ok({noun}_24)\n}}\n").expect("a text");
    }
    text
}

#[test]
fn the_same_file_is_read_twice() {
    let world = World::new("story-twice");
    world.write("project/a.rs", listing(60, "A"));
    let (results, _) = after(&world, "", &[read("a.rs"), read("a.rs"), read("a.rs")]);
    let [first, second, third] = results.as_slice() else { panic!("{results:?}") };
    assert!(first.contains("A_1:") && first.contains("A_60:"));
    let pointer = "[a.rs: unchanged, same result as `read_file a.rs` above]";
    assert!(second.contains(pointer) && second.len() < 60, "{second}");
    // Whoever asks once more needs it.
    assert!(third.starts_with(first.as_str()), "{third}");
}

#[test]
fn an_outline_is_asked_again() {
    let world = World::new("story-outline-twice");
    world.write("project/app.rs", app());
    settle(&world.folder.join("project"));
    let outline = ("outline", json!({"path": "app.rs"}));
    let (results, _) = after(&world, "", &[outline.clone(), outline]);
    let [first, second] = results.as_slice() else { panic!("{results:?}") };
    assert!(first.contains("pub fn main_loop("), "{first}");
    let (note, pointer) = second.split_once('\n').expect("two lines");
    assert!(note.starts_with("[Cached result from "), "{second}");
    assert_eq!(pointer, "[app.rs: unchanged, same result as `outline app.rs` above]");
}

/// Two different calls whose answers begin with the same notes.
#[test]
fn notes_on_an_answer_that_is_given_again_stay() {
    let world = World::new("story-written-twice");
    world.write("project/a.rs", "fn old() {}\n");
    settle(&world.folder.join("project"));
    let edit = json!({"edits": [{"path": "a.rs", "old_str": "old", "new_str": "new"}]});
    let edit = ("multi_edit", edit);
    let write = ("write_file", json!({"path": "n.txt", "content": "one\n"}));
    let asked = [read("a.rs"), edit.clone(), edit, write.clone(), write];
    let (results, _) = after(&world, "", &asked);
    for again in [&results[2], &results[4]] {
        let mut lines = again.lines();
        let note = lines.next().unwrap_or_default();
        assert!(note.starts_with("[Cached result from "), "{again}");
        let note =
            "[nothing was written: the files already have this content. The earlier answer was:]";
        assert_eq!(lines.next(), Some(note), "{again}");
    }
    assert!(results[4].ends_with("\n[same result as `write_file n.txt` above]"), "{}", results[4]);
}

/// A session is stored with whole results; a replay shortens them as the run did.
#[test]
fn a_replay_of_a_run_shortens_repeated_reads() {
    let world = World::new("story-replayed");
    world.write("project/a.rs", listing(60, "A"));
    world.write("project/app.rs", app());
    settle(&world.folder.join("project"));
    let outline = ("outline", json!({"path": "app.rs"}));
    let echo = ("bash", json!({"command": "echo hi"}));
    let asked = [read("a.rs"), echo.clone(), read("a.rs"), outline.clone(), echo, outline];
    let (sent, _) = after(&world, "--profile lossless", &asked);
    let name = crate::run_sessions::name(&world);
    let replayed = world.run(&format!(
        "replay {} --profile lossless --prompt-log -",
        name.strip_prefix("run ").expect("a run")
    ));
    assert_eq!(replayed.code, Some(0), "{}", replayed.err);
    for again in [&sent[2], &sent[5]] {
        assert!(again.contains("same result as `"), "{again}");
        let line = again.lines().last().expect("a line");
        assert!(replayed.out.contains(&line.replace('"', "\\\"")), "{line}\n{}", replayed.out);
    }
}

#[test]
fn a_file_is_read_after_it_was_written() {
    let world = World::new("story-written");
    let (before, after_) = (listing(60, "A"), listing(60, "A").replace("A_30:", "B_30:"));
    world.write("project/a.rs", before);
    let write = ("write_file", json!({"path": "a.rs", "content": after_}));
    let (results, _) = after(&world, "", &[read("a.rs"), write, read("a.rs")]);
    assert!(results[2].contains("30→const B_30:"), "{}", results[2]);
    assert!(!results[2].contains("A_29:") && !results[2].contains("A_31:"), "{}", results[2]);
    assert_eq!(world.read("project/a.rs"), after_);
}

#[test]
fn a_long_file_is_curated_and_its_gaps_are_read() {
    let world = World::new("story-curated");
    world.write("project/app.rs", app());
    assert_eq!(app().lines().count(), 1_200);
    let range = ("read_lines", json!({"path": "app.rs", "start": 5, "end": 8}));
    let (results, _) = after(&world, "", &[read("app.rs"), range]);
    let [view, lines] = results.as_slice() else { panic!("{results:?}") };
    assert!(view.starts_with("File: app.rs\nTotal lines: 1200\n"), "{view}");
    let numbered = view.lines().skip(2).filter(|line| !line.starts_with('[')).count();
    let share = format!(
        "[curated: {numbered} of 1200 lines ({}.{} %)]\n",
        numbered / 12,
        numbered % 12 * 10 / 12
    );
    assert!(view.contains(&share), "{share}: {view}");
    assert!(view.contains(" left out: ") && view.lines().count() < 600, "{view}");
    let whole: Vec<String> = (5..=8)
        .zip(app().lines().skip(4))
        .map(|(number, line)| format!("{number}→{line}\n"))
        .collect();
    assert_eq!(lines.trim_end(), whole.concat().trim_end());
}

/// Each long file of a read of several is curated; the short one is whole.
#[test]
fn the_long_ones_of_several_files_are_curated() {
    let shown = |test: &str, options: &str| {
        let world = World::new(test);
        world.write("project/app.rs", app());
        world.write("project/a.rs", listing(60, "A"));
        world.write("project/sub/app.rs", app().replace("state", "world"));
        let read = ("read_files", json!({"paths": ["app.rs", "a.rs", "sub/app.rs"]}));
        let (results, _) = after(&world, options, &[read]);
        results.into_iter().next().expect("a result")
    };
    let text = shown("story-several", "");
    let files: Vec<&str> = text.split("File: ").skip(1).collect();
    let [first, short, last] = files.as_slice() else { panic!("{text}") };
    for (name, file) in [("app.rs", first), ("sub/app.rs", last)] {
        assert!(file.starts_with(&format!("{name}\nTotal lines: 1200\n[")), "{file}");
        assert!(file.contains("[curated: ") && file.contains(" of 1200 lines ("), "{file}");
        assert!(file.contains(" left out: ") && file.lines().count() < 600, "{file}");
    }
    assert!(first.contains("state: &mut State") && !first.contains("world"), "{first}");
    assert!(last.contains("world: &mut State") && !last.contains("state."), "{last}");
    assert!(short.contains("const A_1:") && short.contains("const A_60:"), "{short}");
    assert!(!short.contains("curated") && !short.contains("left out"), "{short}");
    assert!(!shown("story-several-whole", "--profile balanced").contains("left out"));
}

/// The limit of the settings, by file too, and the mode of the call decide what a run is shown.
#[test]
fn a_run_is_shown_what_limit_and_mode_say() {
    let shown = |test: &str, settings: &str, options: &str, asked: &[(&str, Value)]| {
        let world = World::new(test);
        world.write("project/app.rs", app());
        world.write("home/.config/foveal/config.toml", settings);
        let (results, _) = after(&world, options, asked);
        results.iter().map(|result| result.contains("[curated: ")).collect::<Vec<_>>()
    };
    let mode = |mode: &str| ("read_file", json!({"path": "app.rs", "mode": mode}));
    assert_eq!(shown("story-limit", "", "", &[read("app.rs")]), [true]);
    for settings in [
        "file_read_small_threshold = 1200\n",
        "[read]\nsmall_lines = 1200\n",
        "[read]\nfor_files = [{ glob = \"*.rs\", small_lines = 1200 }]\n",
        "[agent]\nprofile = \"balanced\"\n",
    ] {
        assert_eq!(shown("story-limit", settings, "", &[read("app.rs")]), [false], "{settings}");
    }
    let below = "[read]\nsmall_lines = 1199\n";
    assert_eq!(shown("story-limit", below, "", &[read("app.rs")]), [true]);
    assert_eq!(shown("story-mode", "", "", &[mode("full")]), [false]);
    for options in ["", "--profile balanced", "--profile lossless", "--profile max"] {
        assert_eq!(shown("story-mode", "", options, &[mode("curated")]), [true], "{options}");
    }
    let focus = ("focus", json!({"paths": ["app.rs"]}));
    assert_eq!(shown("story-focus", "", "", &[focus, read("app.rs")]), [false, false]);
}

/// Earlier decisions about the same task do not hold once the settings have changed.
#[test]
fn a_new_run_of_the_same_task_keeps_to_changed_settings() {
    let world = World::new("story-changed");
    world.write("project/app.rs", app());
    world.write("project/a.rs", listing(60, "A"));
    settle(&world.folder.join("project"));
    let asked = [read("app.rs"), read("a.rs"), read("a.rs")];
    let shown = |settings: &str| {
        world.write("home/.config/foveal/config.toml", settings);
        let (results, _) = after(&world, "", &asked);
        (results[0].contains("[curated: "), results[2].contains("unchanged"))
    };
    assert_eq!(shown(""), (true, true));
    assert_eq!(shown("file_read_small_threshold = 1200\n"), (false, true));
    assert_eq!(shown("detect_duplicates = false\n"), (true, false));
    assert_eq!(shown(""), (true, true));
}

#[test]
fn a_search_is_asked_again() {
    let grep = ("grep", json!({"pattern": "A_17:"}));
    let told = |test: &str, settings: &str| {
        let world = World::new(test);
        world.write("project/a.rs", listing(60, "A"));
        world.write("home/.config/foveal/config.toml", settings);
        settle(&world.folder.join("project"));
        let (results, events) = after(&world, "", &[grep.clone(), grep.clone()]);
        let told = of_type(&events, "result");
        let cached: Vec<bool> = told.iter().map(|it| it["cached"] == true).collect();
        (cached, results[1].starts_with("[Cached result from "), results[0] == results[1])
    };
    assert_eq!(told("story-again", ""), (vec![false, true], true, false));
    // Detection is off, or what is remembered has expired.
    let off = "detect_duplicates = false\n";
    assert_eq!(told("story-off", off), (vec![false, false], false, true));
    let off = "[duplicates.tools.grep]\ndetect = false\n";
    assert_eq!(told("story-off-tool", off), (vec![false, false], false, true));
    let expired = "[duplicates]\nage_ms_max = 1\n";
    let (cached, is_told, _) = told("story-expired", expired);
    assert_eq!((cached, is_told), (vec![false, false], false));
}

#[test]
fn two_sessions_know_nothing_of_each_other() {
    let world = World::new("story-sessions");
    world.write("project/a.rs", listing(60, "A"));
    settle(&world.folder.join("project"));
    let asked = [read("a.rs"), ("grep", json!({"pattern": "A_17:"}))];
    let [first, second] = [(); 2].map(|()| after(&world, "", &asked).0);
    assert_eq!(first, second);
    assert!(second[0].contains("A_60:"), "{}", second[0]);
}

/// At the limit contents go, in one batch; paths stay, and what went can be had.
#[test]
fn contents_are_reset_at_the_limit() {
    let world = World::new("story-reset");
    let names: Vec<String> = (0..40).map(|at| format!("part_{at:02}.rs")).collect();
    for name in &names {
        let content = listing(420, &name[..7].to_uppercase());
        world.write(&format!("project/{name}"), content);
    }
    let looks = names.chunks(4).map(|names| {
        let reads: Vec<(&str, Value)> = names.iter().map(|name| read(name)).collect();
        calls(&reads)
    });
    let upstream = provider(looks.chain([ModelReply::from_text("Done.")]));
    let ran = run(&world, &upstream, "--profile balanced", "read it all");
    let events = events(&ran);
    let sent = of_type(&events, "sent");
    let rewritten: Vec<&&Value> = sent.iter().filter(|it| !it["rewrite"].is_null()).collect();
    let tokens = |event: &Value| event["tokens_sent"].as_u64().expect("a count");
    assert!(!rewritten.is_empty() && rewritten.len() <= 3, "{sent:?}");
    assert!(sent.iter().all(|event| tokens(event) < 150_000), "{sent:?}");
    let asked = sent.last().and_then(|last| last["tokens_asked"].as_u64()).expect("a count");
    assert!(asked > 200_000, "{asked}");
    let results = results(&bodies(&upstream).pop().expect("a request"));
    assert_eq!(results.len(), names.len());
    let (first, last) = (&results[0], &results[names.len() - 1]);
    assert!(first.starts_with("[422 lines, ") && !first.contains("PART_00_"), "{first}");
    let body = bodies(&upstream).pop().expect("a request").to_string();
    assert!(names.iter().all(|name| body.contains(name.as_str())));
    assert!(last.contains("PART_39_400:"), "{last}");
    let at = first.find("expand ").expect("a handle") + "expand ".len();
    let whole = world.output(&format!("expand {}", &first[at..at + 12]));
    assert!(whole.contains("const PART_00_400:"));
}

/// How the reads of a file stand in each prompt, by the strategy of a document: whole (`F`), or as
/// its note (`.`).
fn reads_by(world: &World, options: &str, count: usize) -> (Vec<String>, Vec<Value>, Vec<String>) {
    world.write("project/a.rs", listing(60, "A"));
    // The same call made three times is spoken of, which would be another result.
    let ways = [
        json!({"path": "a.rs"}),
        json!({"path": "a.rs", "enable_duplicate_detection": false}),
        json!({"path": "a.rs", "mode": "full"}),
        json!({"path": "a.rs", "mode": "full", "enable_duplicate_detection": false}),
    ];
    let turns = (0..count).map(|at| calls(&[("read_file", ways[at % ways.len()].clone())]));
    let upstream = provider(turns.chain([ModelReply::from_text("Done.")]));
    let ran = run(world, &upstream, options, "look");
    let sign = |result: &String| if result.contains("A_60:") { 'F' } else { '.' };
    let bodies = bodies(&upstream);
    let rows = bodies[1..].iter().map(|body| results(body).iter().map(sign).collect());
    let last = results(bodies.last().expect("a request"));
    (rows.collect(), events(&ran), last)
}

#[test]
fn the_table_of_reads_holds_where_its_strategy_is_chosen() {
    let world = World::new("story-sampled");
    let (rows, events, last) = reads_by(&world, "--profile first-last-sampled", 8);
    let table =
        ["F", "FF", "F.F", "F..F", "F...F", "F..F.F", "F.F.F.F", "F.F.FF.F"].map(str::to_owned);
    assert_eq!(rows, table);
    let note = "[Re-read of a.rs - see first read above for content] [expand ";
    assert!(last[1].starts_with(note), "{}", last[1]);
    let at = last[1].rfind("expand ").expect("a handle") + "expand ".len();
    assert!(world.output(&format!("expand {}", &last[1][at..at + 12])).contains("A_60:"));
    // What had gone changes with the third read, and with each one after it.
    let rewritten: Vec<bool> =
        of_type(&events, "sent").iter().map(|sent| !sent["rewrite"].is_null()).collect();
    assert_eq!(rewritten, [false, false, false, true, true, true, true, true, true]);
    let why = "the profile decides anew for every request";
    assert!(of_type(&events, "sent").iter().any(|sent| sent["rewrite"] == why));
}

#[test]
fn the_limits_of_the_strategy_can_be_set() {
    let world = World::new("story-sampled-limits");
    world.write(
        "home/.config/foveal/config.toml",
        "[agent]\nprofile = \"first-last-sampled-max5\"\n",
    );
    let (rows, ..) = reads_by(&world, "", 6);
    assert_eq!(rows.last().map(String::as_str), Some("FFFF.F"));
    let set = "[agent]\nprofile = \"first-last-sampled-max5\"\nmax_file_reads = 3\n";
    world.write("home/.config/foveal/config.toml", set);
    let (rows, ..) = reads_by(&world, "", 6);
    assert_eq!(rows.last().map(String::as_str), Some("FF...F"));
}

/// The table of run output: short and middling output stays, of long output the ends do.
#[test]
fn the_table_of_run_output_holds_where_its_strategy_is_chosen() {
    let world = World::new("story-sampled-runs");
    world.write("project/long.txt", "ab cd ef\n".repeat(1_200));
    world.write("project/short.txt", "ab cd ef\n".repeat(900));
    let print = |path: &str| ("bash", json!({"command": format!("tac {path}")}));
    let asked = [print("short.txt"), print("long.txt")];
    let (results, _) = after(&world, "--profile first-last-sampled", &asked);
    let [short, long] = results.as_slice() else { panic!("{results:?}") };
    assert!(!short.contains("truncated") && short.len() >= 8_100, "{}", short.len());
    assert!(
        long.contains("... [truncated: 10,8") && long.contains(" lines] ... [expand "),
        "{long}"
    );
    assert!(long.len() < 4_200, "{}", long.len());
}

#[test]
fn contents_are_reset_as_the_document_has_it() {
    let world = World::new("story-reset-as-written");
    let names: Vec<String> = (0..24).map(|at| format!("part_{at:02}.rs")).collect();
    for name in &names {
        world.write(&format!("project/{name}"), listing(420, &name[..7].to_uppercase()));
    }
    let looks = names.chunks(4).map(|names| {
        let reads: Vec<(&str, Value)> = names.iter().map(|name| read(name)).collect();
        calls(&reads)
    });
    let upstream = provider(looks.chain([ModelReply::from_text("Done.")]));
    let ran = run(&world, &upstream, "--profile content-reset", "read it all");
    let events = events(&ran);
    let sent = of_type(&events, "sent");
    let rewrites = sent.iter().filter(|it| it["rewrite"] == "the prompt was too long").count();
    assert!((1..=2).contains(&rewrites), "{sent:?}");
    let tokens = |event: &Value| event["tokens_sent"].as_u64().expect("a count");
    assert!(sent.iter().all(|event| tokens(event) < 100_000), "{sent:?}");
    let results = results(&bodies(&upstream).pop().expect("a request"));
    let reference =
        r#"{"type":"read_files","files":[{"path":"part_00.rs","truncated":true}]} [expand "#;
    assert!(results[0].starts_with(reference), "{}", results[0]);
    assert!(results[23].contains("PART_23_400:"), "{}", results[23]);
    let at = results[0].rfind("expand ").expect("a handle") + "expand ".len();
    let whole = world.output(&format!("expand {}", &results[0][at..at + 12]));
    assert!(whole.contains("const PART_00_400:"));
}

/// As far as its name tells, the model takes prompts of 200,000 tokens.
#[test]
fn contents_leave_from_the_budget_on_that_is_set() {
    for (profile, budget, most) in [
        ("content-reset", "budget = \"40%\"", 80_000),
        ("content-reset", "budget = 60_000\nbudget_low = \"20%\"", 60_000),
        ("balanced", "budget = 60_000", 60_000),
    ] {
        let world = World::new("story-budget");
        let settings = format!("[agent]\nprofile = \"{profile}\"\n{budget}\n");
        world.write("home/.config/foveal/config.toml", settings);
        let names: Vec<String> = (0..20).map(|at| format!("part_{at:02}.rs")).collect();
        for name in &names {
            world.write(&format!("project/{name}"), listing(420, &name[..7].to_uppercase()));
        }
        let looks = names.iter().map(|name| calls(&[read(name)]));
        let upstream = provider(looks.chain([ModelReply::from_text("Done.")]));
        let ran = run(&world, &upstream, "", "read it all");
        let events = events(&ran);
        let sent = of_type(&events, "sent");
        let tokens: Vec<u64> =
            sent.iter().map(|event| event["tokens_sent"].as_u64().expect("a count")).collect();
        let longest = *tokens.iter().max().expect("requests");
        assert!(longest < most && longest > most - 12_000, "{profile} {budget}: {tokens:?}");
        let is_due = |event: &&&Value| event["rewrite"] == "the prompt was too long";
        assert!(sent.iter().filter(is_due).count() > 0, "{profile} {budget}: {tokens:?}");
    }
}

/// A file that the session edited is critical: its content stays while others are enough.
#[test]
fn an_edited_file_stays_when_contents_leave() {
    for profile in ["balanced", "content-reset"] {
        let world = World::new(&format!("story-critical-{profile}"));
        let settings = format!("[agent]\nprofile = \"{profile}\"\nbudget = 60_000\n");
        world.write("home/.config/foveal/config.toml", settings);
        let names: Vec<String> = (0..14).map(|at| format!("part_{at:02}.rs")).collect();
        for name in &names {
            world.write(&format!("project/{name}"), listing(420, &name[..7].to_uppercase()));
        }
        settle(&world.folder.join("project"));
        let edit = json!({"path": "part_00.rs", "old_str": "const PART_00_7: u32",
            "new_str": "const EDITED: u32", "intent": "new"});
        let mut turns = vec![calls(&[read("part_00.rs")]), calls(&[("edit_file", edit)])];
        turns.extend(names[1..].iter().map(|name| calls(&[read(name)])));
        turns.push(ModelReply::from_text("Done."));
        let upstream = provider(turns);
        let ran = run(&world, &upstream, "", "read it all");
        let events = events(&ran);
        let is_due = |event: &&&Value| event["rewrite"] == "the prompt was too long";
        assert!(of_type(&events, "sent").iter().filter(is_due).count() > 0, "{profile}");
        let last = bodies(&upstream).pop().expect("a request");
        let (whole, system) = (results(&last), system(&last));
        let is_shown = whole[0].contains("PART_00_400:") || system.contains("const EDITED: u32");
        assert!(is_shown, "{profile}: {}", &whole[0][..200]);
        assert!(!whole[2].contains("PART_01_400:"), "{profile}");
    }
}

/// How the first read of each of `names` stands in each prompt: whole (`F`), or in less (`.`).
fn shown_reads(upstream: &MockProvider, names: &[String]) -> Vec<String> {
    let row = |body: &Value| {
        let results = results(body);
        let last_line = |name: &String| format!("{}_LAST", name[..7].to_uppercase());
        let is_whole = |(text, name): (&String, &String)| text.contains(&last_line(name));
        results.iter().zip(names).map(|read| if is_whole(read) { 'F' } else { '.' }).collect()
    };
    bodies(upstream)[1..].iter().map(row).collect()
}

/// A file that [`shown_reads`] recognizes.
fn marked_listing(lines: usize, name: &str) -> String {
    let name = name[..7].to_uppercase();
    listing(lines, &name) + &format!("const {name}_LAST: u32 = 0;\n")
}

#[test]
fn a_small_budget_is_kept_to_with_every_profile_that_has_one() {
    for (profile, at_once) in [
        ("balanced", 1),
        ("balanced", 3),
        ("curated", 1),
        ("max", 1),
        ("max", 3),
        ("content-reset", 1),
    ] {
        let world = World::new(&format!("story-small-budget-{profile}-{at_once}"));
        let settings = format!("[agent]\nprofile = \"{profile}\"\nbudget = 10_000\n");
        world.write("home/.config/foveal/config.toml", settings);
        let names: Vec<String> = (0..12).map(|at| format!("part_{at:02}.rs")).collect();
        for name in &names {
            world.write(&format!("project/{name}"), marked_listing(90, name));
        }
        let looks = names.chunks(at_once).map(|names| {
            let reads: Vec<(&str, Value)> = names.iter().map(|name| read(name)).collect();
            calls(&reads)
        });
        let upstream = provider(looks.chain([ModelReply::from_text("Done.")]));
        let ran = run(&world, &upstream, "", "read it all");
        let events = events(&ran);
        let tokens: Vec<u64> = of_type(&events, "sent")
            .iter()
            .map(|event| event["tokens_sent"].as_u64().expect("a count"))
            .collect();
        assert!(tokens.iter().all(|sent| *sent <= 10_000), "{profile} {at_once}: {tokens:?}");
        let rows = shown_reads(&upstream, &names);
        assert!(rows.iter().all(|row| row.ends_with('F')), "{profile} {at_once}: {rows:?}");
    }
}

/// Older reads go first at a reset, also where recent ones are larger.
#[test]
fn recent_reads_stay_at_a_reset() {
    let world = World::new("story-recent");
    let settings = "[agent]\nprofile = \"content-reset\"\nbudget = 60_000\n";
    world.write("home/.config/foveal/config.toml", settings);
    let names: Vec<String> = (0..24).map(|at| format!("part_{at:02}.rs")).collect();
    for (at, name) in names.iter().enumerate() {
        world.write(&format!("project/{name}"), marked_listing(300 + 10 * at, name));
    }
    let looks = names.iter().map(|name| calls(&[read(name)]));
    let upstream = provider(looks.chain([ModelReply::from_text("Done.")]));
    run(&world, &upstream, "", "read it all");
    let rows = shown_reads(&upstream, &names);
    assert!(rows.iter().any(|row| row.starts_with("....")), "{rows:?}");
    assert!(rows.iter().all(|row| !row.contains("F.")), "{rows:?}");
    assert!(rows.iter().skip(3).all(|row| row.ends_with("FFFF")), "{rows:?}");
}

#[test]
fn a_budget_that_cannot_be_kept_to_is_told() {
    for (budget, told) in [
        ("budget = 9_999", "9999 tokens are too few: give at least 10000"),
        ("budget = \"0%\"", "`0%` is not a share of the model's window"),
        ("budget = \"half\"", "`half` is not a share of the model's window"),
        ("budget = \"50%\"\nbudget_low = \"60%\"", "line 3: budget_low is not below budget"),
        ("budget_low = 150_000", "budget_low, 150000 tokens with this model, is not below budget"),
    ] {
        let world = World::new("story-budget-wrong");
        world.write("home/.config/foveal/config.toml", format!("[agent]\n{budget}\n"));
        let upstream = provider([ModelReply::from_text("Done.")]);
        let mut command = world.command("run --model");
        command.arg(model(&upstream, "chat")).arg("do it").stdin(std::process::Stdio::null());
        let ran = world.ran(&mut command);
        assert!(ran.code == Some(2) && ran.err.contains(told), "{budget}: {}", ran.err);
        assert_eq!(upstream.request_count(), 0, "{budget}");
    }
}

/// The system prompt of a request, whatever the protocol.
fn system(body: &Value) -> String {
    let text = [&body["system"][0]["text"], &body["instructions"], &body["messages"][0]["content"]];
    text.iter().find_map(|text| text.as_str()).expect("a system prompt").to_owned()
}

/// Files in use move to the system prompt with a reset, knowledge files are brought up to date with
/// it, and otherwise its bytes stay, also when the session is gone on with.
fn files_in_use_move_to_the_base(dialect: &str) {
    let world = World::new(&format!("story-base-{dialect}"));
    let names: Vec<String> = (0..28).map(|at| format!("part_{at:02}.rs")).collect();
    for name in &names {
        world.write(&format!("project/{name}"), listing(420, &name[..7].to_uppercase()));
    }
    world.write("project/AGENTS.md", "Always be brief.\n");
    settle(&world.folder.join("project"));
    let edit = |path: &str, (old, new): (&str, &str)| {
        let edit = json!({"path": path, "old_str": old, "new_str": new, "intent": "new"});
        calls(&[("edit_file", edit)])
    };
    let mut turns = vec![calls(&[read("part_00.rs"), read("AGENTS.md")])];
    turns.push(edit("part_00.rs", ("const PART_00_7: u32", "const EDITED: u32")));
    turns.push(edit("AGENTS.md", ("be brief", "be clear")));
    turns.extend(names[1..].chunks(3).map(|names| {
        let reads: Vec<(&str, Value)> = names.iter().map(|name| read(name)).collect();
        calls(&reads)
    }));
    turns.push(ModelReply::from_text("Done."));
    let upstream = provider(turns);
    let ask = |options: &str, task: &str| {
        let mut command = world.command("run --yes --json");
        command.current_dir(world.folder.join("project"));
        command.arg("--model").arg(model(&upstream, dialect));
        let ran = world.ran(command.args(options.split_whitespace()).arg(task));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran
    };
    let ran = ask("--profile content-reset", "read it all");
    let systems: Vec<String> = bodies(&upstream).iter().map(system).collect();
    let events = events(&ran);
    let rewrites: Vec<bool> =
        of_type(&events, "sent").iter().map(|sent| !sent["rewrite"].is_null()).collect();
    // The bytes change with a rewrite and only there.
    for (at, pair) in systems.windows(2).enumerate() {
        assert!(pair[0] == pair[1] || rewrites[at + 1], "{dialect} {at} {rewrites:?}");
    }
    let (first, last) = (&systems[0], systems.last().expect("a prompt"));
    let changes = systems.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!((1..=2).contains(&changes), "{dialect}: {changes} {rewrites:?}");
    assert!(first.contains("be brief") && !first.contains("PART_00_"));
    assert!(last.contains("be clear") && !last.contains("be brief"), "{last}");
    assert!(last.contains("<file path=\"part_00.rs\">") && last.contains("const EDITED: u32"));
    assert!(!last.contains("part_05.rs"), "what nobody used again stays out");
    // What stands there leaves the results, and can be had again.
    let body = bodies(&upstream).pop().expect("a request").to_string();
    assert!(body.contains(r#"{\"path\":\"part_00.rs\",\"truncated\":true}"#), "{dialect}");
    // Who goes on has the same bytes, whatever the files hold by now.
    world.write("project/AGENTS.md", "Another rule.\n");
    ask("--continue", "once more");
    assert_eq!(&system(&bodies(&upstream).pop().expect("a request")), last, "{dialect}");
}

#[test]
fn files_in_use_move_to_the_base_over_each_protocol() {
    for dialect in ["messages", "chat", "responses"] {
        files_in_use_move_to_the_base(dialect);
    }
}

/// A world whose files are more than a prompt may hold, and answers that edit one and read all.
fn more_than_fits(name: &str) -> (World, Vec<ModelReply>) {
    let world = World::new(name);
    let names: Vec<String> = (0..28).map(|at| format!("part_{at:02}.rs")).collect();
    for name in &names {
        world.write(&format!("project/{name}"), listing(420, &name[..7].to_uppercase()));
    }
    let (old, new) = ("const PART_00_7: u32", "const EDITED: u32");
    let edit = json!({"path": "part_00.rs", "old_str": old, "new_str": new, "intent": "new"});
    let mut turns = vec![calls(&[read("part_00.rs")]), calls(&[("edit_file", edit)])];
    turns.extend(names[1..].chunks(3).map(|names| {
        let reads: Vec<(&str, Value)> = names.iter().map(|name| read(name)).collect();
        calls(&reads)
    }));
    turns.push(ModelReply::from_text("Done."));
    (world, turns)
}

#[test]
fn a_file_that_a_reset_moved_to_the_system_prompt_is_read_again() {
    let (world, mut turns) = more_than_fits("story-base-read-again");
    settle(&world.folder.join("project"));
    turns.insert(turns.len() - 1, calls(&[read("part_00.rs")]));
    let upstream = provider(turns);
    run(&world, &upstream, "--profile content-reset", "read it all");
    let last = bodies(&upstream).pop().expect("a request");
    assert!(system(&last).contains("const EDITED: u32"), "nothing was reset: {last}");
    let again = results(&last).pop().expect("a result");
    assert!(again.contains("part_00.rs") && again.contains("system prompt"), "{again}");
    assert!(again.len() < 200, "{again}");
}

#[test]
fn what_stood_in_the_system_prompt_stays_at_a_reset_after_the_session_went_on() {
    let (world, turns) = more_than_fits("story-base-continued");
    world.write("project/spec.md", "Parcels weigh less than a ton.\n");
    world.write("project/AGENTS.md", "Always be brief.\n");
    settle(&world.folder.join("project"));
    let greeting = provider([ModelReply::from_text("Hello.")]);
    run(&world, &greeting, "--profile content-reset --pin spec.md", "hello");
    let upstream = provider(turns);
    std::fs::remove_file(world.folder.join("project/AGENTS.md")).expect("it was there");
    run(&world, &upstream, "--continue", "read it all");
    let last = system(&bodies(&upstream).pop().expect("a request"));
    assert!(last.contains("const EDITED: u32"), "nothing was reset: {last}");
    assert!(last.contains("less than a ton") && last.contains("be brief"), "{last}");
}

#[test]
fn a_reset_moves_no_file_beside_one_with_a_secret() {
    let (world, turns) = more_than_fits("story-base-secret");
    let secret = "postgres://shop:Zq8vT2mLx9Rw4Kd7@db.example.com/shop";
    world.write("project/AGENTS.md", format!("The database is {secret}.\n"));
    settle(&world.folder.join("project"));
    let upstream = provider(turns);
    let ran = run(&world, &upstream, "--profile content-reset", "read it all");
    let sent = events(&ran);
    let rewrites = of_type(&sent, "sent");
    assert!(rewrites.iter().any(|it| it["rewrite"] == "the prompt was too long"), "{rewrites:?}");
    let bodies = bodies(&upstream);
    let last = system(bodies.last().expect("a request"));
    assert_eq!(last, system(&bodies[0]), "{last}");
}

/// The example of the document about reads: a file of 1,200 lines over three turns. It promises that
/// the prompt of the third holds 93 % fewer lines; here it is 75 %, since nothing is taken out of a
/// prompt again while the provider's cache holds it.
#[test]
fn a_file_of_1200_lines_over_three_turns() {
    let world = World::new("story-three-turns");
    world.write("project/app.rs", app());
    let at = app().lines().position(|line| line.contains("fn main_loop")).expect("the loop") + 1;
    let range = json!({"path": "app.rs", "start": at - 1, "end": at + 28});
    let next = "\n}\n\n/// Keeps its part in order.\npub fn store_network";
    let edit = json!({
        "path": "app.rs",
        "old_str": format!("    let session_24 = state.store(22888, \"session 24\")?;\n    Ok(session_24){next}"),
        "new_str": format!("    let session_24 = state.store(22888, \"session 24\").map_err(Error::named)?;\n    Ok(session_24){next}"),
        "intent": "errors have names",
    });
    let asked = [read("app.rs"), ("read_lines", range), ("edit_file", edit)];
    let done = || ModelReply::from_text("Done.");
    let replies = asked.iter().flat_map(|call| [calls(std::slice::from_ref(call)), done()]);
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    upstream.set_script(ReplyScript::in_order(replies));
    let lines = |results: &[String]| results.iter().map(|it| it.lines().count()).sum::<usize>();
    let mut sent = Vec::new();
    for question in ["What does app.rs do?", "How does the main loop work?", "Add error handling"] {
        let options = if sent.is_empty() { "" } else { "--continue" };
        run(&world, &upstream, options, question);
        sent.push(lines(&results(&bodies(&upstream).pop().expect("a request"))));
    }
    assert!(world.read("project/app.rs").contains("map_err(Error::named)"), "{sent:?}");
    // The file with its heading, thirty lines of it and what the edit says.
    let whole = 1_203 + 30 + 30;
    let saved = 1.0 - sent[2] as f64 / f64::from(whole);
    assert!((0.75..0.85).contains(&saved), "{saved}: {sent:?}");
}
