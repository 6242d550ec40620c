use foveal_transcript::Block;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_result_answers_a_call_of_the_response_before_it(script in scripts(30)) {
        let conversation = script.conversation();
        let mut open: Vec<&str> = Vec::new();
        for entry in conversation.entries() {
            match entry.result() {
                Some(result) => {
                    prop_assert_eq!(entry.role, Role::Tool);
                    prop_assert!(!open.is_empty() && open.remove(0) == result.call);
                }
                None => open = entry.calls().map(|call| call.id.as_str()).collect(),
            }
            let results = entry.blocks.iter().filter(|b| matches!(b, Block::Result(_)));
            prop_assert!(results.count() <= 1);
        }
    }

    #[test]
    fn a_script_always_gives_the_same_conversation(script in scripts(20)) {
        prop_assert_eq!(script.conversation(), script.conversation());
    }
}

#[test]
fn marks_point_at_earlier_entries() {
    let operations = vec![
        Operation::Respond(vec![Act::List, Act::Read(0, Spelling::Dotted)]),
        Operation::User,
        Operation::Respond(vec![Act::List]),
        Operation::Compact(3),
        Operation::User,
        Operation::Rewind(0),
    ];
    let conversation = Script { seed: 3, operations }.conversation();
    let marks: Vec<_> = (0..).zip(conversation.entries()).map(|(at, e)| (at, e.mark)).collect();
    assert!(marks.contains(&(8, Mark::CompactBoundary { keep_from: Some(EntryIndex(5)) })));
    assert!(marks.contains(&(11, Mark::Rewind { to: EntryIndex(10) })));
}
