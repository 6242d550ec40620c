use super::*;

const ROOM: OutputBudget = OutputBudget { tokens: Tokens(20), bytes: 60, lines: 3, is_json: false };

#[test]
fn each_bound_holds_by_itself() {
    assert!(ROOM.fits_text("fn main() {\n}\n"));
    assert!(!ROOM.fits_text("a\nb\nc\nd\n"), "lines");
    assert!(!ROOM.fits_text(&"x".repeat(61)), "bytes");
    assert!(!ROOM.fits_text("a1b2c3d4e5f6g7h8i9j0k1l2"), "tokens");
    let quotes = "\"".repeat(40);
    assert!(ROOM.fits_text(&quotes) && !OutputBudget { is_json: true, ..ROOM }.fits_text(&quotes));
}

#[test]
fn what_is_taken_is_gone() {
    let mut room = ROOM;
    assert!(room.consume("one\n") && room.consume("two\n") && room.consume("three\n"));
    assert!(!room.consume("four\n"));
    assert_eq!(room.bytes, 60 - 14);
}

#[test]
fn the_longest_start_fits_and_ends_with_a_character() {
    for text in ["ééééééééééééééééééééééééééééééééééééé", "a1b2c3d4e5f6g7h8i9j0k1l2", "short"]
    {
        let end = ROOM.fitting_len(text);
        assert!(ROOM.fits_text(&text[..end]), "{text}");
        let next = text[end..].chars().next().map_or(0, char::len_utf8);
        assert!(next == 0 || !ROOM.fits_text(&text[..end + next]), "{text}");
    }
}
