//! What is found of planted forms, and what of harmless ones is taken for secrets.

use foveal_secrets::{Redacted, redact};

use crate::chance::{Chance, Text};
use crate::{harmless, planted};

/// A part of the forms: its name, what is planted, what is harmless.
pub(crate) type Part = (&'static str, &'static [&'static str], &'static [&'static str]);

/// What the redactor was written with, what was written when it was done, what to get past it, and
/// what stood in clear in a store.
pub(crate) const PARTS: [Part; 4] = [
    ("known", planted::KNOWN, harmless::KNOWN),
    ("held out", planted::HELD_OUT, harmless::HELD_OUT),
    ("sought", planted::SOUGHT, harmless::SOUGHT),
    ("everyday", planted::EVERYDAY, harmless::EVERYDAY),
];

/// The forms that were told wrong.
#[derive(Default)]
pub(crate) struct Rates {
    /// Planted forms of which a secret stays.
    pub(crate) in_clear: Vec<String>,
    /// Harmless forms of which something is removed.
    pub(crate) removed: Vec<String>,
}

impl Rates {
    /// Of the forms with the values of one seed.
    pub(crate) fn of(seed: u64, planted: &[&str], harmless: &[&str]) -> Self {
        let mut chance = Chance(seed);
        let mut rates = Self::default();
        for form in planted {
            let Text { text, secrets } = chance.text(form);
            let kept = kept(text.as_bytes());
            assert!(!secrets.is_empty(), "{form}");
            if secrets.iter().any(|secret| kept.contains(secret.as_str())) {
                rates.in_clear.push(format!("{form} | {kept}"));
            }
        }
        for form in harmless {
            let Text { text, .. } = chance.text(form);
            let kept = kept(text.as_bytes());
            if kept != text {
                rates.removed.push(format!("{form} | {kept}"));
            }
        }
        rates
    }
}

fn kept(text: &[u8]) -> String {
    let bytes = redact(text).map_or_else(|| text.to_owned(), |Redacted { bytes, .. }| bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
