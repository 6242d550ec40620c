//! The conversation before a read, as a text to rank lines by.

use foveal_engine::conversation_record::ConversationRecord;
use foveal_transcript::{EntryIndex, EntryMark, MessageRole};

/// The number of entries before the read that count as recent.
const RECENT_ENTRIES: usize = 12;
/// The most characters of a user's message.
const USER_CHARS: usize = 6_000;
/// The most characters of a response or a result.
const RECENT_CHARS: usize = 2_000;

/// Returns the user's first and last message, then the latest responses and results up to and
/// including the call that read. The result at `read` is not part of it.
pub(super) fn question_text(record: &ConversationRecord, read: EntryIndex) -> String {
    let before = &record.entries()[..read.as_usize()];
    let mut parts: Vec<String> = Vec::new();
    let user = before
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.role == MessageRole::User && entry.mark == EntryMark::None);
    let places: Vec<usize> = user.map(|(at, _)| at).collect();
    let mut tasks: Vec<usize> = places.first().into_iter().chain(places.last()).copied().collect();
    tasks.dedup();
    parts.extend(tasks.into_iter().map(|at| first_characters(&before[at].text(), USER_CHARS)));
    let recent = before.len().saturating_sub(RECENT_ENTRIES);
    for (at, entry) in before.iter().enumerate().skip(recent) {
        match entry.role {
            MessageRole::Assistant => {
                parts.push(first_characters(&entry.prompt_text(), RECENT_CHARS));
            }
            // A result of a call in the same response tells which other files are read.
            MessageRole::Tool => {
                let index = EntryIndex(u32::try_from(at).unwrap_or(u32::MAX));
                let label = record.facts(index).label();
                parts.push(format!(
                    "{label}\n{}",
                    first_characters(&entry.prompt_text(), RECENT_CHARS)
                ));
            }
            MessageRole::System | MessageRole::User => {}
        }
    }
    parts.join("\n\n")
}

fn first_characters(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
