//! One new result against what is visible: the same as a planner that never rewrites decides.

use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::Decision;
use foveal_engine::new_result::NewResultShaper;
use foveal_engine::note::{Note, NoteKind};
use foveal_engine::output_budget::OutputBudget;
use foveal_engine::planner::Planner;
use foveal_engine::settings::Settings;
use foveal_engine::views::{LineSelection, ReadContext, ViewRequest, ViewSource};
use foveal_engine::visible_prompt::VisiblePrompt;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_testkit::laws::{answers_to_plan, eager_view_settings};
use foveal_testkit::{conversation_scripts, parse_fixture};
use foveal_transcript::{EntryIndex, EntryMark, LineNumber, MessageRole};
use proptest::prelude::*;

/// Shows the first lines of every read.
#[derive(Debug)]
struct Beginning;

impl ViewSource for Beginning {
    fn choose_view(&self, read: &ReadContext<'_>, _: ViewRequest) -> Option<LineSelection> {
        let last = LineNumber(read.first.0 + 2);
        Some(LineSelection { lines: vec![(read.first, last)], ..LineSelection::default() })
    }
}

/// Every three lines of a file are one statement.
#[derive(Debug)]
struct ThreeLines;

impl ViewSource for ThreeLines {
    fn choose_view(&self, _: &ReadContext<'_>, _: ViewRequest) -> Option<LineSelection> {
        None
    }

    fn last_complete_line(
        &self,
        path: &str,
        text: &str,
        first: LineNumber,
        last: LineNumber,
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
    let record = ConversationRecord::from_conversation(parse_fixture(&read), Tokenizer::O200k);
    let content = &record.entry(EntryIndex(record.len() as u32 - 1)).tool_result().unwrap().content;
    let settings = Settings { rewrite: None, ..Settings::lossless() };
    let lines_sent = |bytes: usize, views: Option<&dyn ViewSource>| {
        let room = OutputBudget { bytes, ..OutputBudget::UNBOUNDED };
        let visible = VisiblePrompt::default();
        let settings = &settings;
        let new = NewResultShaper {
            record: &record,
            visible: &visible,
            settings,
            view_source: views,
            budget: room,
            trailing_note_bytes: 0,
        };
        let decision = new.decide();
        let shape = decision.shape().expect("there is no room for all");
        let sent = shape.render(content);
        assert!(room.fits_text(&sent), "{sent}");
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
fn one_by_one(record: &ConversationRecord, settings: &Settings) -> Vec<Decision> {
    let mut so_far = ConversationRecord::from_conversation(
        record.conversation().without_entries(),
        record.tokenizer(),
    );
    let mut visible = VisiblePrompt::default();
    let mut decisions = Vec::new();
    for entry in record.entries() {
        let index = so_far.push(entry.clone());
        let new = NewResultShaper {
            record: &so_far,
            visible: &visible,
            settings,
            view_source: Some(&Beginning),
            budget: OutputBudget::UNBOUNDED,
            trailing_note_bytes: 0,
        };
        let decision = match entry.role {
            MessageRole::Tool => new.decide(),
            MessageRole::System | MessageRole::User | MessageRole::Assistant => Decision::Keep,
        };
        visible.push_message(&so_far, index, &decision);
        decisions.push(decision);
    }
    decisions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn is_shaped_as_by_a_planner_that_never_rewrites(script in conversation_scripts(40)) {
        let conversation = script.build_conversation();
        let cut = |mark: EntryMark| matches!(mark, EntryMark::CompactBoundary { .. } | EntryMark::Rewind { .. });
        let until = conversation.entries().iter().position(|entry| cut(entry.mark));
        let mut uncut = conversation.without_entries();
        for entry in &conversation.entries()[..until.unwrap_or(conversation.entries().len())] {
            uncut.push(entry.clone());
        }
        let record = ConversationRecord::from_conversation(uncut, Tokenizer::O200k);
        let settings = Settings { rewrite: None, ..eager_view_settings() };
        let decisions = one_by_one(&record, &settings);
        let mut planner = Planner::new(settings, PriceCard::anthropic_5m());
        planner = planner.with_view_source(Arc::new(Beginning));
        for answer in answers_to_plan(&record) {
            planner.advance(&record, answer, None);
            for index in (0..answer.0).map(EntryIndex) {
                let (one, other) = (&decisions[index.as_usize()], &planner.entry_state(index).decision);
                prop_assert_eq!(one.shape(), other.shape(), "{:?}", index);
            }
        }
    }

    #[test]
    fn what_is_sent_fits_and_begins_as_it_would_with_more_room(
        script in conversation_scripts(40),
        bytes in 300..3_000usize,
    ) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let room = OutputBudget { bytes, lines: 60, ..OutputBudget::UNBOUNDED };
        let settings = Settings { rewrite: None, ..eager_view_settings() };
        let mut so_far = ConversationRecord::from_conversation(record.conversation().without_entries(), record.tokenizer());
        let mut visible = VisiblePrompt::default();
        for entry in record.entries() {
            let index = so_far.push(entry.clone());
            let mut decision = Decision::Keep;
            if let Some(result) = entry.tool_result() {
                let new = NewResultShaper {
                    record: &so_far,
                    visible: &visible,
                    settings: &settings,
                    view_source: Some(&Beginning),
                    budget: OutputBudget::UNBOUNDED,
            trailing_note_bytes: 0,
                };
                let (wide, fitted) = (new.decide(), NewResultShaper { budget: room, ..new }.decide());
                let text = |decision: &Decision| match decision.shape() {
                    Some(shape) => shape.render(&result.content),
                    None => result.content.clone(),
                };
                let (all, sent) = (text(&wide), text(&fitted));
                prop_assert!(room.fits_text(&sent), "{}", sent);
                prop_assert_eq!(sent == all, room.fits_text(&all));
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
            visible.push_message(&so_far, index, &decision);
        }
    }

    #[test]
    fn what_was_recorded_is_visible_as_far_as_it_is_in_the_prompt(script in conversation_scripts(40)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let visible = VisiblePrompt::from_record(&record);
        let settings = Settings { rewrite: None, ..Settings::lossless() };
        let mut planner = Planner::new(settings, PriceCard::anthropic_5m());
        planner.advance(&record, EntryIndex(record.len() as u32), None);
        let entries: Vec<_> = visible.ledger().entries().collect();
        prop_assert_eq!(entries, planner.window());
    }
}
