//! Secrets in texts as tools print them: with a line number, a file name or a diff mark before each
//! line. Secrets over several lines are found in the text without these prefixes.

use crate::mapped_text::MappedText;
use crate::secret::{Secret, merge_overlaps};
use crate::{diff_sides, gutters, scanner};

/// A function that removes one sort of line prefix.
type PrefixStripper = fn(&[u8]) -> Vec<MappedText>;

/// Each is applied once, before or after the other, so that a text is scanned a few times at most.
const PREFIX_STRIPPERS: [PrefixStripper; 2] = [gutters::strip_gutters, diff_sides::split_diff];

/// Returns all secrets of a text in order, without overlaps, whatever the prefixes of its lines.
pub(crate) fn find_in_tool_output(text: &[u8]) -> Vec<Secret> {
    let mut found = scanner::scan_text(text);
    find_without_prefixes(text, &PREFIX_STRIPPERS, &mut |secret| found.push(secret));
    merge_overlaps(found)
}

fn find_without_prefixes(text: &[u8], looks: &[PrefixStripper], push: &mut dyn FnMut(Secret)) {
    for (at, look) in looks.iter().enumerate() {
        let others = [&looks[..at], &looks[at + 1..]].concat();
        for reading in look(text) {
            let mut push = |secret: Secret| {
                push(Secret::new(reading.original_range(secret.range), secret.kind));
            };
            // Random words are judged by the lines around them in the original text.
            let forms =
                scanner::scan_text(&reading.text).into_iter().filter(|it| !it.is_random_word());
            forms.for_each(&mut push);
            find_without_prefixes(&reading.text, &others, &mut push);
        }
    }
}
