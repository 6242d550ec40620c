use super::open_index::STAND_IN_RETRY_INTERVAL;
use super::*;

#[test]
fn an_index_that_stands_in_goes_when_the_other_can_be_had() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_owned();
    let mut opened = 0;
    let open = move || {
        opened += 1;
        match opened {
            1 | 2 => Index::in_memory_substitute(&root, None),
            3 => Index::open(&root.join("none"), &root.join("index.db"), None),
            4 => Index::in_memory(&root, None),
            _ => panic!("nothing stands in any more"),
        }
    };
    let mut kept = OpenIndex::new(Box::new(open)).expect("an index");
    let begun = Instant::now();
    let mut is_stand_in = |times: u32| {
        kept.retry_open(begun + STAND_IN_RETRY_INTERVAL * times);
        kept.index.is_substitute()
    };
    assert!(is_stand_in(0), "it is not tried at once again");
    assert!(is_stand_in(1), "the other is still held");
    assert!(is_stand_in(2), "it fails");
    assert!(!is_stand_in(3));
    assert!(!is_stand_in(9));
}
