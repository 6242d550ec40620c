//! What was said in sessions that are taken up again.

use foveal_transcript::Timestamp;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::StoreError;
use crate::json::{check_depth, text_of};
use crate::keys::{RecordNumber, SessionId};
use crate::records::{Message, Said, Sealed};

use super::log::{self, Log};

/// A message as it is stored. What is sealed goes beside what it says.
#[derive(Serialize, Deserialize)]
struct Stored {
    says: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sealed: Vec<Option<String>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
}

/// The text of a message.
///
/// # Errors
/// [`StoreError::TooLarge`], [`StoreError::TooDeep`].
pub(super) fn text(message: &Message) -> Result<String, StoreError> {
    let Message { payload, sealed, is_whole } = message;
    // It lies in one object more.
    check_depth(payload)?;
    let sealed = sealed.iter().map(|sealed| Some(sealed.as_ref()?.json.clone())).collect();
    let stored = Stored { says: payload.clone(), sealed, redacted: !is_whole };
    text_of(&serde_json::to_value(stored)?)
}

pub(super) fn append(
    connection: &Connection,
    session: &SessionId,
    texts: &[String],
    now: Timestamp,
) -> Result<(), StoreError> {
    texts
        .iter()
        .try_for_each(|text| log::append(connection, session, Log::Messages, text, now).map(drop))
}

pub(super) fn read(
    connection: &Connection,
    session: &SessionId,
    from: RecordNumber,
    most: usize,
) -> Result<Vec<Said>, StoreError> {
    let message = |Stored { says, sealed, redacted }: Stored| Message {
        payload: says,
        sealed: sealed
            .into_iter()
            .map(|json| Some(Sealed { json: json?, closed: vec![] }))
            .collect(),
        is_whole: !redacted,
    };
    let read = log::read::<Stored>(connection, session, Log::Messages, from, most)?;
    let said = |(number, time, stored): (_, _, Option<_>)| Said {
        number,
        time,
        message: stored.map(message),
    };
    Ok(read.into_iter().map(said).collect())
}
