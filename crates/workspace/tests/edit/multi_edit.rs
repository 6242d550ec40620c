//! Several edits at once.

use foveal_workspace::edit::{Edit, IndexedEdit, plan_edits};

use super::one;

#[track_caller]
fn check(texts: &[&str], edits: &[(usize, Edit)], expected: &str) {
    let edits: Vec<IndexedEdit> =
        edits.iter().map(|(text, edit)| IndexedEdit { text: *text, edit: edit.clone() }).collect();
    let told = match plan_edits(texts, &edits) {
        Ok(planned) => {
            let text = planned.texts.iter().map(|planned| match planned {
                None => "-".to_owned(),
                Some(planned) => {
                    let lines: Vec<String> = planned
                        .changed
                        .iter()
                        .map(|change| format!("{} -> {}", change.before, change.after))
                        .collect();
                    format!("{:?} {}", planned.text, lines.join(", "))
                }
            });
            let mut text = text.collect::<Vec<_>>().join("\n");
            for overlap in &planned.overlaps {
                text.push_str(&format!(
                    "\n{} changes what {} wrote",
                    overlap.later, overlap.earlier
                ));
            }
            text
        }
        Err(refused) => format!("refused: {refused}"),
    };
    assert_eq!(told, expected);
}

#[test]
fn later_edits_see_earlier_ones() {
    check(
        &["a\nb\n"],
        &[(0, one("a", "x")), (0, one("x\nb", "y"))],
        "\"y\\n\" lines 1-2 -> line 1\n1 changes what 0 wrote",
    );
    check(
        &["a\nb\nc\n"],
        &[(0, one("c", "z\nz")), (0, one("a", "x\nx\nx"))],
        "\"x\\nx\\nx\\nb\\nz\\nz\\n\" line 1 -> lines 1-3, line 3 -> lines 5-6",
    );
    check(
        &["a", "b", "c"],
        &[(2, one("c", "z")), (0, one("a", "x"))],
        "\"x\" line 1 -> line 1\n-\n\"z\" line 1 -> line 1",
    );
}

#[test]
fn one_refusal_refuses_all() {
    check(
        &["a\nb\n"],
        &[(0, one("a", "x")), (0, one("a", "y"))],
        "refused: edit 2 of 2: old_str is not in the file; read the file again and copy the text to replace; none of the edits was made",
    );
    let similar = plan_edits(
        &["let value = first(1);\n"],
        &[IndexedEdit { text: 0, edit: one("let value = first(2);", "x") }],
    );
    let refused = similar.expect_err("it is not there").to_string();
    assert!(refused.starts_with("edit 1 of 1: old_str is not in the file; nothing was changed"));
    assert!(refused.ends_with("+ let value = first(1);\n"), "{refused}");
    check(
        &["a"],
        &[(1, one("a", "x"))],
        "refused: edit 1 of 1: it names text 2 of 1; none of the edits was made",
    );
    check(&["a"], &[], "-");
}
