//! An update that is stopped anywhere leaves a whole index, and the next one goes on.

use std::sync::atomic::{AtomicU64, Ordering};

use foveal_transcript::CancelToken;
use proptest::prelude::*;

use crate::world::{World, dump, files, update};

/// Files of the folder.
const FILES: usize = 60;

fn world(test: &str) -> World {
    let world = World::new(test);
    for n in 0..FILES {
        world.write(
            &format!("f{n:02}.rs"),
            format!("/// Part {n}.\nfn part_{n}() -> u32 {{\n    {n}\n}}\n"),
        );
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_was_done_is_kept(asked in 0_u64..400) {
        let world = world("stopped");
        let mut index = world.open();
        let left = AtomicU64::new(asked);
        let stop = || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_err();
        let summary = index.update(&mut |_| {}, &CancelToken::from_fn(&stop)).expect("a folder of this test");
        let kept = files(&mut index).len();
        prop_assert_eq!(kept as u64, summary.indexed);
        drop(index);
        let mut index = world.open();
        prop_assert_eq!(files(&mut index).len(), kept);
        let rest = update(&mut index);
        prop_assert!(!rest.cancelled && !rest.rebuilt);
        prop_assert_eq!(rest.indexed as usize, FILES - kept);
        let mut anew = world.open_at(&world.root().join("../anew.db"));
        update(&mut anew);
        prop_assert_eq!(dump(&mut index), dump(&mut anew));
    }
}

#[test]
fn two_may_update_the_same_index() {
    let world = world("two");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut index = world.open();
                let summary = update(&mut index);
                assert_eq!(
                    (summary.indexed + summary.unchanged, summary.rebuilt),
                    (FILES as u64, false)
                );
            });
        }
    });
    let mut reader = world.open();
    assert_eq!(files(&mut reader).len(), FILES);
    let before = dump(&mut reader);
    world.write("f00.rs", "fn another_third() {}\n");
    update(&mut world.open());
    assert_ne!(dump(&mut reader), before);
}
