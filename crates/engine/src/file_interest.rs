//! The files that the conversation mentioned, read or edited, and when.

use crate::entry_facts::{EntryFacts, LineHashMap, file_key};
use foveal_tool_effects::EffectKind;
use foveal_transcript::{MessageRole, TranscriptEntry};

/// The requests at which something happened to a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileInterest {
    /// Last request before which a user's text named it.
    pub asked: Option<u32>,
    /// Last request before which an answer named it, in text or arguments.
    pub named: Option<u32>,
    /// Last request before which an answer edited it.
    pub edited: Option<u32>,
    /// Last request before which an answer read it.
    pub read: Option<u32>,
}

/// Interest in files, by name. Files of one name in different folders share an entry, since users
/// rarely write more than the name.
#[derive(Debug, Clone, Default)]
pub struct FileInterestTable {
    files: LineHashMap<FileInterest>,
}

impl FileInterestTable {
    /// Adds an entry that became part of the prompt before request `request`.
    pub fn ingest(&mut self, entry: &TranscriptEntry, facts: &EntryFacts, request: u32) {
        match entry.role {
            MessageRole::User | MessageRole::System => {
                for key in &facts.mentioned_files {
                    self.files.entry(*key).or_default().asked = Some(request);
                }
            }
            MessageRole::Assistant => self.ingest_answer(facts, request),
            MessageRole::Tool => {}
        }
    }

    fn ingest_answer(&mut self, facts: &EntryFacts, request: u32) {
        for key in &facts.mentioned_files {
            let file = self.files.entry(*key).or_default();
            file.named = Some(request);
        }
        for call in &facts.calls {
            for write in &call.effect.writes {
                let file = self.files.entry(file_key(&write.path)).or_default();
                file.edited = Some(request);
            }
            if call.effect.kind == EffectKind::Read {
                for read in &call.effect.reads {
                    self.files.entry(file_key(&read.path)).or_default().read = Some(request);
                }
            }
        }
    }

    /// Returns the combined interest in the files that a result shows or a response edits.
    pub fn interest_in_files(&self, facts: &EntryFacts) -> FileInterest {
        let mut all = FileInterest::default();
        for key in &facts.files {
            let Some(file) = self.files.get(key) else { continue };
            all.asked = all.asked.max(file.asked);
            all.named = all.named.max(file.named);
            all.edited = all.edited.max(file.edited);
            all.read = all.read.max(file.read);
        }
        all
    }
}
