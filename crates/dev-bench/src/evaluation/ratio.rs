//! A share of something that may be nothing.

/// Returns `part` of `whole`; `None` where there is nothing to have a part of.
pub(crate) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
