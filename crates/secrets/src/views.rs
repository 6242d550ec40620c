//! Texts as tools show them: with the number of each line in front, the name of its file, or the
//! mark of a difference. What stands in several lines is found in the text without these.

use std::ops::Range;

use crate::secret::{GUESS, Secret, joined};
use crate::view::View;
use crate::{gutters, scanner, sides, words};

/// What takes away one sort of what tools put in front of lines.
type Look = fn(&[u8]) -> Vec<View>;

/// Each is taken once, whatever is left when the other was: a text is read a few times at most.
const LOOKS: [Look; 2] = [gutters::views, sides::views];

/// All secrets of a text in order, none overlapping another, whatever stands in front of its lines.
pub(crate) fn find(text: &[u8]) -> Vec<Secret> {
    joined(find_by(text, &LOOKS))
}

fn find_by(text: &[u8], looks: &[Look]) -> Vec<Secret> {
    let plain = scanner::find(text);
    let mut is_told = vec![false; plain.len()];
    let mut found = Vec::new();
    for (at, look) in looks.iter().enumerate() {
        let others = [&looks[..at], &looks[at + 1..]].concat();
        for view in look(text) {
            // What nothing but its chance speaks for is data if the lines around it are alike,
            // which only the view tells.
            let from = plain.partition_point(|secret| secret.range.start < view.start());
            for (is_told, secret) in is_told[from..].iter_mut().zip(&plain[from..]) {
                if secret.range.start >= view.end() {
                    break;
                }
                *is_told |= secret.is_guess() && view.has(secret.range.end - 1);
            }
            for Secret { range, kind, .. } in joined(find_by(&view.text, &others)) {
                // What stands in front may say what a word is, or belong to it.
                let is_one =
                    |place: &Range<usize>| kind != GUESS || !words::is_harmless(text, place);
                let places = view.places(range).into_iter().filter(is_one);
                found.extend(places.map(|place| Secret::new(place, kind)));
            }
        }
    }
    found.extend(
        plain.into_iter().zip(is_told).filter_map(|(it, is_told)| (!is_told).then_some(it)),
    );
    found
}
