//! One open index, and how it is asked where another process holds its file.

use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use foveal_index::{Index, IndexError, Progress, Summary, Wait};

/// Opens the index, on the thread that keeps it: once, and again now and then as long as what it
/// opens [stands in](Index::is_stand_in) for another. Somebody may wait for it.
pub type Open = Box<dyn FnMut() -> Result<Index, IndexError> + Send>;

/// How long an index stands in for another before that is tried again.
pub(super) const STAND_IN_TIME: Duration = Duration::from_secs(30);

/// What an index answers.
#[derive(Debug)]
pub(super) struct Answered<T> {
    pub(super) answer: T,
    /// Files whose changes are not in it, by path, since another process holds the index.
    pub(super) behind: Vec<String>,
}

/// An index, and how it is had again.
pub(super) struct Kept {
    pub(super) index: Index,
    open: Open,
    /// When it was last tried to open it.
    tried: Instant,
}

impl Kept {
    pub(super) fn new(mut open: Open) -> Result<Self, IndexError> {
        let index = open()?;
        Ok(Self { index, open, tried: Instant::now() })
    }

    /// Tries now and then to have another index than one that stands in for it.
    pub(super) fn try_again(&mut self, now: Instant) {
        if self.index.is_stand_in() && now.duration_since(self.tried) >= STAND_IN_TIME {
            if let Some(other) = (self.open)().ok().filter(|other| !other.is_stand_in()) {
                self.index = other;
            }
            self.tried = now;
        }
    }

    /// Reads the files that were touched. Others that hold the index are waited for, until it is
    /// cancelled: nobody waits for it then.
    pub(super) fn read_touched(&mut self, cancel: &Cancel<'_>) -> Result<Summary, IndexError> {
        self.index.wait_for_others(Wait::INDEXER)?;
        let done = self.index.update_queued(cancel);
        self.index.wait_for_others(Wait::ANSWER)?;
        done
    }

    /// Asks it about files as they are now. If another process holds the index, it is asked as it is;
    /// if not even that can be, or most is missing in it, all files are read anew.
    pub(super) fn ask<T>(
        &mut self,
        question: &dyn Fn(&mut Index) -> Result<T, IndexError>,
        tell: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<Answered<T>, IndexError> {
        self.index.wait_for_others(Wait::ANSWER)?;
        let whole = |answer| Answered { answer, behind: Vec::new() };
        match self.ask_updated(question, tell, cancel) {
            // A full disk does not keep anybody from searching.
            Err(error) if error.is_place() => self.index.leave_file()?,
            Err(error) if error.is_busy() => match self.ask_as_it_is(question, cancel) {
                Ok(Some(answered)) => return Ok(answered),
                Ok(None) => self.stand_in()?,
                Err(error) if error.is_busy() => self.stand_in()?,
                Err(error) => return Err(error),
            },
            found => return found.map(whole),
        }
        self.ask_updated(question, tell, cancel).map(whole)
    }

    fn ask_updated<T>(
        &mut self,
        question: &dyn Fn(&mut Index) -> Result<T, IndexError>,
        tell: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<T, IndexError> {
        self.index.update(tell, cancel)?;
        let answer = question(&mut self.index)?;
        if !self.index.is_rebuilt() {
            return Ok(answer);
        }
        // It was found damaged only when it was asked.
        self.index.update(tell, cancel)?;
        question(&mut self.index)
    }

    /// Asks it without waiting for others any more; `None` where more is missing than is there.
    fn ask_as_it_is<T>(
        &mut self,
        question: &dyn Fn(&mut Index) -> Result<T, IndexError>,
        cancel: &Cancel<'_>,
    ) -> Result<Option<Answered<T>>, IndexError> {
        self.index.wait_for_others(Wait::NONE)?;
        let Some(behind) = self.index.behind(cancel)? else { return Ok(None) };
        let answer = question(&mut self.index)?;
        Ok(Some(Answered { answer, behind }))
    }

    fn stand_in(&mut self) -> Result<(), IndexError> {
        self.tried = Instant::now();
        self.index.stand_in()
    }
}
