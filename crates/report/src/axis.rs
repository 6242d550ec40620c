//! Scales with round ticks.

/// A scale from 0 or a lower bound to a round upper bound.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// Returns an axis from 0 to a round number that is at least `most`, with about `wanted` ticks.
    /// If `most` is zero or not finite, the axis ends at 1.
    pub(crate) fn from_zero(most: f64, wanted: usize) -> Self {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let step = round_step(most, wanted);
        let high = (most / step - 1e-9).ceil() * step;
        Self { low: 0.0, high, ticks: multiples_between(0.0, high, step) }
    }

    /// Returns an axis exactly from `low` to `high`, with ticks at round numbers between. An empty
    /// range is widened.
    pub(crate) fn between(low: f64, high: f64, wanted: usize, step_min: f64) -> Self {
        let low = if low.is_finite() { low } else { 0.0 };
        let high = if high.is_finite() && high > low { high } else { low + step_min.max(1e-6) };
        let step = round_step(high - low, wanted).max(step_min);
        Self { low, high, ticks: multiples_between(low, high, step) }
    }

    /// Returns the position of `value` on the axis, from 0 (lowest) to 1.
    pub(crate) fn position(&self, value: f64) -> f64 {
        let place = (value - self.low) / (self.high - self.low);
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Returns the values of the ticks, ascending.
    pub(crate) fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// Returns the upper end.
    pub(crate) fn high(&self) -> f64 {
        self.high
    }
}

/// Returns the round step (1, 2 or 5 times a power of ten) that gives about `wanted` intervals.
fn round_step(range: f64, wanted: usize) -> f64 {
    let rough = range / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let factor = match rough / power {
        // The geometric means between 1, 2, 5 and 10.
        ratio if ratio < 1.414 => 1.0,
        ratio if ratio < 3.162 => 2.0,
        ratio if ratio < 7.071 => 5.0,
        _ => 10.0,
    };
    factor * power
}

fn multiples_between(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    // A reader cannot tell more intervals apart.
    (first..=last.min(first.saturating_add(50))).map(|at| at as f64 * step).collect()
}

#[cfg(test)]
mod tests;
