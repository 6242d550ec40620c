//! Lists the points that a session can go back to, and the effect on files.

use foveal_screen::escape_one_line;
use foveal_tools::{EarlierContent, RewindState, RewindableFile};
use foveal_transcript::{MessageRole, Timestamp, TranscriptEntry};

/// The most characters of a message that are shown.
const FIRST_WORDS_CHARS_MAX: usize = 72;

/// A message of the user, to which the session can go back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindPoint {
    /// Its index in the agent's conversation.
    pub entry_index: usize,
    /// The time of the message.
    pub time: Option<Timestamp>,
    /// Its first words.
    pub first_words: String,
}

/// Returns the messages of the user in a conversation, in order.
pub fn rewind_points(entries: &[TranscriptEntry]) -> Vec<RewindPoint> {
    let of_person = entries.iter().enumerate().filter(|(_, entry)| entry.role == MessageRole::User);
    let said = |(place, entry): (usize, &TranscriptEntry)| {
        let text = entry.text();
        let line = escape_one_line(text.trim().lines().next().unwrap_or_default()).into_owned();
        let words: String = line.chars().take(FIRST_WORDS_CHARS_MAX).collect();
        let words = if words.len() < line.len() { format!("{words} …") } else { words };
        RewindPoint { entry_index: place, time: entry.time, first_words: words }
    };
    of_person.map(said).collect()
}

/// The stage of a rewind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindStage {
    /// The files are not changed yet.
    Planned,
    /// The files are changed.
    Done,
}

impl RewindStage {
    /// Returns the word of this stage, padded to a column.
    fn word(self, planned: &str, done: &str) -> String {
        match self {
            Self::Planned => format!("{planned:<9}"),
            Self::Done => format!("{done:<9}"),
        }
    }
}

/// Describes in one line the effect of a rewind on a file.
pub fn describe_file_rewind(file: &RewindableFile, stage: RewindStage, force: bool) -> String {
    let path = escape_one_line(&file.path);
    let skipped = stage.word("skip", "skipped");
    match (&file.state, file.earlier) {
        (RewindState::Unchanged, _) => format!("unchanged  {path}"),
        (RewindState::NotRestorable(why), _) => {
            format!("{skipped}  {path}: {}", escape_one_line(why))
        }
        (RewindState::ChangedByOthers, _) if !force => {
            format!("{skipped}  {path}: others changed it too; --force undoes their changes too")
        }
        (_, EarlierContent::NoFile) => format!("{}  {path}", stage.word("delete", "deleted")),
        (_, EarlierContent::Content(_)) => {
            format!("{}  {path}", stage.word("restore", "restored"))
        }
    }
}
