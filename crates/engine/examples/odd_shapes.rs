//! Times the engine on results and conversations of odd shapes, beside a plain one of the same
//! size: whoever writes what a tool prints must not choose how long foveal works.
//!
//! `cargo run --release -p foveal-engine --example odd_shapes -- [BYTES] [SHAPE]` (default
//! 1,000,000; all shapes, or the plain ones and those whose names have `SHAPE` in them).
//! The last column is how many times longer a shape takes than the plain one of its kind.

use std::time::{Duration, Instant};

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::profile::Profile;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_testkit::fixture::FixtureBuilder;
use foveal_testkit::render::advance_to_end;
use foveal_testkit::stress_inputs::{
    self, StressInput, distinct_lines, repeated_output_conversation, short_message_conversation,
};
use foveal_transcript::{Conversation, EntryMark, MessageRole};

/// Outputs of a command, the plain one first.
const OUTPUTS: &[StressInput<String>] = &[
    ("plain lines", distinct_lines),
    ("one line of words", |bytes| "word and word ".repeat(bytes / 14)),
    ("one coloured line", |bytes| "\u{1b}[31mred\u{1b}[0m ".repeat(bytes / 13)),
    ("escape signs alone", |bytes| "\u{1b}".repeat(bytes)),
    ("escape codes without end", |bytes| "\u{1b}]0;".repeat(bytes / 4)),
    ("links without end", |bytes| "\u{1b}[".repeat(bytes / 2)),
    ("a line written over", |bytes| "10 %\r".repeat(bytes / 5)),
    ("a line written over, coloured", |bytes| "\u{1b}[1m9\u{1b}[K\r".repeat(bytes / 9)),
    ("letters in turn", |bytes| "a\nb\n".repeat(bytes / 4)),
    ("opening brackets", |bytes| "[\n".repeat(bytes / 2)),
    ("opening braces and one closing", |bytes| "{\n".repeat(bytes / 2) + "}\n"),
    ("blanks in JSON on one line", |bytes| format!("[\n{}1\n\n]\n", "1 , ".repeat(bytes / 4))),
    ("a table", |bytes| "| a  |  b |   c    |\n".repeat(bytes / 21)),
    ("columns", |bytes| "a     b       c\n".repeat(bytes / 16)),
    ("equal lines", |bytes| "the same\n".repeat(bytes / 9)),
    ("empty lines", |bytes| "\n".repeat(bytes)),
    ("blanks", |bytes| " ".repeat(bytes)),
    ("one sign", |bytes| "=".repeat(bytes)),
    ("one word", |bytes| "x".repeat(bytes)),
    ("base64", |bytes| "aB3+Qz9/xY7".repeat(bytes / 11)),
    ("base64 in words", |bytes| format!("{} ", "aB3+Qz9/xY7".repeat(40)).repeat(bytes / 441)),
    ("a hex dump", |bytes| {
        "00000010: 7f45 4c46 0201 0100 0000 0000 0000 0000\n".repeat(bytes / 50)
    }),
    ("failures", |bytes| "error: it failed\n".repeat(bytes / 17)),
    ("hits", |bytes| (0..bytes / 24).map(|at| format!("src/a.rs:{at}:let x = 1;\n")).collect()),
    ("hits in many files", |bytes| {
        (0..bytes / 24).map(|at| format!("src/{at}.rs:1:let x;\n")).collect()
    }),
    ("diff heads", |bytes| "@@ -1 +1 @@\n".repeat(bytes / 12)),
    ("fences", |bytes| "```\n".repeat(bytes / 4)),
    ("control signs", |bytes| "\u{1}\u{2}".repeat(bytes / 2)),
    ("letters of three bytes", |bytes| "語".repeat(bytes / 3)),
];

/// Conversations, the plain one first.
const CONVERSATIONS: &[StressInput<Conversation>] = &[
    ("forty results", |bytes| repeated_output_conversation(40, &distinct_lines(bytes / 40))),
    ("tiny results", |bytes| repeated_output_conversation(bytes / 60, "ok")),
    ("small results", |bytes| repeated_output_conversation(bytes / 300, &distinct_lines(240))),
    ("tiny messages", |bytes| short_message_conversation(bytes / 15)),
    ("one result again and again", |bytes| {
        repeated_output_conversation(bytes / 2_000, &distinct_lines(2_000))
    }),
    ("one long line again and again", |bytes| {
        repeated_output_conversation(bytes / 2_000, &"x".repeat(2_000))
    }),
    ("a file written in another order each time", |bytes| shuffled(bytes / 20_000)),
    ("searches of many files", |bytes| searches(bytes / 200)),
];

fn main() {
    let bytes = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse());
    let bytes: usize = bytes.expect("the size in bytes");
    // The vocabulary is unpacked at the first count.
    Tokenizer::O200k.count("once");
    print!("{}", stress_inputs::table_heading(bytes));
    let wanted = std::env::args().nth(2).unwrap_or_default();
    let print = |row: &str| println!("{row}");
    let printed =
        |output: &String, profile: &str| planned(&repeated_output_conversation(1, output), profile);
    stress_inputs::measure_rows(OUTPUTS, &wanted, bytes, printed, print);
    println!("\nand after it three quarters of it");
    let again = |output: &String, profile: &str| planned(&with_part(output), profile);
    stress_inputs::measure_rows(OUTPUTS, &wanted, bytes, again, print);
    println!();
    stress_inputs::measure_rows(CONVERSATIONS, &wanted, bytes, planned, print);
}

/// How long a profile takes with the whole conversation.
fn planned(conversation: &Conversation, profile: &str) -> Duration {
    let begun = Instant::now();
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    let profile = Profile::find(profile).expect("one of the engine's own");
    let mut projector = profile.new_projector(&PriceCard::anthropic_5m());
    advance_to_end(&record, &mut projector, |_| ());
    begun.elapsed()
}

/// A result, and a later one with its first three quarters: much of it stands there already.
fn with_part(output: &str) -> Conversation {
    let end = (0..=output.len() / 4 * 3).rev().find(|end| output.is_char_boundary(*end));
    let part = &output[..end.unwrap_or(0)];
    stress_inputs::command_output_conversation([output, part])
}

fn shuffled(times: usize) -> Conversation {
    let mut script = FixtureBuilder::default();
    script.message(MessageRole::User, EntryMark::None, "write it");
    let mut lines: Vec<String> = distinct_lines(10_000).lines().map(str::to_owned).collect();
    let mut seed: usize = 1;
    for _ in 0..times {
        for at in (1..lines.len()).rev() {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            lines.swap(at, (seed >> 33) % (at + 1));
        }
        let text = lines.join("\n");
        script.message(MessageRole::Assistant, EntryMark::None, "");
        script.call("Write", serde_json::json!({"file_path": "/p/a.txt", "content": text}));
        script.result("written", false);
        script.call("Read", serde_json::json!({"file_path": "/p/a.txt"}));
        script.result(&text, false);
    }
    script.finish()
}

/// Two searches with the same hits, one in each of so many files, and one with most of them.
fn searches(files: usize) -> Conversation {
    let hits = |files: usize| -> String {
        (0..files)
            .map(|at| {
                format!("src/part{}/file{at}.rs:{}:let it = find({at});\n", at % 50, at % 90 + 1)
            })
            .collect()
    };
    let mut script = FixtureBuilder::default();
    script.message(MessageRole::User, EntryMark::None, "find it");
    for (pattern, files) in [("find", files), ("it = find", files), ("let it", files / 4 * 3)] {
        script.message(MessageRole::Assistant, EntryMark::None, "");
        script.call(
            "Grep",
            serde_json::json!({"pattern": pattern, "output_mode": "content", "-n": true}),
        );
        script.result(&hits(files), false);
    }
    script.message(MessageRole::Assistant, EntryMark::None, "done");
    script.finish()
}
