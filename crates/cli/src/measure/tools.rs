//! The tools that a recorded conversation declared, and those that it called.

use foveal_context::tokens::Tokens;
use foveal_context::tool_use::{Conversed, Defined, carried};
use foveal_replay::run::request_time;
use foveal_transcript::{Conversation, Entry};
use foveal_wire::body::{Shortened, ToolDefinition, definitions, without};

use super::plan::Plan;

/// What shortening its tools depends on.
pub(super) fn conversed(plan: &Plan<'_>, conversation: &Conversation) -> Conversed {
    let entries = conversation.entries();
    let calls = entries.iter().flat_map(Entry::calls);
    let times = conversation.responses().map(|answer| request_time(conversation, answer));
    let tools = conversation.tools.as_deref().unwrap_or_default();
    Conversed {
        time: entries.iter().find_map(|entry| entry.time),
        tools: defined(plan, tools),
        called: calls.map(|call| call.name.clone()).collect(),
        carried: carried(times, plan.prices),
    }
}

/// The functions of a list of tools. What cannot be read of it is not shortened.
fn defined(plan: &Plan<'_>, tools: &str) -> Vec<Defined> {
    let bytes = tools.as_bytes();
    let found = match bytes.first() {
        Some(b'[') => definitions(bytes, &(0..bytes.len())).unwrap_or_default(),
        _ => Vec::new(),
    };
    let count = |bytes: &[u8]| plan.tokenizer.count(&String::from_utf8_lossy(bytes));
    let tokens = |tool: &ToolDefinition, how: Shortened| -> Option<Tokens> {
        let own = &bytes[tool.place.clone()];
        let alone = definitions(&[b"[", own, b"]"].concat(), &(0..own.len() + 2)).ok()?;
        let listed = [b"[", own, b"]"].concat();
        let left_out = alone.first()?.shortened(&listed, how, &|_| false).ok()?;
        let left = without(&listed, &left_out);
        Some(count(&left[1..left.len() - 1]))
    };
    let defined = found.iter().map(|tool| {
        let whole = count(&bytes[tool.place.clone()]);
        let plain = tokens(tool, Shortened::Noise).unwrap_or(whole);
        let short = tokens(tool, Shortened::Texts).unwrap_or(plain);
        Defined { name: tool.name.clone(), tokens: whole, plain, short }
    });
    defined.collect()
}
