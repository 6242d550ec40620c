//! The lines of results that hindsight finds used.

use std::fmt::Write;

use foveal_pricing::tokens::Tokenizer;
use foveal_replay::PreparedConversation;
use foveal_replay::line_uses::find_line_uses;
use foveal_replay::scan::evidence_line_hash;
use foveal_testkit::parse_fixture;

/// One line per use: request, first and latest result, and the used one of `lines`.
fn check(text: &str, lines: &[&str], expected: &str) {
    let conversation = parse_fixture(text);
    let prepared = PreparedConversation::new(conversation, Tokenizer::O200k);
    let mut rows: Vec<String> = Vec::new();
    for need in find_line_uses(&prepared) {
        let line = lines.iter().position(|line| evidence_line_hash(line) == Some(need.line));
        let mut row = String::new();
        write!(row, "{}: {} {} {line:?}", need.request, need.first.0, need.source.0)
            .expect("writing to a string");
        rows.push(row);
    }
    rows.sort();
    assert_eq!(rows.join("\n"), expected);
}

#[test]
fn a_need_names_the_first_and_the_latest_result() {
    check(
        r#"
        //- user
        Fix `let spoken = 3;`.
        //- call Read {"file_path":"a.rs"}
        //- result
        let first = 1;
        let both = 2;
        let spoken = 3;
        //- call Bash {"command":"grep both a.rs"}
        //- result
        2:let both = 2;
        //- call Edit {"file_path":"a.rs","old_string":"let first = 1;\nlet both = 2;","new_string":"let unseen = 4;"}
        //- result
        done
        //- call Edit {"file_path":"a.rs","old_string":"let first = 1;","new_string":""}
        "#,
        &["let first = 1;", "let both = 2;"],
        // The line is known from the arguments of the first edit by the second.
        "2: 2 2 Some(0)\n2: 2 4 Some(1)",
    );
}

#[test]
fn what_the_user_said_needs_no_result() {
    check(
        r#"
        //- user
        let spoken = 3;
        //- call Read {"file_path":"a.rs"}
        //- result
        let spoken = 3;
        //- call Edit {"file_path":"a.rs","old_string":"let spoken = 3;","new_string":""}
        "#,
        &["let spoken = 3;"],
        "",
    );
}

#[test]
fn what_the_client_cut_is_no_source() {
    let text = r#"
        //- user
        Fix it.
        //- call Read {"file_path":"a.rs"}
        //- result
        let first = 1;
        //- CUT
        //- call Read {"file_path":"a.rs"}
        //- result
        let first = 1;
        //- call Edit {"file_path":"a.rs","old_string":"let first = 1;","new_string":""}
        "#;
    let lines = &["let first = 1;"];
    check(&text.replace("CUT", "user\n        Go on."), lines, "2: 2 5 Some(0)");
    check(&text.replace("CUT", "rewind 1\n        Go on."), lines, "2: 5 5 Some(0)");
    check(&text.replace("CUT", "compact"), lines, "2: 5 5 Some(0)");
    check(&text.replace("CUT", "compact keep 1"), lines, "2: 2 5 Some(0)");
}
