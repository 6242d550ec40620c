//! What the conversation has shown interest in: files mentioned, read and edited, and when.

use crate::facts::{Facts, HashMapOfLines, file_key};
use foveal_effects::EffectKind;
use foveal_transcript::{Entry, Role};

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

/// Interest in files, by name. Files of one name in different folders share an entry: what
/// people write is rarely more than the name.
#[derive(Debug, Clone, Default)]
pub struct Interest {
    files: HashMapOfLines<FileInterest>,
}

impl Interest {
    /// Takes an entry that became part of the prompt before request `request`.
    pub fn ingest(&mut self, entry: &Entry, facts: &Facts, request: u32) {
        match entry.role {
            Role::User | Role::System => {
                for key in &facts.names {
                    self.files.entry(*key).or_default().asked = Some(request);
                }
            }
            Role::Assistant => self.ingest_answer(facts, request),
            Role::Tool => {}
        }
    }

    fn ingest_answer(&mut self, facts: &Facts, request: u32) {
        for key in &facts.names {
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

    /// The interest in the files that a result shows or that a response edits, taken together.
    pub fn in_files_of(&self, facts: &Facts) -> FileInterest {
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
