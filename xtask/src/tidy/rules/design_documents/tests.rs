use super::*;
use crate::tidy::rules::printed::printed;

fn check_list(rows: &str, expected: &str) {
    let list = format!(
        "| | document | items | as asked | differently | partly | not built |\n\
         |---|---|---|---|---|---|---|\n\
         | 0 | Reads | 2 | 1 | 0 | 1 | 0 |\n\
         | | **all** | **2** | **1** | **0** | **1** | **0** |\n\
         \n## 0. Reads\n\n| item | state | where | how |\n|---|---|---|---|\n{rows}"
    );
    let source = Source::new("crates/tools/tests/reads.rs", "fn a_read() {} // a_write");
    let tree = Tree { sources: vec![source], design_documents: Some(list), ..Tree::default() };
    assert_eq!(printed(check, &tree), expected);
}

#[test]
fn tests_that_are_gone_are_found() {
    check_list(
        "| a | as asked | `x` | `tools/tests/reads.rs::a_read` |\n\
         | b | partly | `reads.rs` | `tools/tests/reads.rs::tests::a_write`, `sqlite_…` |\n",
        "docs/design-documents.md:11: there is no test `a_write` in `crates/tools/tests/reads.rs`\n",
    );
}

#[test]
fn sums_that_are_wrong_are_found() {
    let sums = "the rows have [1, 1, 0, 0, 0]: items, as asked, differently, partly, not built";
    check_list(
        "| a | as asked | `x` | - |\n",
        &format!("docs/design-documents.md:3: {sums}\ndocs/design-documents.md:4: {sums}\n"),
    );
}
