//! The thread that starts the processes of a sandbox.

use std::path::Path;
use std::sync::mpsc::{Sender, channel};

use tempfile::TempDir;

use super::confinement::Confinement;
use super::places::Place;
use crate::CommandError;

type Job = Box<dyn FnOnce() + Send>;

/// A thread that has restricted itself, so that all it starts is restricted alike. One for all
/// commands of a sandbox: what they start may signal each other, and nobody else.
#[derive(Debug)]
pub(super) struct Starter {
    jobs: Sender<Job>,
    confinement: Confinement,
    own_folder: TempDir,
}

impl Starter {
    /// Starts the thread, which calls `restrict` with a folder for files of ours that commands
    /// write.
    pub(super) fn new(
        restrict: impl FnOnce(&Place) -> Result<Confinement, CommandError> + Send + 'static,
    ) -> Result<Self, CommandError> {
        let own_folder = tempfile::Builder::new().prefix("foveal-commands-").tempdir()?;
        let place = Place::open_itself(own_folder.path())?;
        let (jobs, received) = channel::<Job>();
        let (tell, told) = channel();
        let work = move || {
            let restricted = restrict(&place);
            let may_start = restricted.is_ok();
            // Who asked is waiting for it.
            let _ = tell.send(restricted);
            if may_start {
                received.into_iter().for_each(|job| job());
            }
        };
        std::thread::Builder::new().name("sandbox".to_owned()).spawn(work)?;
        let confinement = told.recv().unwrap_or_else(|_| Err(ended()))?;
        Ok(Self { jobs, confinement, own_folder })
    }

    pub(super) fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// Where our own files lie that commands write.
    pub(super) fn own_folder(&self) -> &Path {
        self.own_folder.path()
    }

    pub(super) fn run<T: Send + 'static>(
        &self,
        start: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, CommandError> {
        let (tell, told) = channel();
        let job = move || drop(tell.send(start()));
        self.jobs.send(Box::new(job)).map_err(|_| ended())?;
        told.recv().map_err(|_| ended())
    }
}

fn ended() -> CommandError {
    CommandError::Unconfined("the thread that starts commands has ended".to_owned())
}
