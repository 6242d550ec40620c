//! Models beside the main one, each with a task of its own. If such a model is not named, does not
//! answer or gives an invalid answer, foveal goes on without it.

mod curator;
mod deferred_curator;
mod indexer;
mod side_agent;
mod side_bill;
mod waiting_request;

pub(crate) use self::curator::{
    CuratorWithFallback, ObservedViews, ReadProgressCallback, SideCurator,
};
pub(crate) use self::deferred_curator::DeferredCurator;
pub(crate) use self::indexer::build_indexer;
pub(crate) use self::side_bill::SideBill;
pub(crate) use self::waiting_request::WaitingRequest;
