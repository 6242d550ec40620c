//! From rows of the store to what is searched, by all threads.

use std::collections::HashMap;
use std::sync::mpsc::{TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::IndexError;
use crate::segment::Segment;
use crate::store::{Loaded, Row, RowId, Store};

/// Rows that wait to be unpacked, at most.
const WAITING_MAX: usize = 64;

/// Rows from which on further threads are worth their beginning.
const ROWS_MANY: usize = 64;

/// Loads `rows`; those that are damaged are missing. `dimensions` is how long their vectors
/// are.
pub(crate) fn load(
    store: &Store,
    rows: Vec<Row>,
    dimensions: Option<usize>,
) -> Result<HashMap<RowId, Segment>, IndexError> {
    let read = |loaded: &Loaded| Segment::read(loaded, dimensions);
    let found = Mutex::new(HashMap::new());
    let keep = |segment: Segment| {
        found.lock().unwrap_or_else(PoisonError::into_inner).insert(segment.row, segment)
    };
    if rows.len() < ROWS_MANY {
        for row in rows {
            store.load(row)?.as_ref().and_then(read).map(keep);
        }
        return Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    let (sender, receiver) = sync_channel::<Loaded>(WAITING_MAX);
    let receiver = Mutex::new(receiver);
    let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let mut others = 0;
        for _ in 1..threads.max(2) {
            let work = || {
                while let Some(loaded) = next() {
                    read(&loaded).map(keep);
                }
            };
            others += usize::from(thread::Builder::new().spawn_scoped(scope, work).is_ok());
        }
        for row in rows {
            let Some(loaded) = store.load(row)? else { continue };
            // Where the others have enough to do, or there are none, this thread does it.
            let own = match others {
                0 => Some(loaded),
                _ => match sender.try_send(loaded) {
                    Ok(()) => None,
                    Err(TrySendError::Full(loaded) | TrySendError::Disconnected(loaded)) => {
                        Some(loaded)
                    }
                },
            };
            own.as_ref().and_then(read).map(keep);
        }
        drop(sender);
        Ok::<(), IndexError>(())
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}
