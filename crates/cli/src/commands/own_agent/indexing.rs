//! How far the model is that reads files into the index, as it changes.

use std::sync::Arc;

use foveal_agent::ToldIndexing;
use foveal_tools::Toolbox;
use foveal_tools::code_index::IndexerState;

/// Looks how far it is.
pub(super) struct IndexingWatch {
    toolbox: Arc<Toolbox>,
    latest: ToldIndexing,
}

impl IndexingWatch {
    pub(super) fn new(toolbox: &Arc<Toolbox>) -> Self {
        Self { toolbox: Arc::clone(toolbox), latest: ToldIndexing::default() }
    }

    /// How far it is, where that is another than when it was asked last.
    pub(super) fn changed(&mut self) -> Option<ToldIndexing> {
        let IndexerState { model, waiting, running, told, failed, tokens, .. } =
            self.toolbox.index.indexer_state()?;
        let now = ToldIndexing { model, file: running, waiting, told, failed, tokens };
        let is_begun = now.is_at_work() || now.told + now.failed > 0;
        (is_begun && now != self.latest).then(|| {
            self.latest.clone_from(&now);
            now
        })
    }
}
