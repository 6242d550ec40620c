//! Which words may become options, because what they hold is made elsewhere: by a substitution, by
//! a variable that the line sets, by a pattern, by what `xargs` is fed. `sed s/a/b/ $(echo -e1eid)`
//! runs `id`.
//!
//! What the environment holds is taken for what it seems: who writes a line has not written that.

mod arguments;
mod certain;
mod gather;
mod harmless;
#[cfg(test)]
mod holes_tests;
mod listers;
mod numbers;
mod reader;
#[cfg(test)]
mod tests;
mod values;

pub(super) use self::gather::LineValues;
pub(super) use self::values::{Made, Values};
