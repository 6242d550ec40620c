use proptest::prelude::*;

use super::*;

/// Distributes pieces over `text`, whose parts are its lines.
fn check(text: &str, pieces: &[ContentPiece<'_>], expected: &[Option<&str>]) {
    let divided = distribute_pieces(text, &lines(text), pieces);
    assert_eq!(divided.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let line = |line: &str| {
        let place = start..start + line.len();
        start = place.end + 1;
        place
    };
    text.split('\n').map(line).collect()
}

#[test]
fn kept_bytes_stay_in_their_part() {
    let text = "one two three\nfour five six\nseven";
    check(text, &[ContentPiece::Keep(0..33)], &[None, None, None]);
    let middle =
        [ContentPiece::Keep(0..4), ContentPiece::Text(19, "[..]"), ContentPiece::Keep(19..33)];
    check(text, &middle, &[Some("one [..]"), Some("five six"), None]);
}

#[test]
fn a_part_without_rest_says_so_or_stays() {
    let text = "some words, and more of them\nand as many words in this\nshort";
    let pieces = [ContentPiece::Text(60, "[note]")];
    check(text, &pieces, &[Some("[note]"), Some(OMITTED_PART_TEXT), None]);
}

#[test]
fn a_note_between_parts_belongs_to_what_it_stands_for() {
    let text = "one\nfour five six seven eight\nnine";
    let pieces = [
        ContentPiece::Keep(0..3),
        ContentPiece::Text(3, "\n"),
        ContentPiece::Text(29, "[x]"),
        ContentPiece::Keep(29..34),
    ];
    check(text, &pieces, &[Some("one\n"), Some("[x]"), None]);
}

#[test]
fn nothing_is_done_where_nothing_is_won() {
    check("a\nb", &[ContentPiece::Text(3, "[left out]")], &[None, None]);
    check("aé", &[ContentPiece::Keep(0..2)], &[None]);
    check("abc", &[ContentPiece::Keep(0..9)], &[None]);
    assert_eq!(
        distribute_pieces("", &[], &[ContentPiece::Text(0, "x")]),
        Vec::<Option<String>>::new()
    );
}

/// Returns pieces of a content of `length` bytes: the numbers cut it, and some pieces are kept.
fn pieces(length: usize, cuts: &[(usize, bool)]) -> Vec<ContentPiece<'static>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (length_of_cut, is_kept) in cuts {
        let end = (at + length_of_cut).min(length);
        if *is_kept {
            pieces.push(ContentPiece::Keep(at..end));
        } else {
            pieces.push(ContentPiece::Text(end, "<>"));
        }
        at = end;
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn joined_the_parts_say_what_the_pieces_say(
        text in "[a-z ]{0,60}(\n[a-z ]{0,60}){0,5}",
        cuts in prop::collection::vec((0..40usize, any::<bool>()), 0..12),
    ) {
        let parts = lines(&text);
        let pieces = pieces(text.len(), &cuts);
        let divided = distribute_pieces(&text, &parts, &pieces);
        prop_assert_eq!(divided.len(), parts.len());
        let sent: Vec<&str> = divided
            .iter()
            .zip(&parts)
            .map(|(new, part)| new.as_deref().unwrap_or(&text[part.clone()]))
            .collect();
        prop_assert!(sent.iter().map(|part| part.len()).sum::<usize>() + parts.len() - 1 <= text.len());
        for (sent, part) in sent.iter().zip(&parts) {
            prop_assert!(!sent.trim().is_empty() || text[part.clone()].trim().is_empty());
        }
        if divided.iter().all(Option::is_none) {
            return Ok(());
        }
        let dealt = assign_pieces(&text, &parts, &pieces).expect("the pieces are of the text");
        for ((sent, dealt), part) in sent.iter().zip(&dealt).zip(&parts) {
            let own = &text[part.clone()];
            let left_out = format!("{dealt}{OMITTED_PART_TEXT}");
            let is_blank = dealt.trim().is_empty() && !own.trim().is_empty();
            let is_right = if is_blank { [&*left_out, own].contains(sent) } else { sent == dealt };
            prop_assert!(is_right);
        }
        // Equal to the pieces except for the line breaks between parts.
        let said = pieces.iter().map(|piece| match piece {
            ContentPiece::Keep(range) => text[range.clone()].replace('\n', ""),
            ContentPiece::Text(_, ours) => (*ours).to_owned(),
        });
        prop_assert_eq!(dealt.concat(), said.collect::<String>());
    }
}
