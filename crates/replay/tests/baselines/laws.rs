//! Laws over generated conversations.

use std::collections::HashMap;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::Decision;
use foveal_engine::plan_step::PlanStep;
use foveal_engine::policies::content_reset::{self, ResetMarks};
use foveal_engine::policies::first_last_sampled;
use foveal_engine::projector::Projector;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_replay::baselines::{
    BASELINES, all_profiles, clear_tool_uses, latest_read, opencode_prune,
};
use foveal_testkit::conversation_scripts;
use foveal_testkit::laws::{self, CheckScope, Law, LawSubject, content, frozen_prefix};
use foveal_transcript::Handle;
use foveal_transcript::{Conversation, EntryIndex, EntryMark, MessageRole};
use proptest::prelude::*;

use super::{policy, profile};

/// Limits so low that generated conversations reach them.
fn with_low_limits() -> Vec<Projector> {
    vec![
        policy(|view| {
            let marks = ResetMarks { high: Tokens(2_000), low: Tokens(1_000) };
            content_reset::decide_between_marks(view, marks)
        }),
        policy(|view| clear_tool_uses::decide_above(view, Tokens(2_000))),
        policy(|view| opencode_prune::decide_beyond_protected(view, 300, 100)),
        policy(|view| latest_read::decide_above_request_size(view, Tokens(2_000))),
        policy(|view| latest_read::decide_in_batches(view, 3_000)),
    ]
}

fn all() -> Vec<Projector> {
    let prices = PriceCard::anthropic_5m();
    BASELINES
        .iter()
        .map(|profile| profile.new_projector(&prices))
        .chain(with_low_limits())
        .collect()
}

/// Takes a projector through a conversation; `each` sees it after every request.
fn drive(
    record: &ConversationRecord,
    mut projector: Projector,
    mut each: impl FnMut(&Projector, &PlanStep) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let end = EntryIndex(record.len() as u32);
    for answer in record.conversation().response_indices().chain([end]) {
        let step = projector.advance(record, answer, None);
        each(&projector, &step)?;
    }
    Ok(())
}

/// Whether the client cut the conversation somewhere.
fn is_cut(conversation: &Conversation) -> bool {
    let cuts = |mark| matches!(mark, EntryMark::CompactBoundary { .. } | EntryMark::Rewind { .. });
    conversation.entries().iter().any(|entry| cuts(entry.mark))
}

/// Reads of one file by path, and whether each stands in full.
fn reads(record: &ConversationRecord, projector: &Projector) -> HashMap<String, Vec<bool>> {
    let mut reads: HashMap<String, Vec<bool>> = HashMap::new();
    for index in projector.window() {
        let Some(call) = &record.facts(*index).call else { continue };
        let failed = record.entry(*index).tool_result().is_none_or(|result| result.is_error);
        if let ([read], false) = (call.effect.reads.as_slice(), failed) {
            let full = projector.entry_state(*index).decision == Decision::Keep;
            reads.entry(read.path.clone()).or_default().push(full);
        }
    }
    reads
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn only_results_are_replaced_by_less_that_can_be_undone(script in conversation_scripts(40)) {
        let conversation = script.build_conversation();
        let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
        for projector in all() {
            drive(&record, projector, |projector, _| {
                let window = projector.window();
                for index in window {
                    let item = projector.entry_state(*index);
                    let Some(shape) = item.decision.shape() else { continue };
                    let entry = conversation.entry(*index);
                    prop_assert_eq!(entry.role, MessageRole::Tool);
                    let content = &entry.tool_result().expect("a tool entry has one").content;
                    prop_assert_eq!(shape.handle, Handle::from_content(content.as_bytes()));
                    prop_assert!(item.tokens < record.facts(*index).tokens);
                    prop_assert_eq!(item.tokens, Tokenizer::O200k.count(&shape.render(content)));
                    let stands = |target| window.binary_search(target).is_ok();
                    prop_assert!(shape.referenced_entries().iter().all(stands));
                }
                Ok(())
            })?;
        }
    }

    #[test]
    fn what_is_decided_on_arrival_never_changes(script in conversation_scripts(40)) {
        let conversation = script.build_conversation();
        let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
        for name in ["cap-4k", "read-once"] {
            // A cut takes away what a note of read-once points at.
            if name == "read-once" && is_cut(&conversation) {
                continue;
            }
            let mut sent: HashMap<EntryIndex, Decision> = HashMap::new();
            drive(&record, profile(name), |projector, _| {
                for index in projector.window() {
                    let decision = &projector.entry_state(*index).decision;
                    let first = sent.entry(*index).or_insert_with(|| decision.clone());
                    prop_assert_eq!(&*first, decision);
                }
                Ok(())
            })?;
        }
    }

    #[test]
    fn what_is_removed_at_a_limit_stays_removed(script in conversation_scripts(40)) {
        let conversation = script.build_conversation();
        prop_assume!(!is_cut(&conversation));
        let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
        for projector in with_low_limits() {
            let mut removed: Vec<EntryIndex> = Vec::new();
            drive(&record, projector, |projector, _| {
                let is_replaced = |index: &EntryIndex| projector.entry_state(*index).decision.shape().is_some();
                prop_assert!(removed.iter().all(is_replaced));
                removed = projector.window().iter().copied().filter(|i| is_replaced(i)).collect();
                Ok(())
            })?;
        }
    }

    #[test]
    fn few_full_reads_of_a_file_stay_and_the_ends_always_do(script in conversation_scripts(60)) {
        let conversation = script.build_conversation();
        let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
        for name in ["first-last-sampled", "first-last-sampled-max5"] {
            drive(&record, profile(name), |projector, _| {
                for (path, full) in reads(&record, projector) {
                    prop_assert!(full.first() == Some(&true) && full.last() == Some(&true));
                    // Reads shorter than the pointer stay in any case, so the window is
                    // asked for how many were meant to go.
                    let pointed = full.iter().filter(|full| !**full).count();
                    let spare = full.len().saturating_sub(first_last_sampled::FILE_READS_MAX);
                    let table = full.len().saturating_sub(2);
                    let most = if name.ends_with("max5") { spare } else { table };
                    prop_assert!(pointed <= most, "{} pointers for {}", pointed, path);
                }
                Ok(())
            })?;
        }
    }

    #[test]
    fn the_reads_chosen_are_at_most_five(count in 0..400usize, reads_max in 2..9usize) {
        let table = first_last_sampled::reads_kept_by_table(count, first_last_sampled::FILE_READS_MAX);
        let code = first_last_sampled::reads_kept_by_code(count, reads_max);
        for (kept, most) in [(table, first_last_sampled::FILE_READS_MAX), (code, reads_max)] {
            prop_assert!(kept.len() <= most.max(2).min(count.max(most)));
            prop_assert!(kept.iter().all(|at| *at < count));
            if count > 0 {
                prop_assert!(kept.contains(&0) && kept.contains(&(count - 1)));
            }
        }
    }

    #[test]
    fn no_more_than_the_last_results_stay(script in conversation_scripts(60)) {
        let conversation = script.build_conversation();
        let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
        for (name, last) in [("keep-last-30", 30), ("mask-10", 10)] {
            drive(&record, profile(name), |projector, _| {
                let results: Vec<_> = projector
                    .window()
                    .iter()
                    .filter(|index| conversation.entry(**index).role == MessageRole::Tool)
                    .collect();
                let older = results.len().saturating_sub(last);
                for (at, index) in results.into_iter().enumerate() {
                    let item = projector.entry_state(*index);
                    // A result as short as the note that would replace it stays.
                    let small = record.facts(*index).tokens <= Tokens(11);
                    prop_assert!(small || (item.decision == Decision::Keep) == (at >= older));
                }
                Ok(())
            })?;
        }
    }

    #[test]
    fn every_profile_keeps_the_common_laws(script in conversation_scripts(40)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let prices = PriceCard::anthropic_5m();
        for profile in all_profiles() {
            let projector = profile.new_projector(&prices);
            let subject = LawSubject { projector, settings: None, prices: prices.clone() };
            let laws: &[Law] = &[
                content::handles_resolve,
                content::replacements_are_smaller,
                content::other_content_is_unchanged,
                frozen_prefix::prefix_is_frozen,
            ];
            laws::check_laws(&record, subject, CheckScope::WholePrompt, laws);
        }
    }
}
