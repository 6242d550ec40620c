//! Patches as models write them.

use super::*;

#[test]
fn codex_patches_become_changes() {
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: src/b.rs\n\
                 @@ fn f()\n keep\n-old\n+new\n@@\n-x\n+y\n*** Delete File: c\n\
                 *** Update File: d\n*** Move to: e\n-1\n+2\n*** End Patch\n";
    let writes = parse_codex_patch(patch, Some("/w"));
    let rendered: Vec<String> =
        writes.iter().map(|write| format!("{} {:?}", write.path, write.change)).collect();
    assert_eq!(
        rendered,
        [
            r#"/w/a.txt Content("one\ntwo\n")"#,
            r#"/w/src/b.rs Replace { old: "keep\nold\n", new: "keep\nnew\n", all: false }"#,
            r#"/w/src/b.rs Replace { old: "x\n", new: "y\n", all: false }"#,
            "/w/c Remove",
            "/w/e Unknown",
            "/w/d Remove",
        ]
    );
}

#[test]
fn search_replace_blocks_become_changes() {
    let text = "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n\
                <<<<<<< SEARCH\n:start_line:3\n-------\nc\n=======\n>>>>>>> REPLACE\n";
    assert_eq!(
        parse_search_replace_blocks(text),
        [
            WriteChange::Replace { old: "a\n".into(), new: "b\n".into(), all: false },
            WriteChange::Replace { old: "c\n".into(), new: String::new(), all: false },
        ]
    );
}

#[test]
fn diffs_name_their_files() {
    let diff = "--- a/x.py\n+++ b/x.py\n@@\n-1\n+2\n--- /dev/null\n+++ b/new.py\t2020\n";
    assert_eq!(unified_diff_paths(diff), ["x.py", "new.py"]);
}
