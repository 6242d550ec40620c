//! What holds of every rule on any text.

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::entry_facts::EntryFacts;
use foveal_engine::message_shape::{MessageShape, ShapePiece};
use foveal_engine::profile::Profile;
use foveal_engine::shaping::draft::ShapeDraft;
use foveal_engine::shaping::excerpt::{self, ExcerptLimits};
use foveal_engine::shaping::gutter::{self, GutterNumbers};
use foveal_engine::shaping::{
    encoded_data, file_heading, json, long_line, repeated_lines, table, terminal_noise,
};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_testkit::fixture::FixtureBuilder;
use foveal_testkit::render::advance_to_end;
use foveal_transcript::Handle;
use foveal_transcript::{Conversation, EntryIndex};
use proptest::prelude::*;
use serde_json::json;

/// A rule by itself.
pub(super) type Rule = fn(&mut ShapeDraft<'_>);

const LIMITS: ExcerptLimits = ExcerptLimits { whole_max: 90, head: 30, tail: 30, severe_lines: 30 };

const RULES: [Rule; 11] = [
    terminal_noise::cut_noise,
    repeated_lines::fold_repeated_lines,
    file_heading::group_hits_by_file,
    json::compact_json,
    |draft| table::compact_tables(draft, Tokenizer::O200k),
    |draft| encoded_data::omit_encoded_runs(draft, 12),
    |draft| long_line::shorten_long_lines(draft, 24),
    |draft| excerpt::shorten_output(draft, LIMITS),
    |draft| gutter::thin_gutters(draft, GutterNumbers::All),
    |draft| gutter::thin_gutters(draft, GutterNumbers::Every(10)),
    |_| {},
];

/// A conversation with one result of each kind, of these contents.
pub(super) fn conversation(contents: &[String]) -> Conversation {
    let calls = [
        ("Read", json!({ "file_path": "/w/a.rs" })),
        ("Grep", json!({ "pattern": "x", "path": "/w", "output_mode": "content" })),
        ("Bash", json!({ "command": "make all" })),
        ("Think", json!({})),
    ];
    let mut builder = FixtureBuilder::default();
    for content in contents {
        for (name, arguments) in &calls {
            builder.call(name, arguments.clone());
            builder.result(content, false);
        }
    }
    builder.finish()
}

/// Text such as tools print, and any other.
pub(super) fn contents() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        Just("    }".to_owned()),
        Just("error[E0308]: mismatched types".to_owned()),
        Just("waiting for the server to start".to_owned()),
        (1u32..40, "[a-z →:]{0,12}").prop_map(|(at, text)| format!("{at:6}→{text}")),
        (1u32..40, "[a-c ]{3,9}").prop_map(|(at, text)| format!("/w/src/a.rs:{at}:{text}")),
        (1u32..40, "[a-c ]{3,9}").prop_map(|(at, text)| format!("/w/a.rs-{at}-{text}")),
        "[A-Za-z0-9+/]{10,60}",
        Just("{\n  \"a  b\": [\n    1,\n    2\n  ]\n}".to_owned()),
        Just("NAME     SIZE    KIND\nä        12      x\nlonger   9 9".to_owned()),
        Just(" id | name\n----+------------\n  1 | a".to_owned()),
        "\\PC{0,30}",
        ".{0,30}",
        "[\u{1b}\r\\[0-9mok]{0,12}",
    ];
    prop::collection::vec((line, 1usize..6), 0..14).prop_map(|lines| {
        let repeated = lines.iter().flat_map(|(line, times)| vec![line.as_str(); *times]);
        repeated.collect::<Vec<_>>().join("\n")
    })
}

/// Every result of `conversation` with its facts.
pub(super) fn each_result(conversation: &Conversation, mut each: impl FnMut(&str, &EntryFacts)) {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    for (index, entry) in (0u32..).zip(conversation.entries()) {
        if let Some(result) = entry.tool_result() {
            each(&result.content, record.facts(EntryIndex(index)));
        }
    }
}

fn check_pieces(draft: &ShapeDraft<'_>) {
    let (content, facts) = (draft.content, draft.facts);
    let shape = draft.compose();
    let mut end = 0;
    for piece in &shape.pieces {
        if let ShapePiece::Keep(range) = piece {
            assert!(range.start >= end && range.start < range.end, "{:?}", shape.pieces);
            end = range.end;
        }
    }
    assert_eq!(shape.handle, Handle::from_content(content.as_bytes()));
    let shown = shape.render(content);
    let mut last = 0;
    for gap in shape.gaps() {
        assert!(last <= gap.bytes.start && gap.bytes.end as usize <= content.len(), "{gap:?}");
        assert!(shown.contains(&gap.note.to_string()), "{gap:?}");
        last = gap.bytes.end;
    }
    for at in shape.kept_lines(&facts.printed) {
        assert!(shown.contains(draft.line_text(at as usize)));
    }
    if draft.is_unmodified() {
        assert_eq!(shown, content);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn kept_bytes_are_the_originals(
        content in contents(),
        order in prop::collection::vec(0..RULES.len(), 1..6),
    ) {
        each_result(&conversation(&[content]), |content, facts| {
            for rule in RULES {
                let mut draft = ShapeDraft::new(content, facts);
                rule(&mut draft);
                check_pieces(&draft);
            }
            let mut draft = ShapeDraft::new(content, facts);
            for rule in &order {
                RULES[*rule](&mut draft);
            }
            check_pieces(&draft);
        });
    }

    #[test]
    fn nothing_grows_and_pointers_point_back(all in prop::collection::vec(contents(), 1..4)) {
        let conversation = conversation(&all);
        let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
        for name in ["lossless", "balanced", "max"] {
            let profile = Profile::find(name).expect("the profile exists");
            let mut projector = profile.new_projector(&PriceCard::anthropic_5m());
            advance_to_end(&record, &mut projector, |_| {});
            for index in projector.window() {
                let item = projector.entry_state(*index);
                prop_assert!(item.tokens <= record.facts(*index).tokens);
                let shape = item.decision.shape();
                for target in shape.map(MessageShape::referenced_entries).unwrap_or_default() {
                    prop_assert!(target < *index && projector.window().contains(&target));
                }
            }
        }
    }
}
