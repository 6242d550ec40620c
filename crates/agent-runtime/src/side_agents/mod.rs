//! Models beside the main one, each with a task of its own. If such a model is not named, does not
//! answer or gives an invalid answer, foveal goes on without it.

mod curator;
mod deferred_curator;
mod indexer;
mod side_agent;
mod side_bill;
mod waiting_request;

use std::sync::Arc;

use foveal_engine::views::ViewSource;

pub use self::curator::{CuratorWithFallback, SideCurator};
pub(crate) use self::curator::{ObservedViews, ReadProgressCallback};
use self::deferred_curator::DeferredCurator;
pub use self::indexer::build_indexer;
pub use self::side_agent::SideModelConnection;
pub use self::side_bill::SideBill;
pub(crate) use self::waiting_request::WaitingRequest;

/// Returns views of files: by the curator model with `otherwise` as its fallback, or `otherwise`
/// alone. The model is also asked in the background, for later reductions of old reads.
pub(crate) fn curated_views(
    model: Option<&Arc<SideCurator>>,
    otherwise: Arc<dyn ViewSource>,
) -> Arc<dyn ViewSource> {
    match model {
        Some(model) => {
            let first = Arc::new(CuratorWithFallback::new(model, otherwise));
            Arc::new(DeferredCurator::start(model, first))
        }
        None => otherwise,
    }
}
