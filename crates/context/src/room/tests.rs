use super::*;

const ROOM: Room = Room { tokens: Tokens(20), bytes: 60, lines: 3, is_json: false };

#[test]
fn each_bound_holds_by_itself() {
    assert!(ROOM.holds("fn main() {\n}\n"));
    assert!(!ROOM.holds("a\nb\nc\nd\n"), "lines");
    assert!(!ROOM.holds(&"x".repeat(61)), "bytes");
    assert!(!ROOM.holds("a1b2c3d4e5f6g7h8i9j0k1l2"), "tokens");
    let quotes = "\"".repeat(40);
    assert!(ROOM.holds(&quotes) && !Room { is_json: true, ..ROOM }.holds(&quotes));
}

#[test]
fn what_is_taken_is_gone() {
    let mut room = ROOM;
    assert!(room.take("one\n") && room.take("two\n") && room.take("three\n"));
    assert!(!room.take("four\n"));
    assert_eq!(room.bytes, 60 - 14);
}

#[test]
fn the_longest_start_fits_and_ends_with_a_character() {
    for text in ["ééééééééééééééééééééééééééééééééééééé", "a1b2c3d4e5f6g7h8i9j0k1l2", "short"]
    {
        let end = ROOM.fitting(text);
        assert!(ROOM.holds(&text[..end]), "{text}");
        let next = text[end..].chars().next().map_or(0, char::len_utf8);
        assert!(next == 0 || !ROOM.holds(&text[..end + next]), "{text}");
    }
}
