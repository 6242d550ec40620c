//! Times replays of conversations of odd shapes, beside a plain one of the same size.
//!
//! `cargo run --release -p foveal-replay --example odd_sessions -- [BYTES]` (default 1,000,000).
//! The last column is how many times longer a shape takes than the plain one.

use std::time::{Duration, Instant};

use foveal_context::prices::PriceCard;
use foveal_context::profile::Profile;
use foveal_context::tokens::Tokenizer;
use foveal_replay::{Prepared, replay};
use foveal_testkit::fixture::Builder;
use foveal_testkit::shapes::{self, Shape, messages, plain, results};
use foveal_transcript::{Conversation, Mark, Role};

/// Conversations, the plain one first.
const SHAPES: &[Shape<Conversation>] = &[
    ("forty results", |bytes| results(40, &plain(bytes / 40))),
    ("tiny requests", |bytes| results(bytes / 60, "ok")),
    ("small results", |bytes| results(bytes / 300, &plain(240))),
    ("tiny messages", |bytes| messages(bytes / 15)),
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
    print!("{}", shapes::head(bytes));
    shapes::rows(SHAPES, "", bytes, replayed, |row| println!("{row}"));
}

/// How long the replay of a conversation takes.
fn replayed(conversation: &Conversation, profile: &str) -> Duration {
    let conversation = conversation.clone();
    let begun = Instant::now();
    let prepared = Prepared::new(conversation, Tokenizer::O200k);
    let prices = PriceCard::anthropic_5m();
    let profile = Profile::named(profile).expect("one of the engine's own");
    replay(&prepared, &mut profile.start(&prices), &prices, &mut |_, _| ());
    begun.elapsed()
}
