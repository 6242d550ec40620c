use std::fmt::Write as _;
use std::sync::Arc;

use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_testkit::parse_fixture;
use foveal_transcript::LineNumber;

use super::*;
use crate::settings::Settings;
use crate::views::{LineSelection, ReadContext, ViewRequest, ViewSource};

/// Shows the first lines of a read: two to four, by how long its path is.
#[derive(Debug)]
struct FirstLines;

impl ViewSource for FirstLines {
    fn choose_view(&self, read: &ReadContext<'_>, _: ViewRequest) -> Option<LineSelection> {
        let last = LineNumber(read.path.len() as u32 % 3 + 2);
        Some(LineSelection { lines: vec![(LineNumber(1), last)], ..LineSelection::default() })
    }

    fn predict_views(
        &self,
        reads: &[(ReadContext<'_>, ViewRequest)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<LineSelection>> {
        let reads = reads.iter().take_while(|_| go_on());
        reads.map(|(read, wanted)| self.choose_view(read, *wanted)).collect()
    }
}

/// A conversation that reads a file with each request, of which some say what another one did.
fn reads(count: u32) -> ConversationRecord {
    let mut text = "//- user\nRead all of it.\n".to_owned();
    for at in 0..count {
        let file = if at % 4 == 3 { at - 3 } else { at };
        let path = "x".repeat(at as usize % 5 + 1);
        writeln!(text, "//- call Read {{\"file_path\":\"/w/{path}{at}.rs\"}}\n//- result")
            .expect("a string takes it");
        for line in 1..=30 {
            writeln!(
                text,
                "{line:6}\u{2192}    let value_{file}_{line} = make(\"{file}\", {line});"
            )
            .expect("a string takes it");
        }
    }
    text += "//- assistant\nDone.\n";
    ConversationRecord::from_conversation(parse_fixture(&text), Tokenizer::O200k)
}

/// The responses, each of which answers a request.
fn answers(record: &ConversationRecord) -> Vec<EntryIndex> {
    let entries = (0..).map(EntryIndex).zip(record.entries());
    entries
        .filter(|(_, entry)| entry.role == MessageRole::Assistant)
        .map(|(index, _)| index)
        .collect()
}

/// The first entries of a conversation.
fn beginning(record: &ConversationRecord, entries: usize) -> ConversationRecord {
    ConversationRecord::from_conversation(
        record.entries()[..entries].iter().cloned().collect(),
        Tokenizer::O200k,
    )
}

/// A rewrite comes for size, after many requests.
fn settings(high: u64) -> Settings {
    let mut settings = Settings::balanced();
    let rewrite = settings.rewrite.as_mut().expect("it rewrites");
    (rewrite.high, rewrite.low, rewrite.look_once) = (Tokens(high), Tokens(high / 2), None);
    settings
}

fn planner(high: u64) -> Planner {
    Planner::new(settings(high), PriceCard::anthropic_5m()).with_view_source(Arc::new(FirstLines))
}

#[test]
fn what_a_rewrite_will_leave_is_foreseen_and_counted() {
    let record = reads(40);
    let mut planner = planner(8_000);
    let mut rewritten = 0;
    for answer in answers(&record) {
        let known = beginning(&record, planner.entries.states.len());
        planner.prepare_rewrite(&known, &|| true);
        let foreseen = planner.predict_rewrite(&known);
        let cache = planner.token_cache.clone();
        let step = planner.advance(&record, answer, None);
        if step.rewrite.is_none() {
            continue;
        }
        rewritten += 1;
        // What came with the request may make it one more.
        assert!(foreseen.len() >= 5, "{foreseen:?}");
        let same = foreseen.iter().filter(|level| step.levels.contains(level)).count();
        assert!(same + 2 >= step.levels.len(), "{foreseen:?} {:?}", step.levels);
        let counted = step.changed.iter().filter(|(index, decision)| {
            let (shape, result) = (decision.shape(), record.entry(*index).tool_result());
            shape.zip(result).is_some_and(|(shape, result)| {
                let known = cache.cached_text(Tokenizer::O200k, &shape.render(&result.content));
                assert!(known.is_none_or(|known| known == planner.entry_state(*index).tokens));
                known.is_some()
            })
        });
        let counted = counted.count();
        assert!(counted + 3 >= step.changed.len(), "{counted} of {}", step.changed.len());
    }
    assert!(rewritten > 1, "{rewritten} rewrites");
}

#[test]
fn nothing_is_counted_while_no_rewrite_is_near() {
    let record = reads(12);
    let mut planner = planner(1_000_000);
    for answer in answers(&record) {
        planner.advance(&record, answer, None);
    }
    let record = beginning(&record, planner.entries.states.len());
    planner.prepare_rewrite(&record, &|| true);
    assert!(planner.predict_rewrite(&record).is_empty());
    assert_eq!(planner.prepared_rewrite, None);
}
