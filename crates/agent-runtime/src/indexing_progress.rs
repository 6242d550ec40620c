//! Progress of the model that reads files into the index.

use std::sync::Arc;

use foveal_agent::IndexingProgress;
use foveal_tools::Toolbox;
use foveal_tools::code_index::IndexerState;

/// Detects changes of the indexing progress.
pub(super) struct IndexingMonitor {
    toolbox: Arc<Toolbox>,
    /// The latest progress, without the reasoning.
    latest: IndexingProgress,
    /// The bytes of the model's reasoning that were returned.
    reasoning_end: usize,
}

impl IndexingMonitor {
    pub(super) fn new(toolbox: &Arc<Toolbox>) -> Self {
        let (_, reasoning_end) = toolbox.index.indexer_reasoning_since(0);
        Self { toolbox: Arc::clone(toolbox), latest: IndexingProgress::default(), reasoning_end }
    }

    /// Returns the progress if it changed since the last call.
    pub(super) fn poll_change(&mut self) -> Option<IndexingProgress> {
        let IndexerState { model, waiting, running, told, failed, tokens, .. } =
            self.toolbox.index.indexer_state()?;
        let reasoning;
        (reasoning, self.reasoning_end) =
            self.toolbox.index.indexer_reasoning_since(self.reasoning_end);
        let now = IndexingProgress {
            model,
            file: running,
            waiting,
            told,
            failed,
            tokens,
            ..Default::default()
        };
        let is_begun = now.is_active() || now.told + now.failed > 0;
        let is_new = now != self.latest || !reasoning.is_empty();
        (is_begun && is_new).then(|| {
            self.latest.clone_from(&now);
            IndexingProgress { reasoning, ..now }
        })
    }
}
