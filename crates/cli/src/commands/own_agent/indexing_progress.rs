//! Progress of the model that reads files into the index.

use std::sync::Arc;

use foveal_agent::IndexingProgress;
use foveal_tools::Toolbox;
use foveal_tools::code_index::IndexerState;

/// Detects changes of the indexing progress.
pub(super) struct IndexingMonitor {
    toolbox: Arc<Toolbox>,
    latest: IndexingProgress,
}

impl IndexingMonitor {
    pub(super) fn new(toolbox: &Arc<Toolbox>) -> Self {
        Self { toolbox: Arc::clone(toolbox), latest: IndexingProgress::default() }
    }

    /// Returns the progress if it changed since the last call.
    pub(super) fn poll_change(&mut self) -> Option<IndexingProgress> {
        let IndexerState { model, waiting, running, told, failed, tokens, .. } =
            self.toolbox.index.indexer_state()?;
        let now = IndexingProgress { model, file: running, waiting, told, failed, tokens };
        let is_begun = now.is_active() || now.told + now.failed > 0;
        (is_begun && now != self.latest).then(|| {
            self.latest.clone_from(&now);
            now
        })
    }
}
