//! What a session can go back to, and what that means for files.

use foveal_screen::in_one_line;
use foveal_tools::{FileBack, Stands, Was};
use foveal_transcript::{Entry, Role, Timestamp};

/// Characters of what was said.
const WORDS_CHARS_MAX: usize = 72;

/// A message of the person's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SaidByPerson {
    /// Its place in the agent's conversation.
    pub(crate) place: usize,
    /// When it was said.
    pub(crate) time: Option<Timestamp>,
    /// Its first words.
    pub(crate) words: String,
}

/// What the person said in a conversation, in order.
pub(crate) fn said_by_person(entries: &[Entry]) -> Vec<SaidByPerson> {
    let of_person = entries.iter().enumerate().filter(|(_, entry)| entry.role == Role::User);
    let said = |(place, entry): (usize, &Entry)| {
        let text = entry.text();
        let line = in_one_line(text.trim().lines().next().unwrap_or_default()).into_owned();
        let words: String = line.chars().take(WORDS_CHARS_MAX).collect();
        let words = if words.len() < line.len() { format!("{words} …") } else { words };
        SaidByPerson { place, time: entry.time, words }
    };
    of_person.map(said).collect()
}

/// What becomes of a file that is to go back, in a line.
pub(crate) fn line_of(file: &FileBack, force: bool) -> String {
    let path = in_one_line(&file.path);
    match (&file.stands, file.was) {
        (Stands::AsItWas, _) => format!("is as it was   {path}"),
        (Stands::Lost(why), _) => format!("is left        {path}: {}", in_one_line(why)),
        (Stands::Changed, _) if !force => {
            format!("is left        {path}: others changed it too; --force undoes that with it")
        }
        (_, Was::NoFile) => format!("is removed     {path}"),
        (_, Was::Held(_)) => format!("is put back    {path}"),
    }
}
