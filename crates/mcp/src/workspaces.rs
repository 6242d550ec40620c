//! One toolbox for each set of roots, opened when it is first needed.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_tools::Toolbox;

/// Why a toolbox cannot be opened.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Opens a toolbox on folders, the first being where relative paths begin. Called on a thread
/// that may block.
pub type OpenToolbox = Arc<dyn Fn(Vec<PathBuf>) -> Result<Arc<Toolbox>, BoxError> + Send + Sync>;

/// Sets of roots whose toolboxes are kept although nobody may use them any more.
const KEPT_MAX: usize = 16;

/// The toolboxes of a process.
pub(crate) struct Workspaces {
    open: OpenToolbox,
    known: Mutex<Vec<(Vec<PathBuf>, Arc<Slot>)>>,
}

type Slot = Mutex<Option<Arc<Toolbox>>>;

impl Workspaces {
    pub(crate) fn new(open: OpenToolbox) -> Self {
        Self { open, known: Mutex::new(Vec::new()) }
    }

    /// The toolbox on these roots. Blocks while it is opened; who asks for the same meanwhile
    /// waits for it.
    pub(crate) fn toolbox(&self, roots: &[PathBuf]) -> Result<Arc<Toolbox>, BoxError> {
        let slot = self.slot(roots);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(toolbox) = slot.as_ref() {
            return Ok(Arc::clone(toolbox));
        }
        let toolbox = (self.open)(roots.to_vec())?;
        *slot = Some(Arc::clone(&toolbox));
        Ok(toolbox)
    }

    fn slot(&self, roots: &[PathBuf]) -> Arc<Slot> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().position(|(of, _)| of == roots);
        let entry = match found {
            Some(at) => known.remove(at),
            None => (roots.to_vec(), Arc::default()),
        };
        let slot = Arc::clone(&entry.1);
        known.push(entry);
        if known.len() > KEPT_MAX {
            known.remove(0);
        }
        slot
    }
}

impl fmt::Debug for Workspaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspaces").finish_non_exhaustive()
    }
}
