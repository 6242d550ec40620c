//! An index brought up to date again and again equals one built at once.

use std::sync::Arc;

use foveal_transcript::CancelToken;
use proptest::prelude::*;

use crate::embedding::Far;
use crate::world::{World, dump, update};

/// A change of the folder.
#[derive(Debug, Clone)]
enum Edit {
    Write {
        file: usize,
        text: usize,
    },
    Remove {
        file: usize,
    },
    Ignore {
        file: Option<usize>,
    },
    Update,
    Touch {
        file: usize,
    },
    Reopen,
    /// The embedder fails after so many calls.
    Away {
        calls: u64,
    },
    /// Behind its name is another model.
    Model {
        number: u64,
    },
}

const FILES: [&str; 6] = ["a.rs", "b.py", "sub/c.rs", "sub/deep/d.md", "e.txt", "sub/f.json"];

/// Texts of any of the files: what does not fit its language is broken syntax.
const TEXTS: [&str; 6] = [
    "use std::fmt;\n\npub struct Part {\n    value: u32,\n}\n\nimpl Part {\n    /// The third value.\n    \
     fn third(&self) -> u32 {\n        self.value * 3\n    }\n}\n",
    "def third(value):\n    \"\"\"The third part.\"\"\"\n    return value[2]\n",
    "# Parts\n\nEvery part has a value.\n\n## Third\n\nThe third one.\n",
    "{\"parts\": [1, 2, 3], \"value\": {\"third\": true}}\n",
    "",
    "\0binary",
];

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let file = 0..FILES.len();
    let edit = prop_oneof![
        4 => (file.clone(), 0..TEXTS.len()).prop_map(|(file, text)| Edit::Write { file, text }),
        2 => file.clone().prop_map(|file| Edit::Remove { file }),
        1 => proptest::option::of(file.clone()).prop_map(|file| Edit::Ignore { file }),
        2 => Just(Edit::Update),
        2 => file.prop_map(|file| Edit::Touch { file }),
        1 => Just(Edit::Reopen),
        1 => (0_u64..6).prop_map(|calls| Edit::Away { calls }),
        1 => (0_u64..2).prop_map(|number| Edit::Model { number }),
    ];
    proptest::collection::vec(edit, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn incremental_is_rebuilt(edits in edits(), far in any::<bool>()) {
        let server = Arc::new(Far::default());
        let world = match far {
            true => World::by("incremental", server.clone()),
            false => World::embedded("incremental"),
        };
        let mut index = world.open();
        // The ignored file, and the files that were read while they were ignored.
        let (mut ignored, mut read) = (None, Vec::new());
        for edit in edits {
            match edit {
                Edit::Write { file, text } => world.write(FILES[file], TEXTS[text]),
                Edit::Remove { file } => {
                    // It may not be there.
                    let _ = std::fs::remove_file(world.root().join(FILES[file]));
                }
                Edit::Ignore { file } => {
                    world.write(".gitignore", file.map_or("", |file| FILES[file]));
                    ignored = file;
                }
                Edit::Update => drop(update(&mut index)),
                Edit::Touch { file } => {
                    if ignored == Some(file) && world.root().join(FILES[file]).exists() {
                        read.push(FILES[file]);
                    }
                    index.prioritize_file(FILES[file].as_ref());
                    index.update_queued(&CancelToken::NEVER).expect("a store of this test");
                }
                Edit::Reopen => index = world.open(),
                Edit::Away { calls } => server.fail_after(calls),
                Edit::Model { number } => server.become_model(number),
            }
        }
        server.fail_after(u64::MAX);
        // The search may find that behind the name is another model.
        dump(&mut index);
        let summary = update(&mut index);
        prop_assert_eq!(summary.without_vectors, 0);
        let mut anew = world.open_at(&world.root().join("../anew.db"));
        read.iter().for_each(|path| anew.prioritize_file(path.as_ref()));
        update(&mut anew);
        prop_assert_eq!(dump(&mut index), dump(&mut anew));
        prop_assert!(index.embedding_problem().is_none());
    }
}
