//! Evidence, references and repairs on conversations small enough to count by hand.

use std::fmt::Write;

use foveal_engine::message_shape::MessageShape;
use foveal_engine::policies::policy_view::PolicyView;
use foveal_engine::projector::Projector;
use foveal_pricing::tokens::Tokenizer;
use foveal_replay::baselines::{BaselineProjector, BaselineRule};
use foveal_replay::laws::LawBreaches;
use foveal_replay::{ConversationReplay, PreparedConversation, replay};
use foveal_testkit::parse_fixture;
use foveal_transcript::EntryIndex;
use foveal_transcript::Handle;

use super::cost::prices;

/// A file read once and edited twice, in lines that occur nowhere else.
const EDITS: &str = r#"
    //- user
    Fix it.
    //- call Read {"file_path":"a.rs"}
    //- result
    let total_count = 1;
    let other = parse_line(text);
    //- call Edit {"file_path":"a.rs","old_string":"let total_count = 1;","new_string":"let total_count = 22;"}
    //- result
    done
    //- call Edit {"file_path":"a.rs","old_string":"let other = parse_line(text);","new_string":"let other = 0;"}
    //- result
    done
    //- assistant
    Call parse_line and total_count, in src/main.rs too.
"#;

fn run(text: &str, policy: BaselineRule) -> ConversationReplay {
    let conversation = parse_fixture(text);
    let prepared = PreparedConversation::new(conversation, Tokenizer::O200k);
    let mut projector = Projector::Comparison(Box::new(BaselineProjector::new(policy)));
    replay(&prepared, &mut projector, &prices(), &mut |_, _| {})
}

/// One line per request: the answer, evidence and references (visible of used), repairs.
fn check(text: &str, policy: BaselineRule, expected: &str) {
    let mut figures = String::new();
    for request in run(text, policy).requests {
        let (lines, names) = (request.evidence, request.references);
        writeln!(
            figures,
            "{}: {} of {}, {} of {}, {}",
            request.answer.0, lines.visible, lines.used, names.visible, names.used, request.repairs
        )
        .expect("writing to a string");
    }
    assert_eq!(figures, expected);
}

/// Omits every result.
const ALL_GONE: BaselineRule = |view| {
    view.results().map(|index| view.placeholder(index, "gone", "-".to_owned(), None)).collect()
};

/// Keeps the first 20 bytes of every result.
const HEAD_ONLY: BaselineRule = |view| {
    let long = view.results().filter(|index| view.content(*index).len() > 20);
    long.map(|index| view.head_and_tail(index, "head", 20, 0, String::new())).collect()
};

#[test]
fn what_stays_is_visible() {
    // Of the first edit one of two lines was read, of the second too; `total_count`, then
    // `parse_line`, then both were printed. `src/main.rs` never was.
    check(
        EDITS,
        |_| Vec::new(),
        "1: 0 of 0, 0 of 0, 0\n3: 1 of 1, 1 of 1, 0\n5: 1 of 1, 1 of 1, 0\n7: 0 of 0, 2 of 2, 0\n",
    );
}

#[test]
fn what_is_gone_is_missed_and_fetched_once() {
    // At 5 the result was fetched already; `total_count` and `parse_line` are known from the
    // arguments of the edits at 7.
    check(
        EDITS,
        ALL_GONE,
        "1: 0 of 0, 0 of 0, 0\n3: 0 of 1, 0 of 1, 1\n5: 0 of 1, 0 of 1, 0\n7: 0 of 0, 2 of 2, 0\n",
    );
}

#[test]
fn what_is_cut_is_missed_line_by_line() {
    check(
        EDITS,
        HEAD_ONLY,
        "1: 0 of 0, 0 of 0, 0\n3: 1 of 1, 1 of 1, 0\n5: 0 of 1, 0 of 1, 1\n7: 0 of 0, 2 of 2, 0\n",
    );
}

#[test]
fn lines_with_and_without_a_gutter_are_the_same_line() {
    let text = r#"
        //- user
        Fix it.
        //- call Read {"file_path":"a.rs"}
        //- result
             1→let total_count = 1;
             2→}
        //- call Edit {"file_path":"a.rs","old_string":"  let total_count = 1;\n}","new_string":""}
    "#;
    // The brace carries no evidence.
    check(text, |_| Vec::new(), "1: 0 of 0, 0 of 0, 0\n3: 1 of 1, 1 of 1, 0\n");
}

#[test]
fn after_a_compaction_and_a_rewind_only_what_is_sent_counts() {
    let compacted = EDITS.replace(
        "//- assistant\n    Call",
        "//- compact\n    //- summary\n    So far.\n    //- assistant\n    Call",
    );
    check(
        &compacted,
        |_| Vec::new(),
        "1: 0 of 0, 0 of 0, 0\n3: 1 of 1, 1 of 1, 0\n5: 1 of 1, 1 of 1, 0\n9: 0 of 0, 0 of 0, 0\n",
    );
    // Back to before the first edit: the read is still there.
    let rewound = EDITS.replace(
        "//- assistant\n    Call",
        "//- rewind 3\n    Again.\n    //- assistant\n    Call",
    );
    check(
        &rewound,
        ALL_GONE,
        "1: 0 of 0, 0 of 0, 0\n3: 0 of 1, 0 of 1, 1\n5: 0 of 1, 0 of 1, 0\n8: 0 of 0, 0 of 2, 0\n",
    );
    // Back to before the read: nothing of it is used any more.
    let rewound = EDITS.replace(
        "//- assistant\n    Call",
        "//- rewind 0\n    Again.\n    //- assistant\n    Call",
    );
    check(
        &rewound,
        ALL_GONE,
        "1: 0 of 0, 0 of 0, 0\n3: 0 of 1, 0 of 1, 1\n5: 0 of 1, 0 of 1, 0\n8: 0 of 0, 0 of 0, 0\n",
    );
}

#[test]
fn a_repair_is_one_more_request_and_the_lost_region() {
    let replay = run(EDITS, ALL_GONE);
    let count = |text: &str| Tokenizer::O200k.count(text).0 as f64;
    let user = count("Fix it.");
    let call = count("Read {\"file_path\":\"a.rs\"}");
    let result = count("let total_count = 1;\nlet other = parse_line(text);");
    let prompt = user + call + count("-");
    // The prompt read from the cache, 150 tokens of output, what is lost written.
    let expected = prompt * 0.1 + 150.0 * 5.0 + (result - count("-")) * 1.25;
    let repaired = &replay.requests[1];
    assert_eq!(repaired.projected.prompt.0 as f64, prompt);
    assert_eq!(repaired.raw.prompt.0 as f64, user + call + result);
    assert!((repaired.repair_dollars * 1e6 - expected).abs() < 1e-6);
    let sent: f64 = replay.requests.iter().map(|request| request.projected.dollars).sum();
    assert!((replay.net_dollars() - sent - expected / 1e6).abs() < 1e-12);
}

fn pointing_at(
    view: &PolicyView<'_>,
    target: fn(EntryIndex) -> EntryIndex,
) -> Vec<(EntryIndex, MessageShape)> {
    let gone = |index| view.placeholder(index, "gone", "-".to_owned(), Some(target(index)));
    view.results().map(gone).collect()
}

#[test]
fn breaches_are_counted_once_for_each_change() {
    let none = LawBreaches::default();
    let policies: [(BaselineRule, LawBreaches); 5] = [
        // Neither what is not in the prompt yet nor the result itself can be pointed at.
        (|view| pointing_at(view, |_| EntryIndex(6)), LawBreaches { dangling: 1, ..none }),
        (|view| pointing_at(view, |own| own), LawBreaches { dangling: 1, ..none }),
        (|view| pointing_at(view, |_| EntryIndex(1)), none),
        (
            |view| {
                let mut gone: Vec<_> = ALL_GONE(view);
                gone.iter_mut()
                    .for_each(|(_, shape)| shape.handle = Handle::from_content(b"other"));
                gone
            },
            LawBreaches { lost: 1, ..none },
        ),
        (|_| Vec::new(), none),
    ];
    for (policy, expected) in policies {
        // `done` is one token, as `-` is, and stays.
        assert_eq!(run(EDITS, policy).breaches, expected);
    }
}
