//! Loads runs from the store.

use foveal_agent::{ResumeState, RunLogEntry};
use foveal_providers::ModelSpec;
use foveal_store::{RecordNumber, SessionId, Store, StoreError};
use foveal_transcript::{Conversation, MessageRole, TranscriptEntry};

use super::log_decoder::{DecodedLogRecord, RunLogDecoder};
use super::log_record::RunSettings;

/// The name of foveal's own agent in conversations.
pub const OWN_AGENT_NAME: &str = "foveal";

/// The number of messages that are read at a time.
const PAGE_SIZE: usize = 256;

/// The number of messages of a run that are searched for the first one of the user.
const FIRST_MESSAGES_MAX: usize = 4;

/// A run as it was loaded from the store.
#[derive(Debug, Default)]
pub(crate) struct StoredRun {
    /// The messages and calls of the run.
    pub(crate) resume_state: ResumeState,
    /// The settings of its start and of each time it was resumed, in order.
    pub(crate) run_settings: Vec<RunSettings>,
    /// For each message of the conversation, the index of its settings in `run_settings`.
    settings_indices: Vec<usize>,
    /// Whether secrets were removed from it.
    pub(crate) has_secrets: bool,
    /// The number of texts that the store no longer has.
    pub(crate) lost_texts: u64,
    /// The number of the first unreadable message. Messages after it were not read.
    pub(crate) first_damaged: Option<u64>,
}

impl StoredRun {
    /// Returns the conversation, as that of the session `id`.
    pub(crate) fn to_conversation(
        &self,
        id: &SessionId,
        directory: Option<&String>,
    ) -> Conversation {
        let entries = self.resume_state.entries().iter().cloned().enumerate();
        let mut conversation: Conversation = entries
            .map(|(at, mut entry)| {
                // The name of a local model does not tell that it is one.
                if entry.model.is_some()
                    && let Some(name) = self.free_model_name(at)
                {
                    entry.model = Some(name.into());
                }
                entry
            })
            .collect();
        conversation.id.clone_from(&id.0);
        conversation.agent = Some(OWN_AGENT_NAME.to_owned());
        conversation.directory = directory.cloned();
        conversation.has_unshaped_results = true;
        conversation
    }

    /// Returns the name that the user gave the model of a message, if the model is free.
    fn free_model_name(&self, at: usize) -> Option<&str> {
        let settings = self.run_settings.get(*self.settings_indices.get(at)?)?;
        let spec: ModelSpec = settings.model.parse().ok()?;
        spec.is_free().then_some(settings.model.as_str())
    }

    /// Returns the messages and calls for a run with the settings `run`, without the parts that
    /// only another model's provider can read, and whether any were removed.
    pub(crate) fn resume_state_for(&self, run: &RunSettings) -> (ResumeState, bool) {
        let is_other = |at: usize| {
            let of = self.settings_indices.get(at).and_then(|of| self.run_settings.get(*of));
            of.is_none_or(|of| (&of.model, &of.protocol) != (&run.model, &run.protocol))
        };
        let past = self.resume_state.clone().without_opaque_blocks(is_other);
        let is_less = past != self.resume_state;
        (past, is_less)
    }
}

/// Loads a run.
///
/// # Errors
/// Returns errors of the store.
pub(crate) fn load_stored_run(
    store: &dyn Store,
    session: &SessionId,
) -> Result<StoredRun, StoreError> {
    let mut loaded = StoredRun::default();
    let mut decoder = RunLogDecoder { store, has_secrets: false, lost_texts: 0 };
    let mut from = RecordNumber(1);
    'pages: loop {
        let page = store.messages(session, from, PAGE_SIZE)?;
        let is_last = page.len() < PAGE_SIZE;
        for said in page {
            from = RecordNumber(said.number.0 + 1);
            let decoded =
                said.message.map(|message| decoder.decode_message(message)).transpose()?;
            match decoded.flatten() {
                Some(DecodedLogRecord::Run(run)) => loaded.run_settings.push(run),
                Some(DecodedLogRecord::Keep(keep)) => {
                    if matches!(keep, RunLogEntry::Message(_)) {
                        loaded.settings_indices.push(loaded.run_settings.len().saturating_sub(1));
                    }
                    loaded.resume_state.apply(keep);
                }
                None => {
                    loaded.first_damaged = Some(said.number.0);
                    break 'pages;
                }
            }
        }
        if is_last {
            break;
        }
    }
    (loaded.has_secrets, loaded.lost_texts) = (decoder.has_secrets, decoder.lost_texts);
    Ok(loaded)
}

/// Returns the message for a run whose log cannot be read from message `number` on.
pub fn describe_damage(number: u64) -> String {
    format!(
        "message {number} of its log is damaged, or from a later version of foveal: the messages \
         after it are not shown"
    )
}

/// Returns the first message of the user in a run, if it is stored.
pub fn first_user_text(store: &dyn Store, session: &SessionId) -> Option<String> {
    let mut decoder = RunLogDecoder { store, has_secrets: false, lost_texts: 0 };
    let first = store.messages(session, RecordNumber(1), FIRST_MESSAGES_MAX).ok()?;
    first.into_iter().find_map(|said| match decoder.decode_message(said.message?).ok()?? {
        DecodedLogRecord::Keep(RunLogEntry::Message(entry)) if entry.role == MessageRole::User => {
            Some(TranscriptEntry::text(&entry))
        }
        DecodedLogRecord::Keep(_) | DecodedLogRecord::Run(_) => None,
    })
}
