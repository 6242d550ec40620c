//! Work on several contents on all processors: a long conversation that is new has a hundred.

use rayon::prelude::*;

use crate::records::NewContent;

/// Nobody is woken for fewer bytes, nor for one content.
const BYTES_MIN: usize = 64 << 10;

/// What `work` makes of each content, in their order, with something that `make` makes once for
/// several of them.
pub(crate) fn each<'c, S, T: Send>(
    contents: Vec<NewContent<'c>>,
    make: impl Fn() -> S + Send + Sync,
    work: impl Fn(&mut S, NewContent<'c>) -> T + Send + Sync,
) -> Vec<T> {
    let bytes: usize = contents.iter().map(|content| content.bytes.len()).sum();
    if contents.len() > 1 && bytes >= BYTES_MIN {
        return contents.into_par_iter().map_init(make, work).collect();
    }
    if contents.is_empty() {
        return Vec::new();
    }
    let mut made = make();
    contents.into_iter().map(|content| work(&mut made, content)).collect()
}
