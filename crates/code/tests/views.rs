//! The built-in curator as the engine asks it: what a prompt then shows, and the laws.

use std::cell::Cell;
use std::sync::Arc;

use foveal_code::LINES_CURATED_MAX;
use foveal_code::views::CuratedViews;
use foveal_context::engine::Engine;
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::record::Record;
use foveal_context::settings::Settings;
use foveal_context::settings::{CurateSettings, OldReads};
use foveal_context::step::Step;
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_context::views::{Amount, Read, ReadText, View, Views, Wanted};
use foveal_testkit::laws::{
    self, Law, Scope, Subject, content, determinism, frozen, pointers, rewrites, viewed,
};
use foveal_testkit::{fixture, prompt, scripts};
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

/// What the last prompt shows of a read of [`SOURCE`] under `settings`.
fn shown(settings: Settings, task: &str, then: &str) -> String {
    shown_of(SOURCE, settings, task, then)
}

fn shown_of(source: &str, settings: Settings, task: &str, then: &str) -> String {
    let numbered: String =
        (1..).zip(source.lines()).map(|(at, line)| format!("{at:6}\u{2192}{line}\n")).collect();
    let read = format!("//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- result\n{numbered}");
    let text = format!("//- user\n{task}\n{read}{then}");
    let planner = Planner::new(settings, PriceCard::anthropic_5m());
    let planner = planner.with_views(Arc::new(CuratedViews::default()));
    let shown = prompt(&fixture(&text), Projector::Engine(Box::new(planner)));
    let of_read = shown.split("//- ").nth(3).and_then(|entry| entry.split_once('\n'));
    of_read.map_or_else(String::new, |(_, text)| text.to_owned())
}

fn curating(lines_min: u32) -> Settings {
    let curate =
        CurateSettings { lines_min, amount: Amount::Share(0.5), saving_min: 0.1, again: false };
    Settings { curate: Some(curate), ..Settings::lossless() }
}

/// What one wants of a text of so many lines, each of one letter.
fn is_chosen(lines: usize) -> bool {
    let record = Record::of(fixture("//- user\nWhere is a?"), Tokenizer::Bytes);
    let text = "a\n".repeat(lines);
    let read = Read {
        path: "a.txt",
        text: &ReadText::from(&*text),
        first: LineNumber(1),
        record: &record,
        upto: EntryIndex(1),
    };
    CuratedViews::default().view(&read, Wanted::Summary(Tokens(50))).is_some()
}

#[test]
fn nothing_is_chosen_of_more_lines_than_are_held() {
    assert!(is_chosen(LINES_CURATED_MAX));
    assert!(!is_chosen(LINES_CURATED_MAX + 1));
}

#[test]
fn a_first_read_shows_what_is_asked_for() {
    // Which lines these are is the ranking's to say; the one named by number is among them.
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
    let planner = planner.with_views(Arc::new(CuratedViews::default()));
    let conversation = fixture(&format!("//- user\nLook.\n{range}{numbered}"));
    let prompt = prompt(&conversation, Projector::Engine(Box::new(planner)));
    assert!(prompt.ends_with(&numbered), "{prompt}");
}

#[test]
fn an_old_read_is_summarised() {
    let mut settings = viewed();
    settings.curate = None;
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.old_reads = Some(OldReads { lines_min: 1, wanted: Wanted::Summary(Tokens(70)) });
    }
    let talk = "//- assistant\nHm.\n//- user\nGo on.\n".repeat(2);
    let then = format!("{talk}//- assistant\nHm.\n//- user @+301s\nNow `render`.");
    // A quarter of what stands is not enough for a signature, of more it is.
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

/// Foresees what it is asked about, as long as it may.
#[derive(Debug)]
struct Foreseeing(CuratedViews);

impl Default for Foreseeing {
    fn default() -> Self {
        Self(CuratedViews::default().remembering(1 << 20))
    }
}

impl Views for Foreseeing {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        self.0.view(read, wanted)
    }

    fn foreseen(
        &self,
        reads: &[(Read<'_>, Wanted)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<View>> {
        let may_go_on = reads.iter().take_while(|_| go_on());
        may_go_on.map(|(read, wanted)| self.view(read, *wanted)).collect()
    }
}

#[test]
fn a_summary_that_is_remembered_is_made_anew_for_another_question() {
    let rest = "// Tabs are as wide as eight other characters, wherever they stand.\n".repeat(8);
    let long = format!("{SOURCE}\n{rest}");
    let asked = "//- assistant\nI look at width.\n//- user\nAnd parse?";
    let task = format!("//- user\nLook.\n{asked}\n{asked} It fails at /w/a.rs:15.\n");
    let record = Record::of(fixture(&task), Tokenizer::O200k);
    let long = ReadText::from(&*long);
    let read = |upto| Read {
        record: &record,
        upto: EntryIndex(upto),
        path: "/w/a.rs",
        first: LineNumber(1),
        text: &long,
    };
    let remembers = CuratedViews::default().remembering(1 << 20);
    let mut all = Vec::new();
    for (upto, tokens) in [(1, 60), (2, 60), (2, 60), (3, 60), (3, 90), (5, 90), (1, 60)] {
        let wanted = Wanted::Summary(Tokens(tokens));
        let view = remembers.view(&read(upto), wanted).expect("a view");
        assert_eq!(Some(&view), CuratedViews::default().view(&read(upto), wanted).as_ref());
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
    assert!(remembers.is_ready(&read(1)));
    assert!(!remembers.is_ready(&Read { path: "/w/b.rs", ..read(1) }));
}

/// What holds at every request with the built-in curator.
const LAWS: &[Law] = &[
    content::handles_resolve,
    content::nothing_grows,
    content::the_rest_is_untouched,
    frozen::law,
    pointers::asking_twice_helps,
    pointers::none_dangles,
    pointers::gaps_are_noted,
    pointers::notes_are_true,
    rewrites::law,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_remembered_of_files_changes_no_decision(script in scripts(30), bytes_max in 0..4_000usize) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        let ready = CuratedViews::default().remembering(bytes_max);
        ready.get_ready("/w/a.rs", SOURCE, ContentHash::of(SOURCE.as_bytes()));
        let steps = |views: CuratedViews| -> Vec<Step> {
            let planner = Planner::new(viewed(), PriceCard::anthropic_5m());
            let mut planner = planner.with_views(Arc::new(views));
            let answers = laws::answers(&record).into_iter();
            answers.map(|at| planner.advance(&record, at, laws::request_time(&record, at))).collect()
        };
        prop_assert_eq!(steps(ready), steps(CuratedViews::default()));
    }

    #[test]
    fn getting_ready_between_requests_changes_no_decision(script in scripts(30), most in 0..40usize) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        let steps = |views: Arc<dyn Views>, gets_ready: bool| -> Vec<Step> {
            let planner = Planner::new(viewed(), PriceCard::anthropic_5m()).with_views(views);
            let empty = record.conversation().emptied();
            let mut engine = Engine::new(empty, Tokenizer::O200k, planner);
            let mut steps = Vec::new();
            let mut from = 0;
            for answer in laws::answers(&record) {
                for entry in &record.entries()[from..answer.at()] {
                    engine.push(entry.clone());
                }
                from = answer.at();
                steps.push(engine.plan(laws::request_time(&record, answer)));
                if gets_ready {
                    let asked = Cell::new(0);
                    engine.get_ready(&|| asked.replace(asked.get() + 1) < most);
                }
            }
            steps
        };
        let plain = steps(Arc::new(CuratedViews::default()), false);
        let foreseen = Arc::new(Foreseeing::default());
        prop_assert_eq!(steps(Arc::clone(&foreseen) as _, true), plain);
    }

    #[test]
    fn the_laws_hold_of_generated_conversations(script in scripts(30), at in 0..1000usize) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        let views: Arc<dyn foveal_context::views::Views> = Arc::new(CuratedViews::default());
        let subject = Subject::engine_with(viewed(), Arc::clone(&views));
        laws::check(&record, subject, Scope::Everything, LAWS);
        determinism::resuming_changes_nothing(&viewed(), &views, &record, [at]);
    }
}
