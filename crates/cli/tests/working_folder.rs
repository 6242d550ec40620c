//! Answers after a `cd`: they name the folder in which a tool looked and found nothing.

use serde_json::{Value, json};

use crate::document_stories::after;
use crate::world::World;

#[test]
fn a_tool_that_finds_nothing_names_the_folder_it_looked_in() {
    let world = World::new("working_folder");
    world.write("project/top.py", "needle = 1\n");
    world.write("project/lib/inner.py", "other = 1\n");
    let edit = json!({"path": "top.py", "old_str": "needle", "new_str": "n", "intent": "short"});
    let asked: Vec<(&str, Value)> = vec![
        ("grep", json!({"pattern": "absent"})),
        ("bash", json!({"command": "cd lib"})),
        ("grep", json!({"pattern": "needle"})),
        ("glob", json!({"pattern": "top*"})),
        ("read_file", json!({"path": "top.py"})),
        ("outline", json!({"path": "lib/inner.py"})),
        ("edit_file", edit),
        ("read_file", json!({"path": "nowhere.py"})),
        ("grep", json!({"pattern": "other"})),
    ];
    let (results, _) = after(&world, "", &asked);
    assert!(!results[0].contains("looked"), "{}", results[0]);
    for at in [2, 3] {
        assert!(results[at].contains("[looked only in `lib`"), "{}", results[at]);
    }
    for at in [4, 6] {
        let said = "no such file `top.py` in `lib/`; did you mean `../top.py`?";
        assert!(results[at].contains(said), "{}", results[at]);
    }
    assert!(results[5].contains("did you mean `../lib/inner.py`?"), "{}", results[5]);
    assert!(results[7].contains("no such file `nowhere.py` in `lib/`"), "{}", results[7]);
    assert!(!results[8].contains("looked"), "{}", results[8]);
}
