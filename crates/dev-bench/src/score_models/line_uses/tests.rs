use foveal_pricing::tokens::Tokenizer;
use foveal_replay::PreparedConversation;
use foveal_testkit::parse_fixture;

use super::find_line_uses;

/// Expects pairs of a request and the first result that showed a line which its answer used.
fn check(text: &str, expected: &[(u32, u32)]) {
    let prepared = PreparedConversation::new(parse_fixture(text), Tokenizer::O200k);
    let uses = find_line_uses(&prepared);
    let found: Vec<_> = uses.iter().map(|need| (need.request, need.first.0)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_use_names_the_first_result() {
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
        // The line is known from the arguments of the first edit by the second.
        &[(2, 2), (2, 2)],
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
        &[],
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
    check(&text.replace("CUT", "user\n        Go on."), &[(2, 2)]);
    check(&text.replace("CUT", "rewind 1\n        Go on."), &[(2, 5)]);
    check(&text.replace("CUT", "compact"), &[(2, 5)]);
    check(&text.replace("CUT", "compact keep 1"), &[(2, 2)]);
}
