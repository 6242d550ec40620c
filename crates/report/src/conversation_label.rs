//! The date, folder and first words by which a person recognises a conversation.

use foveal_redaction::redact_text;
use foveal_session_readers::format_timestamp;
use foveal_transcript::{Conversation, EntryMark, MessageRole};
use serde::{Deserialize, Serialize};

/// The most characters of the first words.
const FIRST_WORDS_CHARS_MAX: usize = 60;

/// The date, folder and first words of a conversation; empty where they are not recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationLabel {
    /// The day of the first message in UTC, as `2025-11-20`.
    pub date: String,
    /// The working directory.
    pub folder: String,
    /// The beginning of the user's first message, without secrets, on one line.
    pub first_words: String,
}

impl ConversationLabel {
    /// Returns the label of a conversation.
    pub fn from_conversation(conversation: &Conversation) -> Self {
        let time = conversation.entries().iter().find_map(|entry| entry.time);
        let date = time.map(|time| format_timestamp(time).split('T').next().map(str::to_owned));
        Self {
            date: date.flatten().unwrap_or_default(),
            folder: conversation.directory.clone().unwrap_or_default(),
            first_words: first_words(conversation),
        }
    }

    /// Returns the last part of the folder's path.
    pub fn folder_name(&self) -> &str {
        let folder = self.folder.trim_end_matches(['/', '\\']);
        folder.rsplit(['/', '\\']).next().unwrap_or_default()
    }
}

/// Returns the beginning of the first message that a person wrote. Clients put environments and
/// reminders, which begin with a tag, into messages of the user too.
fn first_words(conversation: &Conversation) -> String {
    let of_user = conversation.entries().iter().filter(|entry| entry.role == MessageRole::User);
    let texts = of_user.filter(|entry| entry.mark == EntryMark::None).map(|entry| entry.text());
    let mut texts = texts.filter(|text| !text.trim().is_empty()).take(FIRST_MESSAGES_MAX);
    let Some(first) = texts.next() else { return String::new() };
    let is_of_client = |text: &str| text.trim_start().starts_with('<');
    let text = match is_of_client(&first) {
        true => texts.find(|text| !is_of_client(text)).unwrap_or(first),
        false => first,
    };
    let start: String = text.chars().take(FIRST_TEXT_CHARS_MAX).collect();
    let words = redact_text(&start).split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(FIRST_WORDS_CHARS_MAX) {
        Some((end, _)) => format!("{}…", words[..end].trim_end()),
        None => words,
    }
}

/// The most messages of the user in which the first words are looked for.
const FIRST_MESSAGES_MAX: usize = 8;

/// The most characters of a message that are looked at: long enough for a secret that begins among
/// the first words.
const FIRST_TEXT_CHARS_MAX: usize = 2_000;

#[cfg(test)]
mod tests {
    use foveal_transcript::{ContentBlock, RecordingPosition, Timestamp, TranscriptEntry};

    use super::*;

    fn user(text: &str) -> TranscriptEntry {
        TranscriptEntry {
            source: RecordingPosition { step: 1, result: None },
            role: MessageRole::User,
            time: Some(Timestamp(1_763_681_581_550)),
            mark: EntryMark::None,
            model: None,
            usage: None,
            blocks: vec![ContentBlock::Text(text.to_owned())],
        }
    }

    fn words(texts: &[&str]) -> String {
        let conversation: Conversation = texts.iter().map(|text| user(text)).collect();
        ConversationLabel::from_conversation(&conversation).first_words
    }

    #[test]
    fn a_label_names_day_folder_and_first_words() {
        let mut conversation: Conversation = [user("fix\n  the parser")].into_iter().collect();
        conversation.directory = Some("/home/me/shop/".to_owned());
        let label = ConversationLabel::from_conversation(&conversation);
        assert_eq!((label.date.as_str(), label.folder_name()), ("2025-11-20", "shop"));
        assert_eq!(label.first_words, "fix the parser");
        let nothing = ConversationLabel::from_conversation(&Conversation::default());
        assert_eq!(nothing, ConversationLabel::default());
        assert_eq!(nothing.folder_name(), "");
    }

    #[test]
    fn texts_of_the_client_are_skipped_if_there_are_others() {
        assert_eq!(words(&["<environment/>", " ", "fix it"]), "fix it");
        assert_eq!(words(&["<environment/>"]), "<environment/>");
    }

    #[test]
    fn long_texts_are_cut_and_secrets_left_out() {
        assert_eq!(words(&["é".repeat(61).as_str()]), format!("{}…", "é".repeat(60)));
        let secret = format!("use sk-ant-api03-{}", "aB3dE5fG7h".repeat(9));
        assert!(!words(&[&secret]).contains("aB3dE5fG7h"), "{}", words(&[&secret]));
    }
}
