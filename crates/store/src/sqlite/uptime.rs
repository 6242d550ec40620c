//! How long ago a session was used or something noted, also if the clock was set meanwhile.

use std::fmt;
use std::sync::Arc;

use foveal_transcript::Timestamp;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::keys::SessionId;

/// How long the machine runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uptime {
    /// Names this start of the machine, and no other.
    pub boot: String,
    /// Milliseconds since then, sleep included.
    pub ms: i64,
}

/// A moment by both clocks: the one that a person can set, and the other, if the system tells it.
#[derive(Debug)]
pub(super) struct Now {
    pub(super) clock: Timestamp,
    pub(super) uptime: Option<Uptime>,
}

impl Now {
    /// The name of this start of the machine, and milliseconds since.
    pub(super) fn of_machine(&self) -> (Option<&str>, Option<i64>) {
        let uptime = self.uptime.as_ref();
        (uptime.map(|uptime| &*uptime.boot), uptime.map(|uptime| uptime.ms))
    }
}

/// How much later a session has to be used for that to be written again.
const STEP_MS: i64 = 60_000;

/// Tells how long the machine runs; `None` where the system does not.
#[derive(Clone)]
pub(super) struct UptimeClock(Arc<dyn Fn() -> Option<Uptime> + Send + Sync>);

impl UptimeClock {
    pub(super) fn new(tell: impl Fn() -> Option<Uptime> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(super) fn now(&self) -> Option<Uptime> {
        (self.0)()
    }
}

impl fmt::Debug for UptimeClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UptimeClock")
    }
}

/// Keeps that `session` is used now.
pub(super) fn note(
    connection: &Connection,
    session: &SessionId,
    uptime: Option<&Uptime>,
) -> Result<(), StoreError> {
    let Some(Uptime { boot, ms }) = uptime else { return Ok(()) };
    let sql = "UPDATE session SET boot = ?2, uptime = ?3 \
               WHERE name = ?1 AND NOT (boot IS ?2 AND uptime BETWEEN ?3 - ?4 AND ?3)";
    connection.prepare_cached(sql)?.execute(params![session.0, boot, ms, STEP_MS])?;
    Ok(())
}

/// What was used or noted in the last `ms` milliseconds of this start of the machine, whatever
/// the clock said, as a condition on rows that have a `boot` and an `uptime`.
pub(super) fn used_within(uptime: Option<&Uptime>, ms: i64) -> String {
    let Some(uptime) = uptime else { return "FALSE".to_owned() };
    // Of the name of a start nothing but letters, digits and dashes is believed.
    let boot: String =
        uptime.boot.chars().filter(|sign| sign.is_ascii_alphanumeric() || *sign == '-').collect();
    let since = uptime.ms.saturating_sub(ms.max(0)).saturating_sub(STEP_MS);
    format!("(boot IS '{boot}' AND uptime >= {since})")
}
