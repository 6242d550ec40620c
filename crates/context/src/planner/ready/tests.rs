use std::fmt::Write as _;
use std::sync::Arc;

use foveal_testkit::fixture;
use foveal_transcript::LineNumber;

use super::*;
use crate::prices::PriceCard;
use crate::settings::Settings;
use crate::tokens::{Tokenizer, Tokens};
use crate::views::{Read, View, Views, Wanted};

/// Shows the first lines of a read: two to four, by how long its path is.
#[derive(Debug)]
struct FirstLines;

impl Views for FirstLines {
    fn view(&self, read: &Read<'_>, _: Wanted) -> Option<View> {
        let last = LineNumber(read.path.len() as u32 % 3 + 2);
        Some(View { lines: vec![(LineNumber(1), last)], ..View::default() })
    }

    fn foreseen(
        &self,
        reads: &[(Read<'_>, Wanted)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<View>> {
        let reads = reads.iter().take_while(|_| go_on());
        reads.map(|(read, wanted)| self.view(read, *wanted)).collect()
    }
}

/// A conversation that reads a file with each request, of which some say what another one did.
fn reads(count: u32) -> Record {
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
    Record::of(fixture(&text), Tokenizer::O200k)
}

/// The responses, each of which answers a request.
fn answers(record: &Record) -> Vec<EntryIndex> {
    let entries = (0..).map(EntryIndex).zip(record.entries());
    entries.filter(|(_, entry)| entry.role == Role::Assistant).map(|(index, _)| index).collect()
}

/// The first entries of a conversation.
fn beginning(record: &Record, entries: usize) -> Record {
    Record::of(record.entries()[..entries].iter().cloned().collect(), Tokenizer::O200k)
}

/// A rewrite comes for size, after many requests.
fn settings(high: u64) -> Settings {
    let mut settings = Settings::balanced();
    let rewrite = settings.rewrite.as_mut().expect("it rewrites");
    (rewrite.high, rewrite.low, rewrite.look_once) = (Tokens(high), Tokens(high / 2), None);
    settings
}

fn planner(high: u64) -> Planner {
    Planner::new(settings(high), PriceCard::anthropic_5m()).with_views(Arc::new(FirstLines))
}

#[test]
fn what_a_rewrite_will_leave_is_foreseen_and_counted() {
    let record = reads(40);
    let mut planner = planner(8_000);
    let mut rewritten = 0;
    for answer in answers(&record) {
        let known = beginning(&record, planner.items.len());
        planner.get_ready(&known, &|| true);
        let foreseen = planner.foresee_rewrite(&known);
        let cache = planner.cache.clone();
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
            let (shape, result) = (decision.shape(), record.entry(*index).result());
            shape.zip(result).is_some_and(|(shape, result)| {
                let known = cache.of_text(Tokenizer::O200k, &shape.render(&result.content));
                assert!(known.is_none_or(|known| known == planner.item(*index).tokens));
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
    let record = beginning(&record, planner.items.len());
    planner.get_ready(&record, &|| true);
    assert!(planner.foresee_rewrite(&record).is_empty());
    assert_eq!(planner.foreseen, None);
}
