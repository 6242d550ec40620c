//! What was said and done, block by block, as it is shown.

mod agent_work;
mod block;
mod blocks;
mod history;
mod shown;
mod subject;
mod take;
mod tool;

pub(crate) use self::block::Block;
pub use self::block::NoteKind;
pub(crate) use self::blocks::Talk;
pub(crate) use self::subject::{changes, paths};
