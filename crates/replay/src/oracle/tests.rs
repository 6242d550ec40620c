use foveal_context::prices::PriceCard;
use foveal_context::tokens::Tokenizer;
use foveal_testkit::{fixture, scripts};
use foveal_transcript::Conversation;
use proptest::prelude::*;

use super::*;

/// What the oracle sends of each result, in order.
fn check(conversation: &Conversation, expected: &[&str]) {
    let prepared = Prepared::new(conversation.clone(), Tokenizer::O200k);
    let projector = oracle(&prepared);
    let sent: Vec<_> = (0u32..)
        .zip(conversation.entries())
        .filter_map(|(at, entry)| {
            let content = &entry.result()?.content;
            let shape = projector.item(EntryIndex(at)).decision.shape();
            Some(shape.map_or(content.clone(), |shape| shape.render(content)))
        })
        .collect();
    assert_eq!(sent, expected);
}

const FILE: &str = "fn first_step() {\n    prepare(1, 2, 3);\n    prepare(4, 5, 6);\n}\n\nfn \
                    second_step() {\n    finish(1, 2, 3);\n    finish(4, 5, 6);\n}";

fn read(times: usize, then: &str) -> Conversation {
    let read = format!("//- call Read {{\"file_path\":\"a.rs\"}}\n//- result\n{FILE}\n");
    fixture(&format!("//- user\nGo on.\n{}{then}", read.repeat(times)))
}

#[test]
fn what_a_later_edit_uses_is_kept_where_it_stood_last() {
    let edit = "//- call Edit {\"file_path\":\"a.rs\",\"old_string\":\"    finish(1, 2, 3);\",\
                \"new_string\":\"    finish(7, 8, 9);\"}\n//- result\nok";
    let handle = Handle::of(FILE.as_bytes());
    let note = format!("[expand {handle}]");
    let kept = format!("    finish(1, 2, 3);\n{note}");
    check(&read(2, edit), &[&note, &kept, "ok"]);
}

#[test]
fn of_what_is_only_named_one_line_is_kept() {
    let note = format!("[expand {}]", Handle::of(FILE.as_bytes()));
    let kept = format!("fn first_step() {{\n{note}");
    check(&read(1, "//- assistant\nI shall call first_step."), &[&kept]);
    check(&read(1, "//- assistant\nNothing to do."), &[&note]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_used_is_missing(script in scripts(30)) {
        let conversation = script.conversation();
        let prepared = Prepared::new(conversation, Tokenizer::O200k);
        let prices = PriceCard::anthropic_5m();
        let replay = crate::replay(&prepared, &mut oracle(&prepared), &prices, &mut |_, _| {});
        prop_assert_eq!(replay.breaches.total(), 0);
        for request in &replay.requests {
            prop_assert_eq!(request.evidence.used, request.evidence.visible);
            prop_assert_eq!(request.references.used, request.references.visible);
        }
    }
}
