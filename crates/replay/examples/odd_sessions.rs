//! Times replays of conversations of odd shapes, beside a plain one of the same size.
//!
//! `cargo run --release -p foveal-replay --example odd_sessions -- [BYTES]` (default 1,000,000).
//! The last column is how many times longer a shape takes than the plain one.

use std::time::Instant;

use foveal_context::prices::PriceCard;
use foveal_context::profile::Profile;
use foveal_context::tokens::Tokenizer;
use foveal_replay::{Prepared, replay};
use foveal_testkit::fixture::Builder;
use foveal_transcript::{Conversation, Mark, Role};

/// The engine's own profiles.
const PROFILES: &[&str] = &["lossless", "balanced", "max"];

/// A shape's name, and so many bytes of it.
type Shape = (&'static str, fn(usize) -> Conversation);

/// Conversations, the plain one first.
const SHAPES: &[Shape] = &[
    ("forty results", |bytes| results(40, &plain(bytes / 40))),
    ("tiny requests", |bytes| results(bytes / 60, "ok")),
    ("small results", |bytes| results(bytes / 300, &plain(240))),
    ("tiny messages", |bytes| {
        let mut script = Builder::default();
        for _ in 0..bytes / 15 {
            script.message(Role::User, Mark::None, "go on");
            script.message(Role::Assistant, Mark::None, "I go on");
        }
        script.finish()
    }),
    ("one result again and again", |bytes| results(bytes / 2_000, &plain(2_000))),
    ("one edit again and again", |bytes| {
        let mut script = Builder::default();
        script.message(Role::User, Mark::None, "write it");
        for at in 0..bytes / 200 {
            script.message(Role::Assistant, Mark::None, "");
            let text = format!("let some_name_{} = line_number({at});\n", at % 7);
            let path = "/p/a.rs";
            script.call(
                "Edit",
                serde_json::json!({"file_path": path, "old_string": text,
                "new_string": format!("{text}let x = 1;\n")}),
            );
            script.result(&text, false);
        }
        script.finish()
    }),
];

fn main() {
    let bytes = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse());
    let bytes: usize = bytes.expect("the size in bytes");
    // The vocabulary is unpacked at the first count.
    Tokenizer::O200k.count("once");
    println!("{bytes} bytes each, seconds\n");
    print!("{:<44}", "");
    PROFILES.iter().for_each(|profile| print!("{profile:>10}"));
    println!("{:>10}", "factor");
    let mut plain = None;
    for (name, shape) in SHAPES {
        print!("{name:<44}");
        let mut longest: f64 = 0.0;
        for profile in PROFILES {
            let conversation = shape(bytes);
            let begun = Instant::now();
            let prepared = Prepared::new(conversation, Tokenizer::O200k);
            let prices = PriceCard::anthropic_5m();
            let profile = Profile::named(profile).expect("one of the engine's own");
            replay(&prepared, &mut profile.start(&prices), &prices, &mut |_, _| ());
            let seconds = begun.elapsed().as_secs_f64();
            print!("{seconds:>10.2}");
            longest = longest.max(seconds);
        }
        println!("{:>10.1}", longest / *plain.get_or_insert(longest));
    }
}

/// A conversation in which a command prints `output` so many times.
fn results(count: usize, output: &str) -> Conversation {
    let mut script = Builder::default();
    script.message(Role::User, Mark::None, "run it");
    for at in 0..count {
        script.message(Role::Assistant, Mark::None, "");
        script.call("Bash", serde_json::json!({"command": format!("./it {at}")}));
        script.result(output, false);
    }
    script.message(Role::Assistant, Mark::None, "done");
    script.finish()
}

fn plain(bytes: usize) -> String {
    (0..bytes / 36).map(|at| format!("line {at} says that {} was made\n", at * 7 % 1013)).collect()
}
