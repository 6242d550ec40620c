//! Words of `find` of which not all is written.

use super::valued::Valued;
use crate::shell::holes::{HOLE, may_be, with_holes};
use crate::shell::word::Word;

/// Those that have it hand on what it found or delete it, and those that end the command to which
/// it does.
const HANDING: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-delete", ";", "+"];

/// Whether one of the words behind `find` may be one of these, because of what is put in.
pub(in crate::shell::commands) fn may_hand_on(words: &[Word]) -> bool {
    let valued = Valued::of("find");
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if valued.takes_next(&word.text) == Some(true) {
            words.next();
        } else if !word.holes.is_empty() && is_open(&with_holes(word)) {
            return true;
        }
    }
    false
}

fn is_open(text: &str) -> bool {
    // What `$a-$b` begins with is taken to be something.
    let is_bare = text.starts_with(HOLE) && text.trim_matches(HOLE) == "-";
    !is_bare && HANDING.iter().any(|known| may_be(text, known))
}
