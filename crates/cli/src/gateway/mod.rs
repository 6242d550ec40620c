//! The traces of a gateway and its parallel work.

mod parallel_views;
mod trace_settings;

pub(crate) use self::parallel_views::{ParallelViews, measure_entries};
pub(crate) use self::trace_settings::{
    TRACE_VARIABLES, TraceSettings, TraceVariables, endpoint_variable,
};
