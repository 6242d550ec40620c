//! What is left of results that the model has seen, and when they go.

use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::plan_step::{PlanStep, RewriteReason};
use foveal_engine::planner::Planner;
use foveal_engine::reduction_level::ReductionLevel;
use foveal_engine::reuse_score::ReusePredictor;
use foveal_engine::settings::{EarlyReadReduction, EarlyReduction, RewriteSettings, Settings};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_testkit::laws::answers_to_plan;
use foveal_testkit::parse_fixture;
use foveal_testkit::render::sent_text;
use foveal_transcript::{Conversation, EntryIndex, Timestamp};

/// Settings that reduce nothing but what has been seen.
fn settings() -> Settings {
    let balanced = Settings::balanced();
    let rewrite = balanced.rewrite.map(|rewrite| RewriteSettings {
        high: Tokens(u64::MAX),
        uses_min: 0.0,
        look_once: Some(EarlyReduction {
            runs_after: 1,
            searches_after: 2,
            reads: None,
            horizon: 20,
        }),
        ..rewrite
    });
    Settings { run_bytes_max: None, rewrite, ..balanced }
}

/// Different lines of output, with a failure in the middle.
fn output(seed: usize) -> String {
    let line = |at: usize| format!("compiled unit {} in {} ms\n", seed * 1_000 + at, at * 7_919);
    let head: String = (0..60).map(line).collect();
    let tail: String = (60..120).map(line).collect();
    format!("{head}error: nothing is called so{seed}\n{tail}")
}

fn run(seed: usize) -> String {
    format!("//- call Bash {{\"command\":\"make {seed}\"}}\n//- result\n{}\n", output(seed))
}

/// So many runs, each answered by the next.
fn runs(count: usize) -> Conversation {
    let all: String = (0..count).map(run).collect();
    parse_fixture(&format!("//- user\nBuild it.\n{all}//- assistant\nDone."))
}

/// A planner that has saved something already, so that it may pay for a rewrite.
fn plan(conversation: &Conversation, prices: PriceCard, gap_ms: i64) -> (Planner, Vec<PlanStep>) {
    plan_with(conversation, prices, gap_ms, |_, _| {})
}

fn plan_with(
    conversation: &Conversation,
    prices: PriceCard,
    gap_ms: i64,
    before: impl Fn(&mut Planner, usize),
) -> (Planner, Vec<PlanStep>) {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    let mut planner = Planner::new(settings(), prices);
    let step = |(at, answer): (usize, EntryIndex)| {
        before(&mut planner, at);
        let now = Timestamp(at as i64 * gap_ms);
        planner.advance(&record, answer, Some(now))
    };
    let steps = answers_to_plan(&record).into_iter().enumerate().map(step).collect();
    (planner, steps)
}

fn looked_once(steps: &[PlanStep]) -> Vec<bool> {
    steps.iter().map(|step| step.rewrite == Some(RewriteReason::LookedOnce)).collect()
}

#[test]
fn output_goes_at_the_request_after_the_one_that_showed_it() {
    let conversation = runs(3);
    let (planner, steps) = plan(&conversation, PriceCard::anthropic_5m(), 1_000);
    assert_eq!(looked_once(&steps), [false, false, true, true, true]);
    for (step, result) in steps[2..4].iter().zip([2, 4]) {
        assert_eq!(step.kept, result, "all before it stays");
        assert!(step.changed.iter().any(|(index, _)| *index == EntryIndex(result as u32)));
    }
    let shown = |at: u32| {
        sent_text(&conversation.entries()[at as usize], planner.entry_state(EntryIndex(at)))
    };
    let left = shown(2);
    assert!(left.contains("error: nothing is called so0\n"), "{left}");
    assert!(left.contains("60 lines"), "{left}");
    assert_eq!(left.lines().count(), 3, "{left}");
}

#[test]
fn what_is_not_answered_stays() {
    let text = format!("//- user\nBuild it.\n{}//- user\nWell?\n//- user\nWell?", run(0));
    let conversation = parse_fixture(&text);
    let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
    let mut planner = Planner::new(settings(), PriceCard::find("openai-before").expect("known"));
    for entries in 3..=5 {
        let step = planner.advance(&record, EntryIndex(entries), None);
        assert_eq!(step.rewrite, None, "{entries}");
    }
}

#[test]
fn what_is_read_like_a_file_stays() {
    let lines: String =
        (1..80).map(|at| format!("{at}\tlet value = call({at}, {});\n", at * 31)).collect();
    let diff: String =
        (1..80).map(|at| format!("+let value = call({at}, {});\n", at * 31)).collect();
    let calls = [
        format!("//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- result\n{lines}"),
        format!("//- call Bash {{\"command\":\"git diff\"}}\n//- result\n@@ -1,2 +1,80 @@\n{diff}"),
        format!("//- call Task {{\"prompt\":\"look\"}}\n//- result\n{}", output(1)),
        format!("//- call WebFetch {{\"url\":\"http://a.b\"}}\n//- result\n{}", output(2)),
    ];
    for call in calls {
        let text = format!("//- user\nGo.\n{call}\n{}{}//- assistant\nSo.", run(8), run(9));
        let (planner, steps) = plan(&parse_fixture(&text), PriceCard::anthropic_5m(), 1_000);
        assert!(looked_once(&steps).contains(&true), "{call}");
        assert_eq!(planner.entry_state(EntryIndex(2)).level, ReductionLevel::Arrival, "{call}");
    }
}

/// The level of a read that runs follow, where reads may go after one look.
fn level_of_read(uses_min: f64, score: Option<Arc<dyn ReusePredictor>>) -> ReductionLevel {
    let lines: String =
        (1..80).map(|at| format!("{at}\tlet v = call({at}, {});\n", at * 31)).collect();
    let read = format!("//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- result\n{lines}");
    let text = format!("//- user\nGo.\n{}{read}\n{}//- assistant\nSo.", run(7), run(8));
    let mut settings = settings();
    let once = settings.rewrite.as_mut().and_then(|rewrite| rewrite.look_once.as_mut());
    once.expect("it looks once").reads = Some(EarlyReadReduction { after: 1, uses_min });
    let record = ConversationRecord::from_conversation(parse_fixture(&text), Tokenizer::O200k);
    let mut planner = Planner::new(settings, PriceCard::anthropic_5m());
    if let Some(score) = score {
        planner = planner.with_reuse_predictor(score);
    }
    for (at, answer) in answers_to_plan(&record).into_iter().enumerate() {
        planner.advance(&record, answer, Some(Timestamp(at as i64 * 1_000)));
    }
    planner.entry_state(EntryIndex(4)).level
}

#[test]
fn reads_may_go_after_a_look_where_hardly_a_use_is_expected() {
    assert_eq!(level_of_read(0.0, None), ReductionLevel::Arrival);
    assert_eq!(level_of_read(f64::INFINITY, None), ReductionLevel::Reduced);
}

#[test]
fn another_score_judges_in_place_of_the_regression() {
    #[derive(Debug)]
    struct Always(Option<f64>);
    impl ReusePredictor for Always {
        fn probability(&self, _: EntryIndex, _: u32) -> Option<f64> {
            self.0
        }
    }
    let level = |said| level_of_read(0.000_1, Some(Arc::new(Always(said))));
    assert_eq!(level(Some(0.0)), ReductionLevel::Reduced);
    assert_eq!(level(Some(1.0)), ReductionLevel::Arrival);
    assert_eq!(level(None), ReductionLevel::Arrival, "the regression is asked");
}

#[test]
fn it_is_paid_for_with_what_was_saved() {
    // Hits go after two requests. The answer to them is ten times as long as they are: to write it
    // again costs more than there is, however much the requests to come would save.
    let hits: String =
        (0..90).map(|at| format!("src/a{at}.rs:{at}: call({})\n", at * 31)).collect();
    let words: String = (0..4_000).map(|at| format!("word{at} ")).collect();
    let text = |said: &str| {
        let on = "//- user\nOn.\n//- assistant\nSo.\n".repeat(2);
        let hits = format!("//- call Grep {{\"pattern\":\"call\"}}\n//- result\n{hits}");
        format!("//- user\nGo.\n{hits}//- assistant\n{said}\n{on}")
    };
    let ask = |said: &str, prices| {
        let (_, steps) = plan(&parse_fixture(&text(said)), prices, 1_000);
        looked_once(&steps)
    };
    let prices = PriceCard::anthropic_5m();
    assert_eq!(ask(&words, prices.clone()), [false; 5]);
    assert_eq!(ask("So.", prices.clone()), [false, false, false, true, false]);
    let same = PriceCard { cache_write: prices.cache_read, ..prices };
    assert_eq!(ask(&words, same), [false, false, false, true, false]);
}

#[test]
fn what_was_kept_up_to_marks_must_be_found_again() {
    let marks = PriceCard::anthropic_5m();
    let lookback = marks.cache_lookback_blocks.expect("it is documented");
    let without_marks = PriceCard { cache_lookback_blocks: None, ..marks.clone() };
    let conversation = runs(3);
    let ask = |prices: &PriceCard, can: bool| {
        let (_, steps) = plan_with(&conversation, prices.clone(), 1_000, |planner, _| {
            planner.set_can_keep_answer(can);
        });
        assert!(steps.iter().all(|step| step.keeps_answer == (can && *prices == marks)));
        looked_once(&steps).contains(&true)
    };
    assert!(ask(&marks, true) && ask(&without_marks, false));
    assert!(!ask(&marks, false), "no answer was kept");
    // Calls side by side, in numbers over which nothing is found.
    let many = |count: usize| {
        let calls: String =
            (0..count).map(|at| format!("//- call Bash {{\"command\":\"x {at}\"}}\n")).collect();
        let results: String =
            (0..count).map(|at| format!("//- result\n{}\n", output(at))).collect();
        let text = format!(
            "//- user\nGo.\n{}{calls}{results}//- assistant\nSo.\n//- user\nOn.\n//- assistant\nSo.",
            run(99)
        );
        let (_, steps) = plan(&parse_fixture(&text), marks.clone(), 1_000);
        looked_once(&steps)[3]
    };
    assert!(many(3));
    assert!(!many(lookback as usize));
}

#[test]
fn what_has_expired_is_written_anyway() {
    // The last pause is longer than the cache lives: all goes that may, and that is the reason.
    let prices = PriceCard::anthropic_5m();
    let lifetime = prices.cache_lifetime_ms.expect("it expires");
    let (_, steps) = plan(&runs(3), prices, lifetime + 1);
    let reasons: Vec<_> = steps.iter().filter_map(|step| step.rewrite).collect();
    assert_eq!(reasons, [RewriteReason::CacheCold; 3]);
}

#[test]
fn what_is_pointed_at_stays() {
    // To take it away would have what points at it say it all again.
    let hits: String =
        (0..90).map(|at| format!("src/a{at}.rs:{at}: call({})\n", at * 31)).collect();
    let grep = format!("//- call Grep {{\"pattern\":\"call\"}}\n//- result\n{hits}");
    let on = "//- assistant\nSo.\n//- user\nOn.\n".repeat(2);
    let level = |again: &str| {
        let text = format!("//- user\nGo.\n{}{grep}{again}{on}//- assistant\nSo.", run(1));
        let (planner, _) = plan(&parse_fixture(&text), PriceCard::anthropic_5m(), 1_000);
        planner.entry_state(EntryIndex(4)).level
    };
    assert_eq!(level(""), ReductionLevel::Reduced);
    assert_eq!(level(&grep), ReductionLevel::Arrival);
}
