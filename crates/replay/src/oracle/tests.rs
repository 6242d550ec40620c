use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_testkit::{conversation_scripts, parse_fixture};
use foveal_transcript::{Conversation, EntryIndex, Handle};
use proptest::prelude::*;

use super::*;

/// The text that the oracle sends of each result, in order.
fn check(conversation: &Conversation, expected: &[&str]) {
    let prepared = PreparedConversation::new(conversation.clone(), Tokenizer::O200k);
    let projector = Hindsight::from_prepared(&prepared)
        .projector(Oracle::OnArrival, &PriceCard::anthropic_5m());
    let sent: Vec<_> = (0u32..)
        .zip(conversation.entries())
        .filter_map(|(at, entry)| {
            let content = &entry.tool_result()?.content;
            let shape = projector.entry_state(EntryIndex(at)).decision.shape();
            Some(shape.map_or(content.clone(), |shape| shape.render(content)))
        })
        .collect();
    assert_eq!(sent, expected);
}

const FILE: &str = "fn first_step() {\n    prepare(1, 2, 3);\n    prepare(4, 5, 6);\n}\n\nfn \
                    second_step() {\n    finish(1, 2, 3);\n    finish(4, 5, 6);\n}";

fn read(times: usize, then: &str) -> Conversation {
    let read = format!("//- call Read {{\"file_path\":\"a.rs\"}}\n//- result\n{FILE}\n");
    parse_fixture(&format!("//- user\nGo on.\n{}{then}", read.repeat(times)))
}

#[test]
fn what_a_later_edit_uses_is_kept_where_it_stood_last() {
    let edit = "//- call Edit {\"file_path\":\"a.rs\",\"old_string\":\"    finish(1, 2, 3);\",\
                \"new_string\":\"    finish(7, 8, 9);\"}\n//- result\nok";
    let handle = Handle::from_content(FILE.as_bytes());
    let note = format!("[expand {handle}]");
    let kept = format!("    finish(1, 2, 3);\n{note}");
    check(&read(2, edit), &[&note, &kept, "ok"]);
}

#[test]
fn of_what_is_only_named_one_line_is_kept() {
    let note = format!("[expand {}]", Handle::from_content(FILE.as_bytes()));
    let kept = format!("fn first_step() {{\n{note}");
    check(&read(1, "//- assistant\nI shall call first_step."), &[&kept]);
    check(&read(1, "//- assistant\nNothing to do."), &[&note]);
}

/// The text of each result that the model is sent at each request, under an oracle and a price
/// card.
fn sent(oracle: Oracle, conversation: &Conversation, prices: &PriceCard) -> Vec<Vec<String>> {
    let prepared = PreparedConversation::new(conversation.clone(), Tokenizer::O200k);
    let mut projector = Hindsight::from_prepared(&prepared).projector(oracle, prices);
    let mut requests = Vec::new();
    crate::replay(&prepared, &mut projector, prices, &mut |projector, _| {
        let text = |index: &EntryIndex| {
            let content = &conversation.entry(*index).tool_result()?.content;
            let shape = projector.entry_state(*index).decision.shape();
            Some(shape.map_or(content.clone(), |shape| shape.render(content)))
        };
        requests.push(projector.window().iter().filter_map(text).collect());
    });
    requests
}

/// A conversation that reads a file and uses two of its lines once each.
fn two_uses() -> Conversation {
    let edit = |line: &str, n: u32| {
        format!(
            "//- call Edit {{\"file_path\":\"a.rs\",\"old_string\":\"{line}\",\
             \"new_string\":\"    other_{n};\"}}\n//- result\nok\n"
        )
    };
    let first = edit("    prepare(1, 2, 3);", 1);
    read(1, &format!("{first}{}//- assistant\nGood.", edit("    finish(1, 2, 3);", 2)))
}

#[test]
fn what_was_used_for_the_last_time_goes_where_that_costs_nothing() {
    let flat = PriceCard::find("flat").expect("a card");
    let note = format!("[expand {}]", Handle::from_content(FILE.as_bytes()));
    let both = format!("    prepare(1, 2, 3);\n    finish(1, 2, 3);\n{note}");
    let second = format!("    finish(1, 2, 3);\n{note}");
    let read = |oracle| -> Vec<String> {
        let requests = sent(oracle, &two_uses(), &flat);
        requests.into_iter().filter_map(|results| results.into_iter().next()).collect()
    };
    assert_eq!(read(Oracle::OnArrival), [&*both; 3]);
    assert_eq!(read(Oracle::Rewriting), [&*both, &second, &note]);
    assert_eq!(read(Oracle::EarlyReduction), [FILE, &second, &note]);
}

#[test]
fn what_would_be_dear_to_write_again_stays() {
    let prices = PriceCard { cache_write: 1_000.0, ..PriceCard::anthropic_5m() };
    for oracle in [Oracle::Rewriting, Oracle::EarlyReduction] {
        let requests = sent(oracle, &two_uses(), &prices);
        let first: Vec<_> = requests.iter().filter_map(|results| results.first()).collect();
        assert!(first.windows(2).all(|pair| pair[0] == pair[1]), "{first:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_used_is_missing(script in conversation_scripts(30)) {
        let conversation = script.build_conversation();
        let prepared = PreparedConversation::new(conversation, Tokenizer::O200k);
        let prices = PriceCard::anthropic_5m();
        let hindsight = Hindsight::from_prepared(&prepared);
        let mut costs = Vec::new();
        for oracle in Oracle::ALL {
            let mut projector = hindsight.projector(oracle, &prices);
            let replay = crate::replay(&prepared, &mut projector, &prices, &mut |_, _| {});
            prop_assert_eq!(replay.breaches.total(), 0);
            for request in &replay.requests {
                prop_assert_eq!(request.evidence.used, request.evidence.visible);
                prop_assert_eq!(request.references.used, request.references.visible);
            }
            costs.push(replay.net_dollars());
        }
        prop_assert!(costs[1] <= costs[0] + 1e-12, "{costs:?}");
    }
}
