//! Tests of the built-in curator as the engine's view source: the resulting prompts, and the laws.

use std::cell::Cell;
use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::engine::Engine;
use foveal_engine::plan_step::PlanStep;
use foveal_engine::planner::Planner;
use foveal_engine::projector::Projector;
use foveal_engine::settings::Settings;
use foveal_engine::settings::{CurateSettings, OldReadSettings};
use foveal_engine::views::{
    CurationAmount, LineSelection, ReadContext, ReadText, ViewRequest, ViewSource,
};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_relevance::curated_view_source::LINES_CURATED_MAX;
use foveal_testkit::laws::{
    self, CheckScope, Law, LawSubject, content, determinism, eager_view_settings, frozen_prefix,
    pointers, rewrites,
};
use foveal_testkit::{conversation_scripts, parse_fixture, prompt_text};
use foveal_transcript::{ContentHash, EntryIndex, LineNumber};
use proptest::prelude::*;

const SOURCE: &str = "\
use std::fmt;

pub struct Line {
    text: String,
}

pub fn parse(text: &str) -> Line {
    let trimmed = text.trim();
    let owned = trimmed.to_owned();
    Line { text: owned }
}

pub fn render(line: &Line) -> String {
    let mut out = String::new();
    out.push_str(&line.text);
    out.push('\\n');
    out
}

fn width(line: &Line) -> usize {
    let tabs = line.text.matches('\\t').count();
    let rest = line.text.chars().count() - tabs;
    rest + tabs * 8
}
";

/// Returns the text of a read of [`SOURCE`] in the last prompt under `settings`.
fn shown(settings: Settings, task: &str, then: &str) -> String {
    shown_of(SOURCE, settings, task, then)
}

fn shown_of(source: &str, settings: Settings, task: &str, then: &str) -> String {
    let numbered: String =
        (1..).zip(source.lines()).map(|(at, line)| format!("{at:6}\u{2192}{line}\n")).collect();
    let read = format!("//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- result\n{numbered}");
    let text = format!("//- user\n{task}\n{read}{then}");
    let planner = Planner::new(settings, PriceCard::anthropic_5m());
    let planner = planner.with_view_source(Arc::new(CuratedViewSource::default()));
    let shown = prompt_text(&parse_fixture(&text), Projector::Engine(Box::new(planner)));
    let of_read = shown.split("//- ").nth(3).and_then(|entry| entry.split_once('\n'));
    of_read.map_or_else(String::new, |(_, text)| text.to_owned())
}

fn curating(lines_min: u32) -> Settings {
    let curate = CurateSettings {
        lines_min,
        amount: CurationAmount::Share(0.5),
        saving_min: 0.1,
        again: false,
        states_share: true,
    };
    Settings { curate: Some(curate), ..Settings::lossless() }
}

/// Returns whether a text of `lines` one-letter lines gets a view.
fn is_chosen(lines: usize) -> bool {
    let record = ConversationRecord::from_conversation(
        parse_fixture("//- user\nWhere is a?"),
        Tokenizer::Bytes,
    );
    let text = "a\n".repeat(lines);
    let read = ReadContext {
        path: "a.txt",
        text: &ReadText::from(&*text),
        first: LineNumber(1),
        record: &record,
        upto: EntryIndex(1),
    };
    CuratedViewSource::default().choose_view(&read, ViewRequest::Summary(Tokens(50))).is_some()
}

#[test]
fn nothing_is_chosen_of_more_lines_than_are_held() {
    assert!(is_chosen(LINES_CURATED_MAX));
    assert!(!is_chosen(LINES_CURATED_MAX + 1));
}

#[test]
fn a_first_read_shows_what_is_asked_for() {
    // The ranking selects the other lines; the mentioned one must be among them.
    let task = "Why does `width` in a.rs:21 count tabs twice?";
    let of_long = shown(curating(10), task, "");
    assert!(of_long.contains("let tabs = line.text.matches('\\t').count();"), "{of_long}");
    assert!(of_long.contains(" left out"), "{of_long}");
    assert_eq!(of_long.matches("; expand ").count(), 1, "{of_long}");
    let of_short = shown(curating(100), task, "");
    assert_eq!(of_short.lines().count(), SOURCE.lines().count(), "{of_short}");
}

#[test]
fn a_range_is_shown_as_it_was_asked_for() {
    let range = "//- call Read {\"file_path\":\"/w/a.rs\",\"offset\":6,\"limit\":5}\n//- result\n";
    let rows = SOURCE.lines().skip(5).take(5);
    let numbered: String =
        (6..).zip(rows).map(|(at, line)| format!("{at:6}\u{2192}{line}\n")).collect();
    let planner = Planner::new(curating(1), PriceCard::anthropic_5m());
    let planner = planner.with_view_source(Arc::new(CuratedViewSource::default()));
    let conversation = parse_fixture(&format!("//- user\nLook.\n{range}{numbered}"));
    let prompt = prompt_text(&conversation, Projector::Engine(Box::new(planner)));
    assert!(prompt.ends_with(&numbered), "{prompt}");
}

#[test]
fn an_old_read_is_summarised() {
    let mut settings = eager_view_settings();
    settings.curate = None;
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.old_reads =
            Some(OldReadSettings { lines_min: 1, wanted: ViewRequest::Summary(Tokens(70)) });
    }
    let talk = "//- assistant\nHm.\n//- user\nGo on.\n".repeat(2);
    let then = format!("{talk}//- assistant\nHm.\n//- user @+301s\nNow `render`.");
    // A quarter of the lines is not enough for a signature; a larger share is.
    let brief = "[1-24 left out: Line, text, parse, render, width; expand 39c1c1528ed9]";
    assert_eq!(shown(settings.clone(), "Look at it.", &then).trim_end(), brief);
    let rest = "// Tabs are as wide as eight other characters, wherever they stand.\n".repeat(8);
    let long = format!("{SOURCE}\n{rest}");
    let expected = "\
[1-12 left out: Line, text, parse; expand 8183466d2044]
[render: uses Line, text]
    13→pub fn render(line: &Line) -> String {
[14-33 left out: width]";
    assert_eq!(shown_of(&long, settings, "Look at it.", &then).trim_end(), expected);
}

/// A view source that predicts views as long as it may.
#[derive(Debug)]
struct Foreseeing(CuratedViewSource);

impl Default for Foreseeing {
    fn default() -> Self {
        Self(CuratedViewSource::default().with_cache_limit(1 << 20))
    }
}

impl ViewSource for Foreseeing {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.0.choose_view(read, wanted)
    }

    fn predict_views(
        &self,
        reads: &[(ReadContext<'_>, ViewRequest)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<LineSelection>> {
        let may_go_on = reads.iter().take_while(|_| go_on());
        may_go_on.map(|(read, wanted)| self.choose_view(read, *wanted)).collect()
    }
}

#[test]
fn a_summary_that_is_remembered_is_made_anew_for_another_question() {
    let rest = "// Tabs are as wide as eight other characters, wherever they stand.\n".repeat(8);
    let long = format!("{SOURCE}\n{rest}");
    let asked = "//- assistant\nI look at width.\n//- user\nAnd parse?";
    let task = format!("//- user\nLook.\n{asked}\n{asked} It fails at /w/a.rs:15.\n");
    let record = ConversationRecord::from_conversation(parse_fixture(&task), Tokenizer::O200k);
    let long = ReadText::from(&*long);
    let read = |upto| ReadContext {
        record: &record,
        upto: EntryIndex(upto),
        path: "/w/a.rs",
        first: LineNumber(1),
        text: &long,
    };
    let remembers = CuratedViewSource::default().with_cache_limit(1 << 20);
    let mut all = Vec::new();
    for (upto, tokens) in [(1, 60), (2, 60), (2, 60), (3, 60), (3, 90), (5, 90), (1, 60)] {
        let wanted = ViewRequest::Summary(Tokens(tokens));
        let view = remembers.choose_view(&read(upto), wanted).expect("a view");
        assert_eq!(
            Some(&view),
            CuratedViewSource::default().choose_view(&read(upto), wanted).as_ref()
        );
        all.push(view);
    }
    assert!(
        all[0] != all[1]
            && all[1] == all[2]
            && all[3] != all[4]
            && all[4] != all[5]
            && all[0] == all[6],
        "{all:?}"
    );
    assert!(remembers.is_file_cached(&read(1)));
    assert!(!remembers.is_file_cached(&ReadContext { path: "/w/b.rs", ..read(1) }));
}

/// The laws that hold at every request with the built-in curator.
const LAWS: &[Law] = &[
    content::handles_resolve,
    content::replacements_are_smaller,
    content::other_content_is_unchanged,
    frozen_prefix::prefix_is_frozen,
    pointers::repeated_calls_return_content,
    pointers::pointers_resolve,
    pointers::omissions_are_noted,
    pointers::notes_are_true,
    rewrites::rewrites_are_justified,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_remembered_of_files_changes_no_decision(script in conversation_scripts(30), bytes_max in 0..4_000usize) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let ready = CuratedViewSource::default().with_cache_limit(bytes_max);
        ready.prefetch_file("/w/a.rs", SOURCE, ContentHash::from_content(SOURCE.as_bytes()));
        let steps = |views: CuratedViewSource| -> Vec<PlanStep> {
            let planner = Planner::new(eager_view_settings(), PriceCard::anthropic_5m());
            let mut planner = planner.with_view_source(Arc::new(views));
            let answers = laws::answers_to_plan(&record).into_iter();
            answers.map(|at| planner.advance(&record, at, laws::request_time(&record, at))).collect()
        };
        prop_assert_eq!(steps(ready), steps(CuratedViewSource::default()));
    }

    #[test]
    fn getting_ready_between_requests_changes_no_decision(script in conversation_scripts(30), most in 0..40usize) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let steps = |views: Arc<dyn ViewSource>, gets_ready: bool| -> Vec<PlanStep> {
            let planner = Planner::new(eager_view_settings(), PriceCard::anthropic_5m()).with_view_source(views);
            let empty = record.conversation().without_entries();
            let mut engine = Engine::new(empty, Tokenizer::O200k, planner);
            let mut steps = Vec::new();
            let mut from = 0;
            for answer in laws::answers_to_plan(&record) {
                for entry in &record.entries()[from..answer.as_usize()] {
                    engine.push(entry.clone());
                }
                from = answer.as_usize();
                steps.push(engine.plan(laws::request_time(&record, answer)));
                if gets_ready {
                    let asked = Cell::new(0);
                    engine.prepare_rewrite(&|| asked.replace(asked.get() + 1) < most);
                }
            }
            steps
        };
        let plain = steps(Arc::new(CuratedViewSource::default()), false);
        let foreseen = Arc::new(Foreseeing::default());
        prop_assert_eq!(steps(Arc::clone(&foreseen) as _, true), plain);
    }

    #[test]
    fn the_laws_hold_of_generated_conversations(script in conversation_scripts(30), at in 0..1000usize) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let views: Arc<dyn foveal_engine::views::ViewSource> = Arc::new(CuratedViewSource::default());
        let subject = LawSubject::from_settings_and_views(eager_view_settings(), Arc::clone(&views));
        laws::check_laws(&record, subject, CheckScope::WholePrompt, LAWS);
        determinism::resuming_is_deterministic(&eager_view_settings(), &views, &record, [at]);
    }
}
