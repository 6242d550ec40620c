//! Runs a mock model provider on loopback. It answers with a short text, and prints the bill, the
//! overlap with the last prompt and the violated rules of each request.
//!
//!     cargo run -p foveal-mock-provider --example serve [everything|nothing]

use std::time::Duration;

use foveal_mock_provider::{MockProvider, RequestRecording, Settings};

fn main() -> std::io::Result<()> {
    let keeps = match std::env::args().nth(1).as_deref() {
        Some("nothing") => RequestRecording::Nothing,
        _ => RequestRecording::WithoutBodies,
    };
    let upstream = MockProvider::start(Settings {
        recording: keeps,
        refuses_violations: false,
        ..Settings::default()
    })?;
    println!("{}", upstream.url());
    loop {
        upstream.wait_for_requests(1, Duration::from_secs(1));
        for seen in upstream.take_received_requests() {
            let common = seen.overlap.unwrap_or_default();
            println!(
                "{} {} {}: {:?}, {} of {} bytes as before{}",
                seen.number,
                seen.method,
                seen.path,
                seen.bill.unwrap_or_default(),
                common.bytes,
                common.last_bytes,
                seen.violations.iter().map(|rule| format!("; {rule}")).collect::<String>()
            );
        }
    }
}
