//! Times replays of conversations of unusual shapes, compared with a plain one of the same size.
//!
//! `cargo run --release -p foveal-replay --example odd_sessions -- [BYTES]` (default 1,000,000).
//! The last column is the time as a multiple of that of the plain one.

use std::time::{Duration, Instant};

use foveal_engine::profile::Profile;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_replay::{PreparedConversation, replay};
use foveal_testkit::fixture::FixtureBuilder;
use foveal_testkit::stress_inputs::{
    self, StressInput, distinct_lines, repeated_output_conversation, short_message_conversation,
};
use foveal_transcript::{Conversation, EntryMark, MessageRole};

/// Conversations, the plain one first.
const SHAPES: &[StressInput<Conversation>] = &[
    ("forty results", |bytes| repeated_output_conversation(40, &distinct_lines(bytes / 40))),
    ("tiny requests", |bytes| repeated_output_conversation(bytes / 60, "ok")),
    ("small results", |bytes| repeated_output_conversation(bytes / 300, &distinct_lines(240))),
    ("tiny messages", |bytes| short_message_conversation(bytes / 15)),
    ("one result again and again", |bytes| {
        repeated_output_conversation(bytes / 2_000, &distinct_lines(2_000))
    }),
    ("one edit again and again", |bytes| {
        let mut script = FixtureBuilder::default();
        script.message(MessageRole::User, EntryMark::None, "write it");
        for at in 0..bytes / 200 {
            script.message(MessageRole::Assistant, EntryMark::None, "");
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
    print!("{}", stress_inputs::table_heading(bytes));
    stress_inputs::measure_rows(SHAPES, "", bytes, time_replay, |row| println!("{row}"));
}

/// Returns the time that the replay of a conversation takes.
fn time_replay(conversation: &Conversation, profile: &str) -> Duration {
    let conversation = conversation.clone();
    let begun = Instant::now();
    let prepared = PreparedConversation::new(conversation, Tokenizer::O200k);
    let prices = PriceCard::anthropic_5m();
    let profile = Profile::find(profile).expect("one of the engine's own");
    replay(&prepared, &mut profile.new_projector(&prices), &prices, &mut |_, _| ());
    begun.elapsed()
}
