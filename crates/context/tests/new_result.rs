//! One new result against what is visible: the same as a planner that never rewrites decides.

use std::sync::Arc;

use foveal_context::new_result::NewResult;
use foveal_context::note::{Note, NoteKind};
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::record::Record;
use foveal_context::room::Room;
use foveal_context::settings::Settings;
use foveal_context::shape::Decision;
use foveal_context::tokens::Tokenizer;
use foveal_context::views::{Read, View, Views, Wanted};
use foveal_context::visible::Visible;
use foveal_testkit::laws::{answers, viewed};
use foveal_testkit::{fixture, scripts};
use foveal_transcript::{EntryIndex, LineNumber, Mark, Role};
use proptest::prelude::*;

/// Shows the first lines of every read.
#[derive(Debug)]
struct Beginning;

impl Views for Beginning {
    fn view(&self, read: &Read<'_>, _: Wanted) -> Option<View> {
        let last = LineNumber(read.first.0 + 2);
        Some(View { lines: vec![(read.first, last)], ..View::default() })
    }
}

/// Every three lines of a file are one statement.
#[derive(Debug)]
struct ThreeLines;

impl Views for ThreeLines {
    fn view(&self, _: &Read<'_>, _: Wanted) -> Option<View> {
        None
    }

    fn whole_until(
        &self,
        path: &str,
        text: &str,
        (first, last): (LineNumber, LineNumber),
    ) -> Option<LineNumber> {
        assert_eq!((path, first), ("/w/a.rs", LineNumber(1)));
        assert!(text.starts_with("line 1\nline 2\n"), "{text}");
        Some(LineNumber(last.0 - last.0 % 3))
    }
}

#[test]
fn a_file_without_room_ends_with_a_statement() {
    let content: String = (1..=300).map(|at| format!("{at}\tline {at}\n")).collect();
    let read = format!("//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- result\n{content}");
    let record = Record::of(fixture(&read), Tokenizer::O200k);
    let content = &record.entry(EntryIndex(record.len() as u32 - 1)).result().unwrap().content;
    let settings = Settings { rewrite: None, ..Settings::lossless() };
    let lines_sent = |bytes: usize, views: Option<&dyn Views>| {
        let room = Room { bytes, ..Room::UNBOUNDED };
        let visible = Visible::default();
        let settings = &settings;
        let new =
            NewResult { record: &record, visible: &visible, settings, views, room, end_bytes: 0 };
        let decision = new.decide();
        let shape = decision.shape().expect("there is no room for all");
        let sent = shape.render(content);
        assert!(room.holds(&sent), "{sent}");
        let lines = sent.lines().take_while(|line| line.contains('\t')).count();
        let note = &shape.gaps().next().expect("a gap").note.kind;
        assert_eq!(*note, NoteKind::NoRoom { line: lines as u32 + 1, from_byte: 0 }, "{sent}");
        lines
    };
    let mut cut_inside = 0;
    for bytes in 400..460 {
        let by_line = lines_sent(bytes, None);
        assert_eq!(lines_sent(bytes, Some(&ThreeLines)), by_line - by_line % 3, "{bytes}");
        cut_inside += usize::from(by_line % 3 != 0);
    }
    assert!(cut_inside > 20, "{cut_inside}");
}

/// The decisions on all entries, each result taken by itself.
fn one_by_one(record: &Record, settings: &Settings) -> Vec<Decision> {
    let mut so_far = Record::of(record.conversation().emptied(), record.tokenizer());
    let mut visible = Visible::default();
    let mut decisions = Vec::new();
    for entry in record.entries() {
        let index = so_far.push(entry.clone());
        let new = NewResult {
            record: &so_far,
            visible: &visible,
            settings,
            views: Some(&Beginning),
            room: Room::UNBOUNDED,
            end_bytes: 0,
        };
        let decision = match entry.role {
            Role::Tool => new.decide(),
            Role::System | Role::User | Role::Assistant => Decision::Keep,
        };
        visible.show(&so_far, index, &decision);
        decisions.push(decision);
    }
    decisions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn is_shaped_as_by_a_planner_that_never_rewrites(script in scripts(40)) {
        let conversation = script.conversation();
        let cut = |mark: Mark| matches!(mark, Mark::CompactBoundary { .. } | Mark::Rewind { .. });
        let until = conversation.entries().iter().position(|entry| cut(entry.mark));
        let mut uncut = conversation.emptied();
        for entry in &conversation.entries()[..until.unwrap_or(conversation.entries().len())] {
            uncut.push(entry.clone());
        }
        let record = Record::of(uncut, Tokenizer::O200k);
        let settings = Settings { rewrite: None, ..viewed() };
        let decisions = one_by_one(&record, &settings);
        let mut planner = Planner::new(settings, PriceCard::anthropic_5m());
        planner = planner.with_views(Arc::new(Beginning));
        for answer in answers(&record) {
            planner.advance(&record, answer, None);
            for index in (0..answer.0).map(EntryIndex) {
                let (one, other) = (&decisions[index.at()], &planner.item(index).decision);
                prop_assert_eq!(one.shape(), other.shape(), "{:?}", index);
            }
        }
    }

    #[test]
    fn what_is_sent_fits_and_begins_as_it_would_with_more_room(
        script in scripts(40),
        bytes in 300..3_000usize,
    ) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        let room = Room { bytes, lines: 60, ..Room::UNBOUNDED };
        let settings = Settings { rewrite: None, ..viewed() };
        let mut so_far = Record::of(record.conversation().emptied(), record.tokenizer());
        let mut visible = Visible::default();
        for entry in record.entries() {
            let index = so_far.push(entry.clone());
            let mut decision = Decision::Keep;
            if let Some(result) = entry.result() {
                let new = NewResult {
                    record: &so_far,
                    visible: &visible,
                    settings: &settings,
                    views: Some(&Beginning),
                    room: Room::UNBOUNDED,
            end_bytes: 0,
                };
                let (wide, fitted) = (new.decide(), NewResult { room, ..new }.decide());
                let text = |decision: &Decision| match decision.shape() {
                    Some(shape) => shape.render(&result.content),
                    None => result.content.clone(),
                };
                let (all, sent) = (text(&wide), text(&fitted));
                prop_assert!(room.holds(&sent), "{}", sent);
                prop_assert_eq!(sent == all, room.holds(&all));
                if sent != all {
                    let shape = fitted.shape().expect("something is left out");
                    prop_assert_eq!(Some(shape.handle), so_far.facts(index).handle());
                    // What is left out begins where the note says.
                    let is_note = |note: &Note| matches!(note.kind, NoteKind::NoRoom { .. });
                    let gap = shape.gaps().find(|gap| is_note(gap.note)).expect("a gap");
                    let NoteKind::NoRoom { line, from_byte } = gap.note.kind else { panic!() };
                    let (kept, end) = sent.split_once(&gap.note.to_string()).expect("a note");
                    prop_assert!(all.starts_with(kept.trim_end_matches('\n')), "{}", sent);
                    let end = end.strip_prefix('\n').unwrap_or(end);
                    prop_assert!(result.content.ends_with(end), "{}", sent);
                    prop_assert_eq!(gap.bytes.end as usize + end.len(), result.content.len());
                    let lines = result.content.split_inclusive('\n');
                    let before: usize = lines.take(line as usize - 1).map(str::len).sum();
                    let told = before + from_byte as usize;
                    let between = &result.content[gap.bytes.start as usize..told];
                    prop_assert!(matches!(between, "" | "\n"), "{}", between);
                }
                decision = fitted;
            }
            visible.show(&so_far, index, &decision);
        }
    }

    #[test]
    fn what_was_recorded_is_visible_as_far_as_it_is_in_the_prompt(script in scripts(40)) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        let visible = Visible::as_recorded(&record);
        let settings = Settings { rewrite: None, ..Settings::lossless() };
        let mut planner = Planner::new(settings, PriceCard::anthropic_5m());
        planner.advance(&record, EntryIndex(record.len() as u32), None);
        let entries: Vec<_> = visible.ledger().entries().collect();
        prop_assert_eq!(entries, planner.window());
    }
}
