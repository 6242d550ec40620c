//! A model provider on loopback by itself: answers with a short text, and tells of each request
//! what was billed, what it shares with the one before, and which rules it breaks.
//!
//!     cargo run -p foveal-upstream --example serve [everything|nothing]

use std::time::Duration;

use foveal_upstream::{Keeps, Settings, Upstream};

fn main() -> std::io::Result<()> {
    let keeps = match std::env::args().nth(1).as_deref() {
        Some("nothing") => Keeps::Nothing,
        _ => Keeps::Judgements,
    };
    let upstream = Upstream::start(Settings { keeps, is_strict: false, ..Settings::default() })?;
    println!("{}", upstream.url());
    loop {
        upstream.wait_for(1, Duration::from_secs(1));
        for seen in upstream.take_seen() {
            let common = seen.common.unwrap_or_default();
            println!(
                "{} {} {}: {:?}, {} of {} bytes as before{}",
                seen.number,
                seen.method,
                seen.path,
                seen.bill.unwrap_or_default(),
                common.bytes,
                common.last_bytes,
                seen.broken.iter().map(|rule| format!("; {rule}")).collect::<String>()
            );
        }
    }
}
