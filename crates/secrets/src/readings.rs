//! Texts as tools show them: with the number of each line in front, the name of its file, or the
//! mark of a difference. What stands in several lines is found in the text without these.

use crate::reading::Reading;
use crate::secret::{Secret, merge_overlaps};
use crate::{diff_sides, gutters, scanner};

/// A way to take away one sort of what tools put in front of lines.
type FrontReader = fn(&[u8]) -> Vec<Reading>;

/// Each is taken once, before or after the other: a text is read a few times at most.
const FRONTS: [FrontReader; 2] = [gutters::readings, diff_sides::readings];

/// All secrets of a text in order, none overlapping another, whatever stands in front of its lines.
pub(crate) fn find(text: &[u8]) -> Vec<Secret> {
    let mut found = scanner::find(text);
    find_by(text, &FRONTS, &mut |secret| found.push(secret));
    merge_overlaps(found)
}

fn find_by(text: &[u8], looks: &[FrontReader], push: &mut dyn FnMut(Secret)) {
    for (at, look) in looks.iter().enumerate() {
        let others = [&looks[..at], &looks[at + 1..]].concat();
        for reading in look(text) {
            let mut push = |secret: Secret| {
                push(Secret::new(reading.place(secret.range), secret.kind));
            };
            // Random words are judged by the lines around them as they are.
            let forms = scanner::find(&reading.text).into_iter().filter(|it| !it.is_guess());
            forms.for_each(&mut push);
            find_by(&reading.text, &others, &mut push);
        }
    }
}
