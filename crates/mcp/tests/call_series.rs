//! A series of calls as an agent makes them.

use std::fmt::Write;
use std::fs;

use foveal_tools::tool_table::ToolSet;
use serde_json::json;

use crate::world::{Desk, World, ask, call, text};

/// Forty functions of four lines and a blank one; the eleventh has a bug.
fn source() -> String {
    let mut source = String::new();
    for n in 1..=40 {
        let factor = if n == 11 { 7 } else { n };
        writeln!(source, "entry_{n}() {{\n  scaled=$(( $1 * {factor} ))").unwrap();
        writeln!(source, "  echo $(( scaled + {n} ))\n}}\n").unwrap();
    }
    source.push_str("[ \"$(entry_11 2)\" = 33 ] && echo all is well\n");
    source
}

#[tokio::test]
async fn an_agent_reads_edits_is_overtaken_mends_runs_and_expands() {
    let world = World::new(ToolSet::Full);
    let path = world.folder.path().join("ledger.sh");
    fs::write(&path, source()).unwrap();
    let plan: String = (1..=40).map(|n| format!("On day {n}, milestone {n} is due.\n")).collect();
    world.write("plan.txt", plan);
    let client = world.connect(Desk::default()).await;
    let on_disk = || fs::read_to_string(&path).unwrap();

    let read = json!({"path": "ledger.sh", "question": "what does entry_11 scale by?"});
    let first = call(&client, "read_file", read.clone()).await;
    assert!(first.starts_with("File: ledger.sh (curated)"), "{first}");
    assert!(first.contains("$1 * 7") && first.len() < on_disk().len(), "{first}");
    let again = call(&client, "read_file", read).await;
    assert!(again.len() < 400 && !again.contains("$1 * 7"), "{again}");

    let gap = json!({"path": "ledger.sh", "start": 196, "end": 199});
    let gap = call(&client, "read_lines", gap).await;
    assert!(gap.contains("entry_40()") && gap.contains("$1 * 40"), "{gap}");
    let edit = json!({"path": "ledger.sh", "old_str": "$1 * 40", "new_str": "$1 * 20 * 2",
        "intent": "say it in two steps"});
    call(&client, "edit_file", edit).await;
    assert!(on_disk().contains("$1 * 20 * 2"));
    let delta = call(&client, "read_file", json!({"path": "ledger.sh"})).await;
    assert!(delta.contains("$1 * 20 * 2") && delta.len() < on_disk().len(), "{delta}");

    // Somebody else is faster.
    fs::write(&path, on_disk().replace("$1 * 7 ", "$1 * 8 ")).unwrap();
    let edit = json!({"path": "ledger.sh", "old_str": "$1 * 7 ", "new_str": "$1 * 11 "});
    let refused = ask(&client, "edit_file", edit).await;
    assert_eq!(refused.is_error, Some(true), "{refused:?}");
    assert!(on_disk().contains("$1 * 8 "));
    let news = call(&client, "read_file", json!({"path": "ledger.sh"})).await;
    assert!(news.contains("$1 * 8 "), "{news}");
    let edit = json!({"path": "ledger.sh", "old_str": "scaled=$(( $1 * 8 ))\n  echo $(( scaled + 11",
        "new_str": "scaled=$(( $1 * 11 ))\n  echo $(( scaled + 11"});
    call(&client, "edit_file", edit).await;

    let run = json!({"command": "seq 1 4000; sh ledger.sh"});
    let ran = ask(&client, "bash", run).await;
    assert_eq!(ran.is_error, Some(false), "{ran:?}");
    assert!(text(&ran).contains("all is well"));
    let meta = ran.meta.as_ref().expect("long output is shortened");
    let handle = meta["foveal/handle"].as_str().unwrap();
    assert!(text(&ran).contains(handle));

    let search = json!({"pattern": "milestone [0-9]+"});
    let found = call(&client, "grep", search.clone()).await;
    assert!(found.contains("milestone 20"), "{found}");
    let again = ask(&client, "grep", search).await;
    assert_eq!(again.meta.as_ref().map(|meta| &meta["foveal/cached"]), Some(&json!(true)));

    let part = json!({"handle": handle, "start": 1990, "end": 2010});
    let part = call(&client, "expand", part).await;
    assert!(part.contains("\n2000\n"), "{part}");
}
