//! Words of which parts are not told: what a variable or a substitution gives may be nothing, so
//! that `-ex${x}ec` is `-exec`. All that compares words with tables of options, subcommands and
//! scripts asks here whether a word may be one of these.
//!
//! A word that is nothing but what is put in is taken for what it seems, as all that the environment
//! gives: who writes a line has not written that.

use super::word::Word;

/// Stands in a text for what is put in. No command line has this letter.
pub(super) const HOLE: char = '\0';

/// The text of a word with a [`HOLE`] in the place of each thing that is put in.
pub(super) fn with_holes(word: &Word) -> String {
    let mut text = String::with_capacity(word.text.len());
    let mut at = 0;
    for hole in &word.holes {
        text.push_str(word.text.get(at..hole.start).unwrap_or_default());
        text.push(HOLE);
        at = hole.end;
    }
    text.push_str(word.text.get(at..).unwrap_or_default());
    text
}

/// What is written before the first hole, and whether there is one.
pub(super) fn start_of(text: &str) -> (&str, bool) {
    match text.split_once(HOLE) {
        Some((start, _)) => (start, true),
        None => (text, false),
    }
}

/// Whether a text may be this one, with anything or nothing in each hole.
pub(super) fn may_be(text: &str, target: &str) -> bool {
    if !text.contains(HOLE) {
        return text == target;
    }
    if text.chars().all(|letter| letter == HOLE) {
        return false;
    }
    // Where in the target it may have come to, as bits.
    let Some(all) = bits(target.len()) else { return false };
    let mut reached = 1_u64;
    for letter in text.chars() {
        reached = match letter {
            HOLE => from_lowest(reached) & all,
            letter => advance(reached, target, letter),
        };
        if reached == 0 {
            return false;
        }
    }
    reached >> target.len() & 1 == 1
}

/// Whether a text may hold this one: written as it is, or begun before a hole and ended behind one.
pub(super) fn may_hold(text: &str, needle: &str) -> bool {
    if text.contains(needle) {
        return true;
    }
    let Some(all) = bits(needle.len()).filter(|_| text.contains(HOLE)) else { return false };
    let mut reached = 0_u64;
    for letter in text.chars() {
        reached = match letter {
            // Not to its end: a part of it is to be written behind.
            HOLE => from_lowest(reached) & (all >> 1),
            letter => advance(reached | 1, needle, letter),
        };
        if reached >> needle.len() & 1 == 1 {
            return true;
        }
    }
    false
}

/// A bit for each place in a text of so many bytes, its end included.
fn bits(length: usize) -> Option<u64> {
    (length < 63).then(|| (1_u64 << (length + 1)) - 1)
}

/// The lowest bit and all above it.
fn from_lowest(reached: u64) -> u64 {
    match reached {
        0 => 0,
        some => u64::MAX << some.trailing_zeros(),
    }
}

/// One letter further.
fn advance(reached: u64, target: &str, letter: char) -> u64 {
    let mut next = 0;
    for (at, byte) in target.bytes().enumerate() {
        if reached >> at & 1 == 1 && letter == char::from(byte) {
            next |= 1 << (at + 1);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::{may_be, may_hold};

    #[test]
    fn holes_may_be_anything() {
        for (text, target) in [
            ("-exec", "-exec"),
            ("-ex\0ec", "-exec"),
            ("\0-e\0\0c", "-exec"),
            ("-exec\0", "-exec"),
            ("-\0", "-exec"),
        ] {
            assert!(may_be(text, target), "{text:?}");
        }
        for text in ["\0", "\0\0", "-exe", "-n\0", "-ex\0ecs", "\0a-exec", "exec\0"] {
            assert!(!may_be(text, "-exec"), "{text:?}");
        }
    }

    #[test]
    fn a_part_may_be_split_by_holes() {
        for text in ["a system(", "sys\0tem", "a s\0\0m b", "s\0y\0stem"] {
            assert!(may_hold(text, "system"), "{text:?}");
        }
        for text in ["\0", "sys\0", "\0tem", "sys tem", "\0sys tem\0", "sys\0 tem"] {
            assert!(!may_hold(text, "system"), "{text:?}");
        }
    }
}
