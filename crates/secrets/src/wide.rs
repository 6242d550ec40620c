//! Texts in UTF-16: secrets are ASCII, so that every other byte of them is zero.

use crate::readings;
use crate::secret::Secret;

/// Signs that a wide text has at least.
const SIGNS_MIN: usize = 12;

/// Secrets in the parts of a text whose signs have two bytes each, in either order of bytes:
/// without the first or last zero both are the same.
pub(crate) fn find(text: &[u8]) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(zero) = memchr::memchr(0, &text[at..]).map(|zero| at + zero) {
        let start = zero.saturating_sub(1).max(at);
        let signs = text[start..].chunks_exact(2);
        let count = signs.take_while(|pair| pair[0] != 0 && pair[1] == 0).count();
        // The last sign of a part has no zero behind it where the higher byte comes first.
        let last = text.get(start + 2 * count).filter(|byte| **byte != 0);
        if count >= SIGNS_MIN {
            let narrow = text[start..].iter().step_by(2).take(count).chain(last).copied();
            let narrow: Vec<u8> = narrow.collect();
            found.extend(readings::find(&narrow).into_iter().map(|secret| Secret {
                range: start + 2 * secret.range.start..end(text, start + 2 * secret.range.end),
                kind: secret.kind,
                is_wide: true,
            }));
        }
        at = (start + 2 * count).max(zero + 1);
    }
    found
}

/// The last sign of a text may have no zero behind it.
fn end(text: &[u8], end: usize) -> usize {
    end.min(text.len())
}
