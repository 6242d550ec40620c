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

/// The same with something that is made once for several of them.
pub(crate) fn each_with<S, T: Send, U: Send>(
    all: Vec<T>,
    make: impl Fn() -> S + Send + Sync,
    work: impl Fn(&mut S, T) -> U + Send + Sync,
) -> Vec<U> {
    match all.len() {
        0 | 1 => all.into_iter().map(|one| work(&mut make(), one)).collect(),
        _ => all.into_par_iter().map_init(make, work).collect(),
    }
}
