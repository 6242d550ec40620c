use super::*;

fn after_reads(paths: &[&str]) -> ReadTracker {
    let mut tracker = ReadTracker::default();
    paths.iter().for_each(|path| tracker.track_read(path));
    tracker
}

#[test]
fn a_file_that_was_not_read_has_not_been_read() {
    assert!(!after_reads(&["b.rs"]).has_been_read("a.rs"));
}

#[test]
fn a_tracked_file_has_been_read() {
    assert!(after_reads(&["a.rs"]).has_been_read("a.rs"));
}

#[test]
fn tracking_counts() {
    let tracker = after_reads(&["a.rs", "b.rs", "a.rs", "a.rs"]);
    assert_eq!([tracker.read_count("a.rs"), tracker.read_count("b.rs")], [3, 1]);
    assert_eq!(tracker.read_count("c.rs"), 0);
}

#[test]
fn invalidating_resets_one_file() {
    let mut tracker = after_reads(&["a.rs", "a.rs", "b.rs"]);
    tracker.invalidate("a.rs");
    assert!(!tracker.has_been_read("a.rs"));
    assert_eq!([tracker.read_count("a.rs"), tracker.read_count("b.rs")], [0, 1]);
    tracker.track_read("a.rs");
    assert_eq!(tracker.read_count("a.rs"), 1);
}

#[test]
fn paths_compare_without_regard_to_case() {
    let mut tracker = after_reads(&["Src/Main.rs", "src/main.RS"]);
    assert_eq!(tracker.read_count("SRC/MAIN.RS"), 2);
    tracker.invalidate("src/MAIN.rs");
    assert!(!tracker.has_been_read("Src/Main.rs"));
}
