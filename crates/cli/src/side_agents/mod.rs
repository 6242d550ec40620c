//! Models at work beside the main one, each with a task of its own: where one is not named, does not
//! answer or answers nonsense, all goes on as without it.

mod agent;
mod bill;
mod curator;
mod indexer;
mod later;
mod waiting;

pub(crate) use self::bill::SideBill;
pub(crate) use self::curator::{Curator, ModelFirst, TellOfRead, Watched};
pub(crate) use self::indexer::indexer;
pub(crate) use self::later::Later;
pub(crate) use self::waiting::Waiting;
