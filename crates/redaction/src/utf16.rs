//! Secrets in UTF-16 texts. Secrets are ASCII, so every other byte of them is zero.

use crate::secret::Secret;
use crate::tool_output;

/// The minimum number of characters of a UTF-16 text.
const CHARS_MIN: usize = 12;

/// Returns the secrets in the parts of a text whose characters take two bytes, in either byte
/// order: both orders are equal apart from the first or last zero byte.
pub(crate) fn find_utf16_secrets(text: &[u8]) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(zero) = memchr::memchr(0, &text[at..]).map(|zero| at + zero) {
        let start = zero.saturating_sub(1).max(at);
        let signs = text[start..].chunks_exact(2);
        let count = signs.take_while(|pair| pair[0] != 0 && pair[1] == 0).count();
        // In big-endian order, no zero byte follows the last character of a part.
        let last = text.get(start + 2 * count).filter(|byte| **byte != 0);
        if count >= CHARS_MIN {
            let narrow = text[start..].iter().step_by(2).take(count).chain(last).copied();
            let narrow: Vec<u8> = narrow.collect();
            found.extend(tool_output::find_in_tool_output(&narrow).into_iter().map(|secret| {
                Secret {
                    range: start + 2 * secret.range.start
                        ..clamp_end(text, start + 2 * secret.range.end),
                    kind: secret.kind,
                    is_wide: true,
                }
            }));
        }
        at = (start + 2 * count).max(zero + 1);
    }
    found
}

/// Clamps the end of a secret: no zero byte may follow the last character of a text.
fn clamp_end(text: &[u8], end: usize) -> usize {
    end.min(text.len())
}
