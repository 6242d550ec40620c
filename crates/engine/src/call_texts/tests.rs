use proptest::prelude::*;

use super::*;
use crate::message_shape::{ShapeKind, escape_json};
use crate::note::{Note, NoteKind};
use foveal_transcript::{EntryMark, MessageRole, RecordingPosition};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z\"\\\\\n\t\u{0}-\u{1f}\u{7f}ü日]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn entry(text: &str, arguments: Vec<Value>) -> TranscriptEntry {
    let call = |arguments| ToolCall { id: "1".into(), name: "Edit".into(), arguments };
    let calls = arguments.into_iter().map(|arguments| ContentBlock::Call(call(arguments)));
    TranscriptEntry {
        source: RecordingPosition { step: 1, result: None },
        role: MessageRole::Assistant,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks: [ContentBlock::Text(text.to_owned())].into_iter().chain(calls).collect(),
    }
}

proptest! {
    #[test]
    fn texts_stand_where_they_are_said_to(
        text in "[a-zü\n]{0,9}",
        arguments in prop::collection::vec(value(), 0..3),
    ) {
        let entry = entry(&text, arguments);
        let whole = entry.prompt_text();
        let placed = locate_call_texts(&entry);
        for found in &placed {
            let range = found.range.start as usize..found.range.end as usize;
            prop_assert_eq!(&whole[range], escape_json(found.value));
        }
        let texts: Vec<&str> = entry.tool_calls().flat_map(argument_texts).collect();
        prop_assert_eq!(placed.iter().map(|text| text.value).collect::<Vec<_>>(), texts);
    }

    #[test]
    fn what_is_left_out_is_a_note_in_the_projected_message(
        arguments in prop::collection::vec(value(), 1..3),
        pick in any::<prop::sample::Index>(),
    ) {
        let entry = entry("so", arguments);
        let whole = entry.prompt_text();
        let texts = locate_call_texts(&entry);
        prop_assume!(!texts.is_empty());
        let range = texts[pick.index(texts.len())].range.clone();
        prop_assume!(!range.is_empty());
        let note = Note::new(NoteKind::Quoted("[3 \"lines\"\n]".into()));
        let pieces = vec![
            ShapePiece::Keep(0..range.start),
            ShapePiece::Note(range.end, note.into()),
            ShapePiece::Keep(range.end..whole.len() as u32),
        ];
        let shape = MessageShape {
            kind: ShapeKind::Folded,
            rule: "edits".to_owned(),
            pieces,
            handle: foveal_transcript::Handle::from_content(whole.as_bytes()),
        };
        let projected = apply_shape(&entry, &shape);
        prop_assert_eq!(projected.prompt_text(), shape.render(&whole));
    }
}
