//! How much goes where nothing is cached.

use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::planner::Planner;
use foveal_engine::reduction_level::ReductionLevel;
use foveal_engine::reuse_score::ReusePredictor;
use foveal_engine::settings::{RewriteSettings, Settings};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_testkit::laws::answers_to_plan;
use foveal_testkit::parse_fixture;
use foveal_transcript::{EntryIndex, MessageRole, Timestamp};

const READS: usize = 20;

/// Expects as many uses of each result as its place says.
#[derive(Debug)]
struct ByPlace(fn(EntryIndex) -> f64);

impl ReusePredictor for ByPlace {
    fn probability(&self, result: EntryIndex, _: u32) -> Option<f64> {
        Some((self.0)(result))
    }
}

/// Which of twenty reads have less in the prompt after some more requests, where all may go that
/// are old, but for what may be lost.
fn gone(card: &str, loss_max: f64, expects: fn(EntryIndex) -> f64) -> Vec<usize> {
    let read = |at: usize| {
        let lines: String =
            (1..80).map(|row| format!("{row}\tlet v{at} = call({row}, {});\n", row * 31)).collect();
        let call = format!("//- call Read {{\"file_path\":\"/w/a{at}.rs\"}}");
        format!("{call}\n//- result\n{lines}")
    };
    let reads: String = (0..READS).map(read).collect();
    let more = "//- assistant\nWell.\n//- user\nOn.\n".repeat(12);
    let text = format!("//- user\nGo.\n{reads}{more}//- assistant\nDone.");
    let rewrite = Settings::balanced().rewrite.map(|rewrite| RewriteSettings {
        high: Tokens(u64::MAX),
        uses_min: f64::INFINITY,
        look_once: None,
        loss_max,
        ..rewrite
    });
    let record = ConversationRecord::from_conversation(parse_fixture(&text), Tokenizer::O200k);
    let prices = PriceCard::find(card).expect("a built-in card");
    let planner = Planner::new(Settings { rewrite, ..Settings::balanced() }, prices);
    let mut planner = planner.with_reuse_predictor(Arc::new(ByPlace(expects)));
    for (at, answer) in answers_to_plan(&record).into_iter().enumerate() {
        planner.advance(&record, answer, Some(Timestamp(at as i64 * 3_600_000)));
    }
    let results =
        record.entries().iter().enumerate().filter(|(_, it)| it.role == MessageRole::Tool);
    let levels = results.map(|(at, _)| planner.entry_state(EntryIndex(at as u32)).level);
    levels.enumerate().filter(|(_, it)| *it != ReductionLevel::Arrival).map(|(at, _)| at).collect()
}

#[test]
fn no_more_uses_are_lost_than_may_be_however_many_requests_come() {
    assert_eq!(gone("flat", 0.0, |_| 0.5), [0_usize; 0]);
    // The bound holds for all that has gone together, not for each request.
    assert_eq!(gone("flat", 0.26, |_| 0.5).len(), 5);
    assert_eq!(gone("flat", 1.0, |_| 0.5).len(), READS);
}

#[test]
fn what_is_used_least_goes_first() {
    // The even ones are hardly used: all ten of them together are lost for one of the others.
    let hardly = |result: EntryIndex| if result.0.is_multiple_of(4) { 0.01 } else { 0.5 };
    let all = gone("flat", 1.0, hardly);
    let gone = gone("flat", 0.05, hardly);
    let even: Vec<usize> = all.iter().copied().filter(|at| hardly(result(*at)) < 0.1).collect();
    assert_eq!(even.len(), READS / 2);
    assert_eq!(gone, even);
}

/// The entry of a read: a call and its result follow each other.
fn result(at: usize) -> EntryIndex {
    EntryIndex(2 + 2 * at as u32)
}

#[test]
fn where_prompts_are_cached_they_go_as_it_pays() {
    assert_eq!(gone("anthropic-5m", 0.0, |_| 0.5).len(), READS);
}
