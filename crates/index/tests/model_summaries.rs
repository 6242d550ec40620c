//! What a model says of files.

use foveal_index::{Index, ModelSummary, SearchOptions, SummaryJob};
use foveal_transcript::CancelToken;

use crate::world::World;

const MODEL: &str = "chat:m";

fn untold(index: &mut Index, world: &World, path: &str) -> Option<SummaryJob> {
    let path = world.root().canonicalize().expect("it is there").join(path);
    index.summary_job(&path, MODEL).expect("the store can be read")
}

fn up_to_date(world: &World) -> Index {
    let mut index = world.open();
    index.update(&mut |_| {}, &CancelToken::NEVER).expect("it can be written");
    index
}

/// Returns the summary of a file whose first entity is related to the first one of another file.
fn said(file: &SummaryJob, words: &str, to: &str) -> ModelSummary {
    let answer = format!("{{\"summaries\": [{{\"thing\": 1, \"summary\": \"{words}\"}}]}}");
    let [part] = file.parts()[..] else { panic!("it is short") };
    let summaries = part.parse_summaries(&answer).expect("it is understood");
    let answer =
        format!("{{\"relations\": [{{\"from\": 1, \"to\": {to}, \"why\": \"reads it\"}}]}}");
    let relations = part.parse_relations(&summaries, &answer).expect("it is understood");
    ModelSummary { summaries, relations }
}

#[test]
fn what_is_said_is_found_and_marked_until_the_file_changes() {
    for world in [World::new("said-words"), World::embedded("said-vectors")] {
        world.write("src/a.rs", "pub fn zorp(n: u32) -> u32 {\n    n * 3 + 1\n}\n");
        world.write("src/b.rs", "pub fn other() -> u32 {\n    7\n}\n");
        let mut index = up_to_date(&world);
        let options = SearchOptions::default();
        let question = "triangular postage discount";
        assert!(
            index.search(question, &options).expect("it can be read").is_empty() || {
                // By meaning anything may be a little like it.
                index
                    .search(question, &options)
                    .expect("it can be read")
                    .iter()
                    .all(|hit| hit.model_summary.is_none())
            }
        );
        let file = untold(&mut index, &world, "src/a.rs").expect("nothing is said of it");
        let words = "computes the triangular postage discount";
        index
            .put_model_summary(file.hash, MODEL, &said(&file, words, "1"))
            .expect("it can be written");
        assert!(untold(&mut index, &world, "src/a.rs").is_none(), "it is asked once");
        let hits = index.search(question, &options).expect("it can be read");
        let hit = hits.first().expect("it is found");
        assert_eq!((&*hit.path, &*hit.name, hit.lines.first.0), ("src/a.rs", "zorp", 1));
        assert_eq!(hit.model_summary.as_deref(), Some(words));
        // What is found by itself is told with it too.
        let hits = index.search("zorp", &options).expect("it can be read");
        assert!(
            hits.iter().any(|hit| hit.name == "zorp" && hit.model_summary.is_some()),
            "{hits:?}"
        );
        // Of another file it is told, so that relations can lead there.
        let other = untold(&mut index, &world, "src/b.rs").expect("nothing is said of it");
        let relations = said(&other, "seven", "2").relations;
        let [relation] = relations.as_slice() else { panic!("{relations:?}") };
        assert_eq!(
            (&*relation.from, &*relation.to_path, &*relation.to),
            ("other", "src/a.rs", "zorp")
        );
        // Another process knows it as well, and a file that changed is asked about again.
        drop(index);
        let mut index = up_to_date(&world);
        assert_eq!(index.model_summaries().expect("it can be read").len(), 1);
        world.write("src/a.rs", "pub fn zorp(n: u32) -> u32 {\n    n * 4 + 1\n}\n");
        index.update(&mut |_| {}, &CancelToken::NEVER).expect("it can be written");
        assert!(index.model_summaries().expect("it can be read").is_empty());
        assert!(untold(&mut index, &world, "src/a.rs").is_some());
        let hits = index.search("zorp", &options).expect("it can be read");
        assert!(hits.iter().all(|hit| hit.model_summary.is_none()), "{hits:?}");
    }
}

#[test]
fn what_is_not_indexed_is_told_to_no_model() {
    let world = World::new("said-secret");
    world.write(".env", "TOKEN=abc\n");
    world.write("id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n");
    let key = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    world.write("a.rs", format!("fn key() -> &'static str {{\n    \"{key}\"\n}}\n"));
    world.write("new.rs", "fn new() {}\n");
    world.write("notes.txt", "");
    let mut index = up_to_date(&world);
    for path in [".env", "id_rsa", "notes.txt", "none.rs", "../a.rs"] {
        assert!(untold(&mut index, &world, path).is_none(), "{path}");
    }
    let file = untold(&mut index, &world, "a.rs").expect("it may be told");
    assert!(!file.parts()[0].summaries_prompt().user.contains(&key));
    // What was written since is not what the answer would be about.
    world.write("new.rs", "fn newer() {}\n");
    assert!(untold(&mut index, &world, "new.rs").is_none());
}
