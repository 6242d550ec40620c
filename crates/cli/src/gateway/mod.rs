//! The parallel work of a gateway.

mod parallel_views;

pub(crate) use self::parallel_views::{ParallelViews, measure_entries};
