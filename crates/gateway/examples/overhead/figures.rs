//! Latencies, and their presentation.

use std::time::Duration;

/// The latencies of requests.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Returns a percentile, in milliseconds.
    fn at(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = (sorted.len() as f64 * share) as usize;
        sorted[at.min(sorted.len() - 1)].as_secs_f64() * 1e3
    }

    /// Prints the latencies.
    pub(crate) fn alone(&self, name: &str) {
        let [p50, p99] = [0.5, 0.99].map(|share| self.at(share));
        row(name, &format!("p50 {p50:.2} ms, p99 {p99:.2} ms, {} requests", self.0.len()));
    }

    /// Prints the latencies next to those without a gateway.
    pub(crate) fn against(&self, name: &str, without: &Self) {
        let two = |share| (without.at(share), self.at(share), self.at(share) - without.at(share));
        let (p50, p99) = (two(0.5), two(0.99));
        row(
            name,
            &format!(
                "p50 {:.2} -> {:.2} ms (+{:.2}), p99 {:.2} -> {:.2} ms (+{:.2}), {} requests",
                p50.0,
                p50.1,
                p50.2,
                p99.0,
                p99.1,
                p99.2,
                self.0.len()
            ),
        );
    }
}

/// Prints a line of results.
pub(crate) fn row(name: &str, value: &str) {
    println!("{name:<40} {value}");
}
