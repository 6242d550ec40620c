//! What commands tell, as text.

use std::collections::BTreeMap;

use foveal_agent::{Charge, Spent};
use foveal_screen::numbers;

use crate::command::{Command, all};
use crate::status::{Status, seconds};
use crate::talk::{Block, Talk, changes, paths};

/// Files that are listed.
const FILES_MAX: usize = 200;

/// Keys, and what they do.
const KEYS: &[(&str, &str)] = &[
    ("Enter", "send"),
    ("Alt+Enter, Ctrl+J", "new line"),
    ("Up, Down", "what you said before"),
    ("@", "complete a file or name"),
    ("Ctrl+O", "show all of the last or chosen block"),
    ("Alt+Up, Alt+Down", "choose a block"),
    ("PgUp, PgDn, wheel", "scroll"),
    ("Esc", "back to the end"),
    ("Ctrl+C", "clear, then stop, then twice: quit"),
    ("Tab", "answer a question while you type"),
    ("Ctrl+D", "quit where nothing is typed"),
];

/// Keys and commands.
pub(crate) fn help() -> String {
    let name = |command: &Command| format!("/{} {}", command.name(), command.arguments());
    let names = all().map(|command| (name(&command), command.about()));
    let names: Vec<(String, &str)> =
        names.map(|(name, about)| (name.trim_end().to_owned(), about)).collect();
    let all = KEYS.iter().map(|(key, _)| key.len());
    let wide = all.chain(names.iter().map(|(name, _)| name.len())).max().unwrap_or(0);
    let mut text = String::from("Keys");
    for (key, what) in KEYS {
        text.push_str(&format!("\n  {key:<wide$}  {what}"));
    }
    text.push_str("\nCommands");
    for (name, about) in names {
        text.push_str(&format!("\n  {name:<wide$}  {about}"));
    }
    text
}

/// What the session came to.
pub(crate) fn stats(status: &Status) -> String {
    let Spent { turns, time_ms, side, agents, charge } = status.spent;
    let Charge { uncached, cache_read, cache_write, output, .. } = status.spent.main().charge;
    let (asked, sent) = status.prompts;
    let prompts = uncached + cache_read + cache_write;
    let mut rows = vec![
        ("requests", numbers::count(turns.into())),
        ("prompts", format!("{} tokens", numbers::count(prompts))),
        ("from the cache", format!("{} tokens", numbers::count(cache_read))),
        ("answers", format!("{} tokens", numbers::count(output))),
        ("cost", numbers::dollars(charge.cost)),
        ("calls", numbers::count(status.calls)),
    ];
    if status.is_estimated {
        rows[1].1.push_str(", in part by estimate");
    }
    if side.requests > 0 {
        let asked = numbers::plural(side.requests.into(), "request");
        let tokens = numbers::count(side.charge.tokens());
        let dollars = numbers::dollars(side.charge.cost);
        rows.insert(4, ("models beside", format!("{asked}, {tokens} tokens, {dollars}")));
        rows[5].1.push_str(" with those");
    }
    if let Some(share) = status.cache_share() {
        rows[2].1.push_str(&format!(" ({share} %)"));
    }
    if asked > 0 {
        let left = asked.saturating_sub(sent);
        let share = status.saved_share().unwrap_or(0);
        rows.push(("left out", format!("{} tokens ({share} %)", numbers::count(left))));
    }
    if !agents.are_none() {
        let (turns, tokens) = (numbers::plural(agents.turns.into(), "request"), agents.tokens);
        let (tokens, cost) = (numbers::count(tokens), numbers::dollars_behind(agents.cost));
        let of = format!("{}: {turns}, {tokens} tokens{cost}", agents.count);
        rows.push(("of sub-agents", of));
    }
    let more = [
        ("failed calls", status.failed),
        ("cached answers", status.cached),
        ("asked again", status.retries),
        ("rewrites", status.rewrites),
    ];
    rows.extend(
        more.into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name, numbers::count(count))),
    );
    if let Ok(time_ms @ 1..) = u64::try_from(time_ms) {
        rows.push(("last turn", seconds(time_ms)));
    }
    let rows: Vec<String> =
        rows.into_iter().map(|(name, told)| format!("{name:<15} {told}")).collect();
    rows.join("\n")
}

/// The files that calls named, and how often.
pub(crate) fn files(talk: &Talk) -> String {
    let mut files: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for item in talk.items() {
        let Block::Tool(tool) = &item.block else { continue };
        let own = tool.arguments.iter().flat_map(paths).map(|path| (changes(&tool.name), path));
        let of_agent = tool.agent.iter().flat_map(|agent| agent.files());
        for (is_changed, path) in own.chain(of_agent) {
            let (read, changed) = files.entry(path).or_default();
            *(if is_changed { changed } else { read }) += 1;
        }
    }
    if files.is_empty() {
        return "no file was read or changed".to_owned();
    }
    let told = |(path, (read, changed)): (&String, &(u32, u32))| {
        let counts = [("looked at", *read), ("changed", *changed)];
        let counts: Vec<String> = counts
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| format!("{what} {}", numbers::plural(count.into(), "time")))
            .collect();
        format!("{path}: {}", counts.join(", "))
    };
    let mut rows: Vec<String> = files.iter().take(FILES_MAX).map(told).collect();
    if let Some(over @ 1..) = files.len().checked_sub(FILES_MAX) {
        rows.push(format!("and {over} more"));
    }
    rows.join("\n")
}
