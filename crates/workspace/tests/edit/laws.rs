//! Laws that hold for every edit of every text.

use foveal_workspace::TextFile;
use foveal_workspace::edit::{
    Edit, EditMatch, IndexedEdit, LineSpan, delta_since_seen, plan_edit, plan_edits,
};
use proptest::prelude::*;

/// Texts of few different lines, so that edits match often, once and more than once.
fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "a", "b", "ab", " a", "  a", "\ta", "\t b", "    b", "a ", "b\t", "", " ", "x = 1", "é",
    ]);
    let ending = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", ""]);
    prop::collection::vec((line, ending), 0..14)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, ending)| [line, ending]).collect())
}

fn edit() -> impl Strategy<Value = Edit> {
    (text(), text(), any::<bool>()).prop_map(|(old, new, replace_all)| Edit {
        old,
        new,
        replace_all,
    })
}

/// A text and an edit of it. The old text is mostly a part of the text, sometimes with other white
/// space.
fn pair() -> impl Strategy<Value = (String, Edit)> {
    (text(), edit(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..8u8).prop_map(
        |(text, mut edit, start, length, how)| {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            if how == 0 || lines.is_empty() {
                return (text, edit);
            }
            let start = start.index(lines.len());
            let end = start + 1 + length.index(3);
            let part = lines[start..end.min(lines.len())].concat();
            edit.old = match how {
                1 => part.replace("\r\n", "\n"),
                2 => part.lines().map(|line| format!("{}\n", line.trim_end())).collect(),
                3 => part.lines().map(|line| format!("  {line}\n")).collect(),
                4 => part.replace('\t', "    "),
                5 => part.trim().to_owned(),
                _ => part,
            };
            (text, edit)
        },
    )
}

/// The text without white space, the only difference that an edit may make to the requested text.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The offset in the file of the offset `place` in its text, in which every ending is one byte.
fn in_file(file: &str, place: usize) -> usize {
    (0..place).fold(0, |at, _| at + if file.as_bytes()[at..].starts_with(b"\r\n") { 2 } else { 1 })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn bytes_outside_the_places_stay((text, edit) in pair()) {
        let Ok(planned) = plan_edit(&text, &edit) else { return Ok(()) };
        let (mut before, mut after) = (0, 0);
        for change in &planned.changed {
            prop_assert_eq!(&text[before..change.bytes.start], &planned.text[after..change.new_bytes.start]);
            prop_assert_eq!(bare(&text[change.bytes.clone()]), bare(&edit.old));
            prop_assert_eq!(bare(&planned.text[change.new_bytes.clone()]), bare(&edit.new));
            (before, after) = (change.bytes.end, change.new_bytes.end);
        }
        prop_assert_eq!(&text[before..], &planned.text[after..]);
    }

    #[test]
    fn the_lines_told_hold_the_bytes((text, edit) in pair()) {
        let Ok(planned) = plan_edit(&text, &edit) else { return Ok(()) };
        for change in &planned.changed {
            for (text, bytes, span) in [(&text, &change.bytes, change.before), (&planned.text, &change.new_bytes, change.after)] {
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let start: usize = lines[..span.indices().start].iter().map(|line| line.len()).sum();
                let length: usize = lines[span.indices()].iter().map(|line| line.len()).sum();
                prop_assert!(start <= bytes.start && bytes.end <= start + length, "{:?} {span:?} {bytes:?}", text);
            }
        }
    }

    #[test]
    fn replacing_all_is_what_a_plain_replace_does((text, edit) in pair()) {
        // With one kind of line ending there is nothing to adapt.
        let text = text.replace('\r', "");
        let edit = Edit { old: edit.old.replace('\r', ""), new: edit.new.replace('\r', ""), replace_all: true };
        if edit.old.is_empty() || edit.old == edit.new || !text.contains(&edit.old) { return Ok(()) }
        let plain = text.replace(&edit.old, &edit.new);
        prop_assert_eq!(plan_edit(&text, &edit).expect("it stands there").text, plain);
    }

    #[test]
    fn one_place_is_replaced_only_if_it_is_the_only_one((text, edit) in pair()) {
        let edit = Edit { replace_all: false, ..edit };
        let Ok(planned) = plan_edit(&text, &edit) else { return Ok(()) };
        prop_assert_eq!(planned.changed.len(), 1);
        let places = |text: &str, old: &str| (0..text.len()).filter(|at| text.is_char_boundary(*at) && text[*at..].starts_with(old)).count();
        match planned.how {
            EditMatch::Exact => prop_assert_eq!(places(&text, &edit.old), 1),
            EditMatch::WhiteSpace(_) => {
                // No other block of whole lines is equal but for white space.
                prop_assert_eq!(places(&text, &edit.old), 0);
                let plain = |text: &str| text.replace("\r\n", "\n");
                if places(&plain(&text), &plain(&edit.old)) == 1 { return Ok(()) }
                let count = |key: &dyn Fn(&str) -> String| {
                    let wanted: Vec<String> = edit.old.lines().map(key).collect();
                    let lines: Vec<String> = text.lines().map(key).collect();
                    lines.windows(wanted.len()).filter(|block| *block == wanted).count()
                };
                prop_assert!(count(&|line| line.trim().to_owned()) <= 1);
                prop_assert!(count(&|line| line.split_whitespace().collect::<Vec<_>>().join(" ")) >= 1);
            }
        }
    }

    #[test]
    fn several_edits_are_one_after_the_other((text, first) in pair(), more in prop::collection::vec(edit(), 0..4)) {
        let mut edits = vec![first];
        edits.extend(more);
        let mut expected = Ok(text.clone());
        for edit in &edits {
            expected = expected.and_then(|text| plan_edit(&text, edit).map(|planned| planned.text));
        }
        let of: Vec<IndexedEdit> = edits.into_iter().map(|edit| IndexedEdit { text: 0, edit }).collect();
        match (plan_edits(&[&text], &of), expected) {
            (Ok(planned), Ok(expected)) => {
                let planned = planned.texts[0].as_ref().expect("there are edits of it");
                prop_assert_eq!(&planned.text, &expected);
                let (mut before, mut after) = (0, 0);
                for change in &planned.changed {
                    prop_assert_eq!(&text[before..change.bytes.start], &expected[after..change.new_bytes.start]);
                    (before, after) = (change.bytes.end, change.new_bytes.end);
                }
                prop_assert_eq!(&text[before..], &expected[after..]);
            }
            (Err(refused), Err(expected)) => prop_assert_eq!(refused.why, expected),
            (got, expected) => prop_assert!(false, "{got:?} {expected:?}"),
        }
    }

    #[test]
    fn touched_lines_that_were_not_seen_are_told(known in text(), rest in text(), start in 0..14usize, lines in 1..4usize) {
        // A part of the version seen, and other lines.
        let cut = known.split_inclusive('\n').skip(start / 2).take(6);
        let disk: String = cut.chain(rest.split_inclusive('\n').take(3)).collect();
        let all: Vec<&str> = disk.split_inclusive('\n').collect();
        let Some(block) = all.get(start..start + lines) else { return Ok(()) };
        let seen: Vec<&str> = known.split_inclusive('\n').collect();
        let was_seen = seen.windows(lines).any(|other| other == block);
        let touched = LineSpan::from_indices(start, start + lines);
        // Never `None` for lines that are not consecutive in the known version.
        if delta_since_seen(&known, &disk, &[touched]).is_none() {
            prop_assert!(was_seen);
        }
    }

    #[test]
    fn an_edit_touches_no_byte_of_the_file_outside_its_places(
        (text, edit) in pair(),
        more in prop::collection::vec(edit(), 0..3),
        carriage in any::<bool>(),
    ) {
        // Includes lines that end in a carriage return of their own.
        let bytes = if carriage { text.replace("b\n", "b\r\r\n") } else { text };
        let file = TextFile::decode(bytes.as_bytes()).expect("ASCII and é");
        let edits: Vec<IndexedEdit> = [edit].into_iter().chain(more)
            .map(|edit| IndexedEdit { text: 0, edit: Edit {
                old: edit.old.replace("\r\n", "\n"), new: edit.new.replace("\r\n", "\n"), ..edit
            }})
            .collect();
        let Ok(planned) = plan_edits(&[file.text()], &edits) else { return Ok(()) };
        let Some(planned) = &planned.texts[0] else { return Ok(()) };
        let places: Vec<_> = planned.changed.iter()
            .map(|change| (change.bytes.clone(), change.new_bytes.clone())).collect();
        let after = file.encode_with_changes(&planned.text, &places).expect("as it was");
        let after = String::from_utf8(after).expect("as it was");
        let read_back = TextFile::decode(after.as_bytes()).expect("text");
        prop_assert_eq!(read_back.text(), &planned.text);
        let (mut before, mut now) = (0, 0);
        for (old, new) in &places {
            let (start, place) = (in_file(&bytes, old.start), in_file(&after, new.start));
            prop_assert_eq!(&bytes[before..start], &after[now..place]);
            (before, now) = (in_file(&bytes, old.end), in_file(&after, new.end));
        }
        prop_assert_eq!(&bytes[before..], &after[now..]);
    }

    #[test]
    fn a_line_that_an_edit_changes_keeps_its_ending(
        lines in prop::collection::vec(("[ab]{1,3}", any::<bool>()), 1..8),
        at in any::<prop::sample::Index>(),
    ) {
        let spelled = |lines: &[(String, bool)]| -> String {
            lines.iter().flat_map(|(line, long)| [line.as_str(), if *long { "\r\n" } else { "\n" }]).collect()
        };
        let mut after = lines.clone();
        let at = at.index(lines.len());
        after[at].0 = "new".to_owned();
        let file = TextFile::decode(spelled(&lines).as_bytes()).expect("ASCII");
        // With the changed place given, and with the whole text as the place.
        let edited: String = after.iter().flat_map(|(line, _)| [line.as_str(), "\n"]).collect();
        let start = lines[..at].iter().map(|(line, _)| line.len() + 1).sum::<usize>();
        let place = (start..start + lines[at].0.len(), start..start + 3);
        let expected = spelled(&after);
        prop_assert_eq!(file.encode_with_changes(&edited, &[place]).expect("ASCII"), expected.as_bytes());
        prop_assert_eq!(file.encode_edited(&edited).expect("ASCII"), expected.as_bytes());
    }
}
