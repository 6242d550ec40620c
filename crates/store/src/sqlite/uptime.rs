//! The age of sessions and notes by the uptime of the machine, which does not depend on the system
//! clock.

use std::fmt;
use std::sync::Arc;

use foveal_transcript::Timestamp;
use rusqlite::{Connection, params};

use crate::error::StoreError;
use crate::keys::SessionId;

/// The uptime of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uptime {
    /// The unique id of this boot of the machine.
    pub boot: String,
    /// Milliseconds since the boot, sleep included.
    pub ms: i64,
}

/// One moment by two clocks: the system clock, which a user can set, and the uptime, if the system
/// has one.
#[derive(Debug)]
pub(super) struct ClockReading {
    pub(super) clock: Timestamp,
    pub(super) uptime: Option<Uptime>,
}

impl ClockReading {
    /// Returns the id of the boot and the milliseconds since it, as columns.
    pub(super) fn uptime_columns(&self) -> (Option<&str>, Option<i64>) {
        let uptime = self.uptime.as_ref();
        (uptime.map(|uptime| &*uptime.boot), uptime.map(|uptime| uptime.ms))
    }
}

/// The interval in milliseconds after which a further use of a session is recorded.
const UPDATE_INTERVAL_MS: i64 = 60_000;

/// A clock that reads the uptime. It returns `None` if the system has none.
#[derive(Clone)]
pub(super) struct UptimeClock(Arc<dyn Fn() -> Option<Uptime> + Send + Sync>);

impl UptimeClock {
    pub(super) fn new(tell: impl Fn() -> Option<Uptime> + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(super) fn read(&self) -> Option<Uptime> {
        (self.0)()
    }
}

impl fmt::Debug for UptimeClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UptimeClock")
    }
}

/// Records the use of `session` at this uptime.
pub(super) fn note_session_uptime(
    connection: &Connection,
    session: &SessionId,
    uptime: Option<&Uptime>,
) -> Result<(), StoreError> {
    let Some(Uptime { boot, ms }) = uptime else { return Ok(()) };
    let sql = "UPDATE session SET boot = ?2, uptime = ?3 \
               WHERE name = ?1 AND NOT (boot IS ?2 AND uptime BETWEEN ?3 - ?4 AND ?3)";
    connection.prepare_cached(sql)?.execute(params![session.0, boot, ms, UPDATE_INTERVAL_MS])?;
    Ok(())
}

/// Returns an SQL condition for rows with `boot` and `uptime` columns: used or noted within the
/// last `ms` milliseconds of this boot, whatever the system clock was.
pub(super) fn used_within_condition(uptime: Option<&Uptime>, ms: i64) -> String {
    let Some(uptime) = uptime else { return "FALSE".to_owned() };
    // Only letters, digits and dashes of the boot id are used in the statement.
    let boot: String =
        uptime.boot.chars().filter(|sign| sign.is_ascii_alphanumeric() || *sign == '-').collect();
    let since = uptime.ms.saturating_sub(ms.max(0)).saturating_sub(UPDATE_INTERVAL_MS);
    format!("(boot IS '{boot}' AND uptime >= {since})")
}
