//! The error rates of the redactor on planted and harmless forms.

use foveal_redaction::{RedactedBytes, redact};

use crate::generated_values::{Chance, Text};
use crate::{harmless, planted};

/// A part of the forms: its name, the planted and the harmless forms.
pub(crate) type Part = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The forms that the redactor was developed with, forms written afterwards, forms written to evade
/// it, and forms found in clear in a store.
pub(crate) const PARTS: [Part; 4] = [
    ("known", planted::KNOWN, harmless::KNOWN),
    ("held out", planted::HELD_OUT, harmless::HELD_OUT),
    ("sought", planted::SOUGHT, harmless::SOUGHT),
    ("everyday", planted::EVERYDAY, harmless::EVERYDAY),
];

/// The misjudged forms.
#[derive(Default)]
pub(crate) struct Rates {
    /// Planted forms with a remaining secret.
    pub(crate) in_clear: Vec<String>,
    /// Harmless forms with a redaction.
    pub(crate) removed: Vec<String>,
}

impl Rates {
    /// Measures the forms with the values of one seed.
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
    let bytes = redact(text).map_or_else(|| text.to_owned(), |RedactedBytes { bytes, .. }| bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
