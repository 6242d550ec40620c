//! The error bounds of the redactor.

use crate::rates::{PARTS, Rates};
use crate::{harmless, planted};

/// The number of misjudged forms of each sort that is accepted.
const WRONG_MAX: usize = 5;

#[test]
fn few_secrets_stay_and_little_else_goes() {
    for seed in 0..20 {
        let (mut in_clear, mut removed) = (Vec::new(), Vec::new());
        for (_, planted, harmless) in PARTS {
            let rates = Rates::of(seed, planted, harmless);
            in_clear.extend(rates.in_clear);
            removed.extend(rates.removed);
        }
        assert!(in_clear.len() <= WRONG_MAX, "{seed}: {in_clear:#?}");
        assert!(removed.len() <= WRONG_MAX, "{seed}: {removed:#?}");
    }
}

#[test]
fn nothing_stays_of_what_stood_in_a_store() {
    for seed in 0..5 {
        let rates = Rates::of(seed, planted::EVERYDAY, harmless::EVERYDAY);
        assert!(rates.in_clear.is_empty(), "{seed}: {:#?}", rates.in_clear);
        assert!(rates.removed.is_empty(), "{seed}: {:#?}", rates.removed);
    }
}
