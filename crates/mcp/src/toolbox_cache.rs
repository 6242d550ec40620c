//! A cache of toolboxes, one for each set of roots, opened on first use.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_tools::Toolbox;

/// A toolbox could not be opened.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Opens a toolbox on folders; relative paths start in the first. Called on a thread that may
/// block.
pub type ToolboxOpener = Arc<dyn Fn(Vec<PathBuf>) -> Result<Arc<Toolbox>, BoxError> + Send + Sync>;

/// Sets of roots whose toolboxes stay cached although they may be unused.
const CACHED_TOOLBOXES_MAX: usize = 16;

/// The toolboxes of a process, by their roots.
pub(crate) struct ToolboxCache {
    open: ToolboxOpener,
    slots: Mutex<Vec<(Vec<PathBuf>, Arc<ToolboxSlot>)>>,
}

type ToolboxSlot = Mutex<Option<Arc<Toolbox>>>;

impl ToolboxCache {
    pub(crate) fn new(open: ToolboxOpener) -> Self {
        Self { open, slots: Mutex::new(Vec::new()) }
    }

    /// Returns the toolbox on these roots; opens it if needed. Blocks meanwhile, as do concurrent
    /// calls for the same roots.
    pub(crate) fn get_or_open(&self, roots: &[PathBuf]) -> Result<Arc<Toolbox>, BoxError> {
        let slot = self.slot_for(roots);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(toolbox) = slot.as_ref() {
            return Ok(Arc::clone(toolbox));
        }
        let toolbox = (self.open)(roots.to_vec())?;
        *slot = Some(Arc::clone(&toolbox));
        Ok(toolbox)
    }

    fn slot_for(&self, roots: &[PathBuf]) -> Arc<ToolboxSlot> {
        let mut known = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().position(|(of, _)| of == roots);
        let entry = match found {
            Some(at) => known.remove(at),
            None => (roots.to_vec(), Arc::default()),
        };
        let slot = Arc::clone(&entry.1);
        known.push(entry);
        if known.len() > CACHED_TOOLBOXES_MAX {
            known.remove(0);
        }
        slot
    }
}

impl fmt::Debug for ToolboxCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolboxCache").finish_non_exhaustive()
    }
}
