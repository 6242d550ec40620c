//! The output of the commands `/help`, `/stats` and `/files`.

use std::collections::BTreeMap;

use foveal_agent::{RunTotals, UsageCharge};
use foveal_screen::numbers;

use crate::session_status::{SessionStatus, format_duration};
use crate::slash_command::{SlashCommand, all_commands};
use crate::transcript_view::{ChatBlock, TranscriptView, is_edit_tool, paths_of_call};

/// The number of files that `/files` lists at most.
const FILES_MAX: usize = 200;

/// Keys and their descriptions.
const KEY_BINDINGS: &[(&str, &str)] = &[
    ("Enter", "send"),
    ("Alt+Enter, Ctrl+J", "new line"),
    ("Up, Down", "earlier messages"),
    ("@", "complete a file or name"),
    ("Ctrl+O", "expand the last or selected block"),
    ("Alt+Up, Alt+Down", "select a block"),
    ("PgUp, PgDn, wheel", "scroll"),
    ("Esc", "back to the end"),
    ("Ctrl+C", "clear the input, or stop; twice: quit"),
    ("Tab", "answer a question while typing"),
    ("Ctrl+D", "quit if nothing is typed"),
];

/// Returns the list of keys and commands.
pub(crate) fn format_help() -> String {
    let name = |command: &SlashCommand| format!("/{} {}", command.name(), command.arguments());
    let names = all_commands().map(|command| (name(&command), command.description()));
    let names: Vec<(String, &str)> =
        names.map(|(name, about)| (name.trim_end().to_owned(), about)).collect();
    let all = KEY_BINDINGS.iter().map(|(key, _)| key.len());
    let wide = all.chain(names.iter().map(|(name, _)| name.len())).max().unwrap_or(0);
    let mut text = String::from("Keys");
    for (key, what) in KEY_BINDINGS {
        text.push_str(&format!("\n  {key:<wide$}  {what}"));
    }
    text.push_str("\nCommands");
    for (name, about) in names {
        text.push_str(&format!("\n  {name:<wide$}  {about}"));
    }
    text
}

/// Returns the session's requests, tokens, cost and counts.
pub(crate) fn format_stats(status: &SessionStatus) -> String {
    let RunTotals { turns, time_ms, side, agents, charge, repeats } = status.totals;
    let UsageCharge { uncached, cache_read, cache_write, output, .. } =
        status.totals.without_side_models().charge;
    let (asked, sent) = status.all_prompts;
    let prompts = uncached + cache_read + cache_write;
    let mut rows = vec![
        ("requests", numbers::format_count(turns.into())),
        ("prompts", format!("{} tokens", numbers::format_count(prompts))),
        ("cache reads", format!("{} tokens", numbers::format_count(cache_read))),
        ("answers", format!("{} tokens", numbers::format_count(output))),
        ("cost", numbers::format_cost(charge.cost, charge.has_unknown_cost)),
        ("calls", numbers::format_count(status.calls)),
    ];
    if status.is_estimated {
        rows[1].1.push_str(", partly estimated");
    }
    if side.requests > 0 {
        let asked = numbers::format_plural(side.requests.into(), "request");
        let tokens = numbers::format_count(side.charge.total_tokens());
        let dollars = numbers::format_cost(side.charge.cost, side.charge.has_unknown_cost);
        rows.insert(4, ("side models", format!("{asked}, {tokens} tokens, {dollars}")));
        rows[5].1.push_str(" including side models");
    }
    if let Some(share) = status.cache_read_percent() {
        rows[2].1.push_str(&format!(" ({share} %)"));
    }
    if asked > 0 {
        let left = asked.saturating_sub(sent);
        let share = status.omitted_percent().unwrap_or(0);
        rows.push(("left out", format!("{} tokens ({share} %)", numbers::format_count(left))));
    }
    if !agents.is_zero() {
        let (turns, tokens) =
            (numbers::format_plural(agents.turns.into(), "request"), agents.tokens);
        let (tokens, cost) =
            (numbers::format_count(tokens), numbers::cost_suffix(agents.cost, false));
        let of = format!("{}: {turns}, {tokens} tokens{cost}", agents.count);
        rows.push(("sub-agents", of));
    }
    let more = [
        ("failed calls", status.failed_calls),
        ("repeated calls", repeats.into()),
        ("retries", status.retries),
        ("rewrites", status.rewrites),
    ];
    rows.extend(
        more.into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name, numbers::format_count(count))),
    );
    if let Ok(time_ms @ 1..) = u64::try_from(time_ms) {
        rows.push(("last turn", format_duration(time_ms)));
    }
    let rows: Vec<String> =
        rows.into_iter().map(|(name, told)| format!("{name:<15} {told}")).collect();
    rows.join("\n")
}

/// Returns the files that calls named, with the number of reads and changes.
pub(crate) fn format_files(talk: &TranscriptView) -> String {
    let mut files: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for item in talk.items() {
        let ChatBlock::Tool(tool) = &item.block else { continue };
        let own = tool
            .arguments
            .iter()
            .flat_map(paths_of_call)
            .map(|path| (is_edit_tool(&tool.name), path));
        let of_agent = tool.sub_agent.iter().flat_map(|agent| agent.files());
        for (is_changed, path) in own.chain(of_agent) {
            let (read, changed) = files.entry(path).or_default();
            *(if is_changed { changed } else { read }) += 1;
        }
    }
    if files.is_empty() {
        return "no file was read or changed".to_owned();
    }
    let told = |(path, (read, changed)): (&String, &(u32, u32))| {
        let counts = [("read", *read), ("changed", *changed)];
        let counts: Vec<String> = counts
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| format!("{what} {}", numbers::format_plural(count.into(), "time")))
            .collect();
        format!("{path}: {}", counts.join(", "))
    };
    let mut rows: Vec<String> = files.iter().take(FILES_MAX).map(told).collect();
    if let Some(over @ 1..) = files.len().checked_sub(FILES_MAX) {
        rows.push(format!("and {over} more"));
    }
    rows.join("\n")
}
