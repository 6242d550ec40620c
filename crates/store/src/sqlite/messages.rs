//! The messages of sessions that can be resumed.

use foveal_transcript::Timestamp;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::StoreError;
use crate::json::{check_depth, to_json_text};
use crate::keys::{RecordNumber, SessionId};
use crate::records::{MessageRecord, SealedJson, StoredMessage};

use super::session_log::{self, LogKind};

/// A message as it is stored, with its sealed parts beside the payload.
#[derive(Serialize, Deserialize)]
struct MessageJson {
    says: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sealed: Vec<Option<String>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
}

/// Serializes a message.
///
/// # Errors
/// [`StoreError::TooLarge`], [`StoreError::TooDeep`].
pub(super) fn message_json_text(message: &StoredMessage) -> Result<String, StoreError> {
    let StoredMessage { payload, sealed, is_unredacted: is_whole } = message;
    // The payload is nested one level deeper than the message.
    check_depth(payload)?;
    let sealed = sealed.iter().map(|sealed| Some(sealed.as_ref()?.json.clone())).collect();
    let stored = MessageJson { says: payload.clone(), sealed, redacted: !is_whole };
    to_json_text(&serde_json::to_value(stored)?)
}

pub(super) fn append_messages(
    connection: &Connection,
    session: &SessionId,
    texts: &[String],
    now: Timestamp,
) -> Result<(), StoreError> {
    texts.iter().try_for_each(|text| {
        session_log::append_record(connection, session, LogKind::Messages, text, now).map(drop)
    })
}

pub(super) fn read_messages(
    connection: &Connection,
    session: &SessionId,
    from: RecordNumber,
    most: usize,
) -> Result<Vec<MessageRecord>, StoreError> {
    let message = |MessageJson { says, sealed, redacted }: MessageJson| StoredMessage {
        payload: says,
        sealed: sealed
            .into_iter()
            .map(|json| Some(SealedJson { json: json?, opaque_values: vec![] }))
            .collect(),
        is_unredacted: !redacted,
    };
    let read =
        session_log::read_log::<MessageJson>(connection, session, LogKind::Messages, from, most)?;
    let said = |(number, time, stored): (_, _, Option<_>)| MessageRecord {
        number,
        time,
        message: stored.map(message),
    };
    Ok(read.into_iter().map(said).collect())
}
