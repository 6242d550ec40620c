//! A conversation until a read, as a text to rank lines by.

use foveal_context::record::Record;
use foveal_transcript::{EntryIndex, Mark, Role};

/// Entries before the read that count as recent.
const RECENT_ENTRIES: usize = 12;
/// Most characters of a user's message.
const USER_CHARS: usize = 6_000;
/// Most characters of a response or a result.
const RECENT_CHARS: usize = 2_000;

/// Returns the user's first and last message, then the latest responses and results up to the call
/// that read, itself included. The result at `read` is not part of it.
pub(super) fn question_text(record: &Record, read: EntryIndex) -> String {
    let before = &record.entries()[..read.at()];
    let mut parts: Vec<String> = Vec::new();
    let user = before
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.role == Role::User && entry.mark == Mark::None);
    let places: Vec<usize> = user.map(|(at, _)| at).collect();
    let mut tasks: Vec<usize> = places.first().into_iter().chain(places.last()).copied().collect();
    tasks.dedup();
    parts.extend(tasks.into_iter().map(|at| start(&before[at].text(), USER_CHARS)));
    let recent = before.len().saturating_sub(RECENT_ENTRIES);
    for (at, entry) in before.iter().enumerate().skip(recent) {
        match entry.role {
            Role::Assistant => parts.push(start(&entry.prompt_text(), RECENT_CHARS)),
            // An answer to a call of the same response says what else is looked at.
            Role::Tool => {
                let index = EntryIndex(u32::try_from(at).unwrap_or(u32::MAX));
                let label = record.facts(index).label();
                parts.push(format!("{label}\n{}", start(&entry.prompt_text(), RECENT_CHARS)));
            }
            Role::System | Role::User => {}
        }
    }
    parts.join("\n\n")
}

fn start(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
