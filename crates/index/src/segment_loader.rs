//! Loading of stored rows into searchable segments, on all threads.

use std::collections::HashMap;
use std::sync::mpsc::{TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::IndexError;
use crate::segment::Segment;
use crate::store::{FileRow, IndexStore, LoadedFileRow, RowId};

/// The number of rows that may wait to be decoded.
const WAITING_ROWS_MAX: usize = 64;

/// The number of rows from which on further threads pay off.
const PARALLEL_ROWS_MIN: usize = 64;

/// Loads `rows` and leaves out damaged ones. `dimensions` is the length of their vectors.
pub(crate) fn load_segments(
    store: &IndexStore,
    rows: Vec<FileRow>,
    dimensions: Option<usize>,
) -> Result<HashMap<RowId, Segment>, IndexError> {
    let read = |loaded: &LoadedFileRow| Segment::decode(loaded, dimensions);
    let found = Mutex::new(HashMap::new());
    let keep = |segment: Segment| {
        found.lock().unwrap_or_else(PoisonError::into_inner).insert(segment.row, segment)
    };
    if rows.len() < PARALLEL_ROWS_MIN {
        for row in rows {
            store.load_row(row)?.as_ref().and_then(read).map(keep);
        }
        return Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    let (sender, receiver) = sync_channel::<LoadedFileRow>(WAITING_ROWS_MAX);
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
            let Some(loaded) = store.load_row(row)? else { continue };
            // If the other threads are busy or missing, this thread decodes the row.
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
