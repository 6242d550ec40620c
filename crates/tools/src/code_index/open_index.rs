//! One open index, and queries to it while another process holds its file.

use std::time::{Duration, Instant};

use foveal_index::{Index, IndexError, LockWait, UpdateProgress, UpdateSummary};
use foveal_transcript::CancelToken;

/// Opens the index on its own thread: once, and again now and then while the opened index is a
/// [substitute](Index::is_substitute) for another. A caller may be waiting.
pub type IndexOpener = Box<dyn FnMut() -> Result<Index, IndexError> + Send>;

/// How long a stand-in is used before the real index is tried again.
pub(super) const STAND_IN_RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// An answer from an index, with the files that it does not cover.
#[derive(Debug)]
pub(super) struct IndexAnswer<T> {
    pub(super) answer: T,
    /// Paths of files whose changes are not indexed, because another process holds the index.
    pub(super) stale: Vec<String>,
}

/// An index, and the means to open it again.
pub(super) struct OpenIndex {
    pub(super) index: Index,
    opener: IndexOpener,
    /// The time of the last attempt to open it.
    last_attempt: Instant,
}

impl OpenIndex {
    pub(super) fn new(mut open: IndexOpener) -> Result<Self, IndexError> {
        let index = open()?;
        Ok(Self { index, opener: open, last_attempt: Instant::now() })
    }

    /// Tries to replace a stand-in by the real index, at most once every
    /// [`STAND_IN_RETRY_INTERVAL`].
    pub(super) fn retry_open(&mut self, now: Instant) {
        if self.index.is_substitute()
            && now.duration_since(self.last_attempt) >= STAND_IN_RETRY_INTERVAL
        {
            if let Some(other) = (self.opener)().ok().filter(|other| !other.is_substitute()) {
                self.index = other;
            }
            self.last_attempt = now;
        }
    }

    /// Updates the queued files. It waits for other processes that hold the index until it is
    /// cancelled, since no caller waits for the result.
    pub(super) fn update_queued_files(
        &mut self,
        cancel: &CancelToken<'_>,
    ) -> Result<UpdateSummary, IndexError> {
        self.index.set_lock_wait(LockWait::INDEXER)?;
        let done = self.index.update_queued(cancel);
        self.index.set_lock_wait(LockWait::ANSWER)?;
        done
    }

    /// Answers a query from files as they are now. If another process holds the index, the query is
    /// answered from the index as it is. If that fails too, or most files are missing in it, all
    /// files are indexed anew in a stand-in.
    pub(super) fn answer_query<T>(
        &mut self,
        question: &dyn Fn(&mut Index) -> Result<T, IndexError>,
        tell: &mut dyn FnMut(UpdateProgress),
        cancel: &CancelToken<'_>,
    ) -> Result<IndexAnswer<T>, IndexError> {
        self.index.set_lock_wait(LockWait::ANSWER)?;
        let whole = |answer| IndexAnswer { answer, stale: Vec::new() };
        match self.query_updated(question, tell, cancel) {
            // A full disk must not prevent a search.
            Err(error) if error.is_inaccessible() => self.index.detach_from_file()?,
            Err(error) if error.is_busy() => match self.query_stale(question, cancel) {
                Ok(Some(answered)) => return Ok(answered),
                Ok(None) => self.use_stand_in()?,
                Err(error) if error.is_busy() => self.use_stand_in()?,
                Err(error) => return Err(error),
            },
            found => return found.map(whole),
        }
        self.query_updated(question, tell, cancel).map(whole)
    }

    fn query_updated<T>(
        &mut self,
        question: &dyn Fn(&mut Index) -> Result<T, IndexError>,
        tell: &mut dyn FnMut(UpdateProgress),
        cancel: &CancelToken<'_>,
    ) -> Result<T, IndexError> {
        self.index.update(tell, cancel)?;
        let answer = question(&mut self.index)?;
        if !self.index.is_rebuilt() {
            return Ok(answer);
        }
        // The query has found the index to be damaged.
        self.index.update(tell, cancel)?;
        question(&mut self.index)
    }

    /// Queries the index without a further wait for other processes; `None` if more files are
    /// missing than indexed.
    fn query_stale<T>(
        &mut self,
        question: &dyn Fn(&mut Index) -> Result<T, IndexError>,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<IndexAnswer<T>>, IndexError> {
        self.index.set_lock_wait(LockWait::NONE)?;
        let Some(behind) = self.index.outdated_files(cancel)? else { return Ok(None) };
        let answer = question(&mut self.index)?;
        Ok(Some(IndexAnswer { answer, stale: behind }))
    }

    fn use_stand_in(&mut self) -> Result<(), IndexError> {
        self.last_attempt = Instant::now();
        self.index.become_substitute()
    }
}
