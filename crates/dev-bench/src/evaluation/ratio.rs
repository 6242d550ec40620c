//! Ratios with a denominator that may be zero.

/// Returns `part` divided by `whole`; `None` if `whole` is not positive.
pub(crate) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
