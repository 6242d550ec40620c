//! Conversations and files of unusual shapes, and a table of the time that each takes, compared
//! with a plain one of the same size.

use std::fmt::Write;
use std::time::{Duration, Instant};

use foveal_transcript::{Conversation, EntryMark, MessageRole};
use serde_json::json;

use crate::fixture::FixtureBuilder;

/// The names of foveal's profiles.
pub const PROFILES: &[&str] = &["lossless", "balanced", "max"];

/// The name of a shape, and a function that generates about this many bytes of it.
pub type StressInput<T> = (&'static str, fn(usize) -> T);

/// Returns the heading of the table: a column per profile, and one for the longest time as a
/// multiple of that of the plain shape.
pub fn table_heading(bytes: usize) -> String {
    let mut head = format!("{bytes} bytes each, seconds\n\n{:<44}", "");
    for profile in PROFILES {
        let _ = write!(head, "{profile:>10}");
    }
    head + &format!("{:>10}\n", "factor")
}

/// Passes a row for each shape to `print` as soon as it is measured: the plain shape first, then
/// those whose names contain `wanted`. `time` returns the time that a profile takes.
pub fn measure_rows<T>(
    shapes: &[StressInput<T>],
    wanted: &str,
    bytes: usize,
    mut time: impl FnMut(&T, &str) -> Duration,
    mut print: impl FnMut(&str),
) {
    let mut plain = None;
    for (at, (name, shape)) in shapes.iter().enumerate() {
        if at > 0 && !name.contains(wanted) {
            continue;
        }
        let made = shape(bytes);
        let times: Vec<f64> =
            PROFILES.iter().map(|profile| time(&made, profile).as_secs_f64()).collect();
        let mut row = format!("{name:<44}");
        for time in &times {
            let _ = write!(row, "{time:>10.2}");
        }
        let longest = times.iter().copied().fold(0.0, f64::max);
        print(&format!("{row}{:>10.1}", longest / *plain.get_or_insert(longest)));
    }
}

/// Returns a conversation in which a command prints `output` this many times.
pub fn repeated_output_conversation(count: usize, output: &str) -> Conversation {
    command_output_conversation(std::iter::repeat_n(output, count))
}

/// Returns a conversation with one command per output.
pub fn command_output_conversation<'a>(outputs: impl IntoIterator<Item = &'a str>) -> Conversation {
    let mut script = FixtureBuilder::default();
    script.message(MessageRole::User, EntryMark::None, "run it");
    for (at, output) in outputs.into_iter().enumerate() {
        script.message(MessageRole::Assistant, EntryMark::None, "");
        script.call("Bash", json!({"command": format!("./it {at}")}));
        script.result(output, false);
    }
    script.message(MessageRole::Assistant, EntryMark::None, "done");
    script.finish()
}

/// Returns a conversation of this many pairs of short messages.
pub fn short_message_conversation(pairs: usize) -> Conversation {
    let mut script = FixtureBuilder::default();
    for _ in 0..pairs {
        script.message(MessageRole::User, EntryMark::None, "go on");
        script.message(MessageRole::Assistant, EntryMark::None, "I go on");
    }
    script.finish()
}

/// Returns about this many bytes of distinct lines.
pub fn distinct_lines(bytes: usize) -> String {
    (0..bytes / 36).map(|at| format!("line {at} says that {} was made\n", at * 7 % 1013)).collect()
}

/// Source code of plain Rust.
const SOURCE: &str = include_str!("../../engine/src/planner.rs");

/// The length of a long line that is still short enough for syntax and highlighting.
const LONG_LINE_BYTES: usize = 8_000;

/// Files, source code first.
pub const STRESS_FILES: &[StressInput<String>] = &[
    ("source code", source_code),
    ("source code on one line", |bytes| source_code(bytes).replace('\n', " ")),
    ("source code on long lines", |bytes| split_long_lines(&source_code(bytes).replace('\n', " "))),
    ("words on one line", |bytes| "word and word ".repeat(bytes / 14)),
    ("words on long lines", |bytes| split_long_lines(&"word and word ".repeat(bytes / 14))),
    ("line breaks", |bytes| "\n".repeat(bytes)),
    ("opening brackets on one line", |bytes| "[".repeat(bytes)),
    ("opening brackets on long lines", |bytes| split_long_lines(&"[".repeat(bytes))),
    ("opening brackets", |bytes| "[\n".repeat(bytes / 2)),
    ("brackets that close", |bytes| "[\n".repeat(bytes / 4) + &"]\n".repeat(bytes / 4)),
    ("opening braces", |bytes| "{\n".repeat(bytes / 2)),
    ("braces that close", |bytes| "{\n".repeat(bytes / 4) + &"}\n".repeat(bytes / 4)),
    ("opening parentheses", |bytes| "(\n".repeat(bytes / 2)),
    ("calls in calls", |bytes| "f(\n".repeat(bytes / 6) + &")\n".repeat(bytes / 6)),
    ("closing braces", |bytes| "}\n".repeat(bytes / 2)),
    ("objects in objects", |bytes| "{\"a\":\n".repeat(bytes / 6)),
    ("types in types", |bytes| "a<\n".repeat(bytes / 3)),
    ("types in elements", |bytes| "<a\n".repeat(bytes / 3)),
    ("types and commas", |bytes| "a<b,\n".repeat(bytes / 5)),
    ("cases", |bytes| "case a:\n".repeat(bytes / 8)),
    ("words of texts", |bytes| "%w(\n".repeat(bytes / 4)),
    ("closing parentheses", |bytes| "a)\n".repeat(bytes / 3)),
    ("greater than", |bytes| "> a\n".repeat(bytes / 4)),
    ("pieces of templates", |bytes| "`${\n".repeat(bytes / 4)),
    ("commands in commands", |bytes| "$(\n".repeat(bytes / 3)),
    ("texts that never end", |bytes| "<<EOF\n".repeat(bytes / 6)),
    ("a string that never ends", |bytes| format!("a = \"{}", distinct_lines(bytes))),
    ("strings that never end", |bytes| "a = \"b\n".repeat(bytes / 7)),
    ("a long string that never ends", |bytes| format!("a = \"\"\"{}", distinct_lines(bytes))),
    ("quotes", |bytes| "'\n".repeat(bytes / 2)),
    ("three quotes", |bytes| "\"\"\"\n".repeat(bytes / 4)),
    ("a remark that never ends", |bytes| format!("/*{}", distinct_lines(bytes))),
    ("remarks that never end", |bytes| "/*\n".repeat(bytes / 3)),
    ("one key a line", |bytes| (0..bytes / 12).map(|at| format!("a{at} = {at}\n")).collect()),
    ("one key a line, in JSON", |bytes| {
        let keys: String = (0..bytes / 17).map(|at| format!("\"a{at}\": {at},\n")).collect();
        format!("{{\n{keys}\"b\": 1}}\n")
    }),
    ("one key a line, with colons", |bytes| {
        (0..bytes / 12).map(|at| format!("a{at}: {at}\n")).collect()
    }),
    ("one table a line", |bytes| (0..bytes / 10).map(|at| format!("[a.b{at}]\n")).collect()),
    ("one key of many parts", |bytes| split_long_lines(&"a.b.".repeat(bytes / 4))),
    ("keys within each other", |bytes| {
        let deep: String = (0..100).map(|at| format!("{}a:\n", " ".repeat(at))).collect();
        deep.repeat(bytes / deep.len())
    }),
    ("one function a line", |bytes| {
        (0..bytes / 17).map(|at| format!("fn a{at}() {{}}\n")).collect()
    }),
    ("one class a line", |bytes| (0..bytes / 18).map(|at| format!("class A{at} {{}}\n")).collect()),
    ("classes in classes", |bytes| "class A {\n".repeat(bytes / 10)),
    ("functions in functions", |bytes| "function a() {\n".repeat(bytes / 15)),
    ("one import a line", |bytes| (0..bytes / 15).map(|at| format!("import a{at};\n")).collect()),
    ("one heading a line", |bytes| "# a\n".repeat(bytes / 4)),
    ("headings below each other", |bytes| "# a\n## a\n### a\n#### a\n".repeat(bytes / 22)),
    ("list items", |bytes| "- a\n".repeat(bytes / 4)),
    ("lists in lists", |bytes| {
        let deep: String = (0..50).map(|at| format!("{}- a\n", "  ".repeat(at))).collect();
        deep.repeat(bytes / deep.len())
    }),
    ("quotations", |bytes| "> a\n".repeat(bytes / 4)),
    ("rows of a table", |bytes| "|a|b|\n".repeat(bytes / 6)),
    ("fences", |bytes| "```\n".repeat(bytes / 4)),
    ("stars and underscores", |bytes| "*_".repeat(40).repeat(bytes / 80)),
    ("stars and underscores in lines", |bytes| "*a _b **c\n".repeat(bytes / 10)),
    ("elements that never end", |bytes| "<div>\n".repeat(bytes / 6)),
    ("a tag of many attributes", |bytes| format!("<p {}>", "a=b\n".repeat(bytes / 4))),
    ("conditions", |bytes| "#if a\n".repeat(bytes / 6)),
    ("else and if", |bytes| "else if (a)\n".repeat(bytes / 12)),
    ("ifs", |bytes| "if (a)\n".repeat(bytes / 7)),
    ("questions", |bytes| "a ?\n".repeat(bytes / 4)),
    ("arrows", |bytes| "a =>\n".repeat(bytes / 5)),
    ("sums", |bytes| "a +\n".repeat(bytes / 4)),
    ("commas", |bytes| "a,\n".repeat(bytes / 3)),
    ("semicolons", |bytes| ";\n".repeat(bytes / 2)),
    ("one sign of each", |bytes| "!@#$%^&*()-=+[]{};:'\",.<>/?|`~\n".repeat(bytes / 32)),
    ("marks of decorators", |bytes| "@a\n".repeat(bytes / 3)),
    ("stars", |bytes| "*\n".repeat(bytes / 2)),
    ("line ends that go on", |bytes| "\\\n".repeat(bytes / 2)),
    ("control signs", |bytes| "\u{1}\n".repeat(bytes / 2)),
    ("letters of three bytes", |bytes| "語\n".repeat(bytes / 4)),
    ("one word a line", |bytes| "a\n".repeat(bytes / 2)),
    ("one sign", |bytes| "=".repeat(bytes)),
    ("blanks", |bytes| " ".repeat(bytes)),
];

/// Returns about this many bytes of source code.
pub fn source_code(bytes: usize) -> String {
    let mut text = SOURCE.repeat(bytes / SOURCE.len() + 1);
    text.truncate(bytes);
    text
}

fn split_long_lines(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    signs.chunks(LONG_LINE_BYTES).flat_map(|line| line.iter().chain(Some(&'\n'))).collect()
}

/// Returns the time that `work` takes in seconds: processor time if the system reports it, since
/// other processes use the machine too.
pub fn measure_processor_seconds(work: impl FnOnce()) -> f64 {
    let (begun, used) = (Instant::now(), thread_processor_seconds());
    work();
    let used = used.zip(thread_processor_seconds()).map(|(before, after)| after - before);
    used.unwrap_or_else(|| begun.elapsed().as_secs_f64())
}

/// Returns the processor time of this thread in seconds (Linux).
fn thread_processor_seconds() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(told.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}
