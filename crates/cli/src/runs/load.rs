//! What the store has of a run.

use foveal_agent::{Keep, Past};
use foveal_store::{RecordNumber, SessionId, Store, StoreError};
use foveal_transcript::{Conversation, Entry, Role};

use super::decode::{Decoded, Decoder};
use super::kept::Run;

/// Messages that are read at a time.
const PAGE: usize = 256;

/// Messages of a run among which what the person said first is looked for.
const FIRST: usize = 4;

/// What the store has of a run.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    /// What was said and done.
    pub(crate) past: Past,
    /// How it was gone on with each time, the first first.
    pub(crate) runs: Vec<Run>,
    /// Of each message of the conversation: which of them it is of.
    of_run: Vec<usize>,
    /// Whether secrets were left out.
    pub(crate) has_secrets: bool,
    /// Texts that are no longer kept.
    pub(crate) lost: u64,
    /// The first message that cannot be read. Nothing behind it was looked at.
    pub(crate) damaged: Option<u64>,
}

impl Loaded {
    /// The conversation of the session called `id`.
    pub(crate) fn conversation(&self, id: &SessionId, directory: Option<&String>) -> Conversation {
        let mut conversation: Conversation = self.past.entries().iter().cloned().collect();
        conversation.id.clone_from(&id.0);
        conversation.agent = Some("foveal".to_owned());
        conversation.directory = directory.cloned();
        conversation
    }

    /// What was said and done, as `run` may be told it: what only another model's provider can read
    /// is left out. And whether something was.
    pub(crate) fn past_for(&self, run: &Run) -> (Past, bool) {
        let is_other = |at: usize| {
            let of = self.of_run.get(at).and_then(|of| self.runs.get(*of));
            of.is_none_or(|of| (&of.model, &of.protocol) != (&run.model, &run.protocol))
        };
        let past = self.past.clone().without_sealed(is_other);
        let is_less = past != self.past;
        (past, is_less)
    }
}

/// Reads a run.
///
/// # Errors
/// Those of the store.
pub(crate) fn load(store: &dyn Store, session: &SessionId) -> Result<Loaded, StoreError> {
    let mut loaded = Loaded::default();
    let mut decoder = Decoder { store, has_secrets: false, lost: 0 };
    let mut from = RecordNumber(1);
    'pages: loop {
        let page = store.messages(session, from, PAGE)?;
        let is_last = page.len() < PAGE;
        for said in page {
            from = RecordNumber(said.number.0 + 1);
            let decoded = said.message.map(|message| decoder.message(message)).transpose()?;
            match decoded.flatten() {
                Some(Decoded::Run(run)) => loaded.runs.push(run),
                Some(Decoded::Keep(keep)) => {
                    if matches!(keep, Keep::Entry(_)) {
                        loaded.of_run.push(loaded.runs.len().saturating_sub(1));
                    }
                    loaded.past.take(keep);
                }
                None => {
                    loaded.damaged = Some(said.number.0);
                    break 'pages;
                }
            }
        }
        if is_last {
            break;
        }
    }
    (loaded.has_secrets, loaded.lost) = (decoder.has_secrets, decoder.lost);
    Ok(loaded)
}

/// What is said of a run whose log cannot be read from this message on.
pub(crate) fn damaged(number: u64) -> String {
    format!(
        "message {number} of its log is damaged, or of a later version of foveal: what stands \
         behind it is not shown"
    )
}

/// What the person said first in a run, if that is kept.
pub(crate) fn first_words(store: &dyn Store, session: &SessionId) -> Option<String> {
    let mut decoder = Decoder { store, has_secrets: false, lost: 0 };
    let first = store.messages(session, RecordNumber(1), FIRST).ok()?;
    first.into_iter().find_map(|said| match decoder.message(said.message?).ok()?? {
        Decoded::Keep(Keep::Entry(entry)) if entry.role == Role::User => Some(Entry::text(&entry)),
        Decoded::Keep(_) | Decoded::Run(_) => None,
    })
}
