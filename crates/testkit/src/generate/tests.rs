use foveal_transcript::ContentBlock;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_result_answers_a_call_of_the_response_before_it(script in conversation_scripts(30)) {
        let conversation = script.build_conversation();
        let mut open: Vec<&str> = Vec::new();
        for entry in conversation.entries() {
            match entry.tool_result() {
                Some(result) => {
                    prop_assert_eq!(entry.role, MessageRole::Tool);
                    prop_assert!(!open.is_empty() && open.remove(0) == result.call);
                }
                None => open = entry.tool_calls().map(|call| call.id.as_str()).collect(),
            }
            let results = entry.blocks.iter().filter(|b| matches!(b, ContentBlock::Result(_)));
            prop_assert!(results.count() <= 1);
        }
    }

    #[test]
    fn a_script_always_gives_the_same_conversation(script in conversation_scripts(20)) {
        prop_assert_eq!(script.build_conversation(), script.build_conversation());
    }
}

#[test]
fn marks_point_at_earlier_entries() {
    let operations = vec![
        ScriptOperation::Respond(vec![
            SimulatedCall::List,
            SimulatedCall::Read(0, PathSpelling::Dotted),
        ]),
        ScriptOperation::User,
        ScriptOperation::Respond(vec![SimulatedCall::List]),
        ScriptOperation::Compact(3),
        ScriptOperation::User,
        ScriptOperation::Rewind(0),
    ];
    let conversation = ConversationScript { seed: 3, operations }.build_conversation();
    let marks: Vec<_> = (0..).zip(conversation.entries()).map(|(at, e)| (at, e.mark)).collect();
    assert!(marks.contains(&(8, EntryMark::CompactBoundary { keep_from: Some(EntryIndex(5)) })));
    assert!(marks.contains(&(11, EntryMark::Rewind { to: EntryIndex(10) })));
}
