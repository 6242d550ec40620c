//! Work on several contents on all processors: a long conversation that is new has a hundred.

use rayon::prelude::*;

/// What `work` makes of each, in their order.
pub(crate) fn each<T: Send, U: Send>(all: Vec<T>, work: impl Fn(T) -> U + Send + Sync) -> Vec<U> {
    match all.len() {
        // Nobody is woken for one.
        0 | 1 => all.into_iter().map(work).collect(),
        _ => all.into_par_iter().map(work).collect(),
    }
}
