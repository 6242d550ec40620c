//! `foveal export`: its documents are read by foveal as the same, and by the format's own models.

use foveal_mock_provider::{ModelReply, ReplyScript};
use serde_json::{Value, json};

use crate::python;
use crate::run_task::{calls, changes_a_file, provider, run};
use crate::world::{World, session};

/// Checks documents by the models of the format, where Python has them.
fn check(world: &World, names: &[&str]) {
    let paths = names.iter().map(|name| world.folder.join(name));
    let ran = python::run("export/check.py", |command| {
        command.args(paths);
    });
    let Some(ran) = ran else { return };
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    eprintln!("{said}");
}

/// What is shown of a session, without its name.
fn shown(world: &World, name: &str) -> String {
    let text = world.output(&format!("show {name}"));
    text.split_once(',').expect("a name").1.to_owned()
}

#[test]
fn a_run_is_exported_and_read_as_the_same() {
    let world = World::new("export-run");
    world.write("a.rs", "const A: u8 = 2;\n");
    let upstream = provider([ModelReply::from_text("")]);
    let failed = calls(&[("read_file", json!({"path": "gone.rs"}))]);
    let turns = [failed].into_iter().chain(changes_a_file());
    upstream.set_script(ReplyScript::in_order(turns));
    assert_eq!(run(&world, &upstream, "messages", "--yes").code, Some(0));
    let name: Value = serde_json::from_str(&world.output("sessions --json")).expect("JSON");
    let name = name[0]["session"].as_str().expect("a name").replace("run ", "");
    let exported = world.run(&format!("export {name}"));
    assert_eq!(exported.code, Some(0));
    // Its signature is its provider's.
    assert!(exported.err.starts_with("1 part omitted"), "{}", exported.err);
    let document: Value = serde_json::from_str(&exported.out).expect("JSON");
    assert_eq!(document["schema_version"], "ATIF-v1.8");
    assert_eq!(document["agent"]["name"], "foveal");
    assert_eq!(document["agent"]["version"], env!("CARGO_PKG_VERSION"));
    let steps = document["steps"].as_array().expect("a list");
    assert_eq!(steps.len(), 6);
    assert_eq!(steps[2]["observation"]["results"][0]["extra"]["is_error"], true);
    assert_eq!(steps[3]["reasoning_content"], "I look first.");
    assert!(document["final_metrics"]["total_prompt_tokens"].as_u64() > Some(0));
    world.write("out.json", &exported.out);
    let again = world.run("export out.json");
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    assert_eq!(serde_json::from_str::<Value>(&again.out).expect("JSON"), document);
    assert_eq!(shown(&world, "out.json"), shown(&world, &name));
    let file = world.run("file-at out.json a.rs");
    assert_eq!(file.out, "const A: u8 = 3;\n", "{}", file.err);
    check(&world, &["out.json"]);
}

#[test]
fn sub_agents_are_exported_with_their_agent() {
    let world = World::new("export-agents");
    world.write("a.rs", "const A: u8 = 2;\n");
    let task = json!({"task": "What is A?", "label": "ask"});
    let upstream = provider([ModelReply::from_text("")]);
    upstream.set_script(ReplyScript::in_order([
        calls(&[("list", json!({})), ("start_agent", task)]),
        calls(&[("read_file", json!({"path": "a.rs"}))]),
        ModelReply::from_text("Two."),
        ModelReply::from_text("It is two."),
    ]));
    assert_eq!(run(&world, &upstream, "messages", "--yes").code, Some(0));
    let name: Value = serde_json::from_str(&world.output("sessions --json")).expect("JSON");
    let name = name[0]["session"].as_str().expect("a name").replace("run ", "");
    let exported = world.run(&format!("export {name}"));
    assert_eq!((exported.code, exported.err.as_str()), (Some(0), ""));
    let document: Value = serde_json::from_str(&exported.out).expect("JSON");
    let results = &document["steps"][2]["observation"]["results"];
    assert_eq!(results[0].get("subagent_trajectory_ref"), None);
    assert_eq!(results[1]["subagent_trajectory_ref"], json!([{"trajectory_id": "1"}]));
    let agent = &document["subagent_trajectories"][0];
    assert_eq!(agent["trajectory_id"], "1");
    assert_eq!(agent["steps"][1]["message"], "What is A?");
    world.write("out.json", &exported.out);
    let again = world.run("export out.json");
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    assert_eq!(serde_json::from_str::<Value>(&again.out).expect("JSON"), document);
    assert_eq!(shown(&world, "out.json"), shown(&world, &name));
    // Alone it names nobody who is not there.
    let alone = world.run(&format!("export {name} --conversation 1"));
    world.write("alone.json", &alone.out);
    check(&world, &["out.json", "alone.json"]);
}

#[test]
fn sessions_of_other_agents_are_exported() {
    let world = World::new("export-others");
    world.write("one.json", session("one"));
    world.write("two.json", world.output("export one.json"));
    world.write("helper.json", world.output("export one.json --conversation helper"));
    assert_eq!(world.output("show two.json"), world.output("show one.json"));
    assert!(world.output("show helper.json").contains("thirty lines"));
    check(&world, &["two.json", "helper.json"]);
    for (arguments, word) in [
        ("export", "required"),
        ("export gone.json", "is neither a file nor a stored session"),
        ("export one.json --conversation nobody", "unknown conversation"),
    ] {
        let ran = world.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments}");
        assert!(ran.err.contains(word), "{arguments}: {}", ran.err);
    }
}
