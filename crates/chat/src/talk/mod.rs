//! What was said and done, block by block, as it is shown.

mod block;
mod history;
mod shown;
mod take;
mod talk;
mod tool;

pub(crate) use self::block::Block;
pub use self::block::NoteKind;
pub(crate) use self::talk::Talk;
pub(crate) use self::tool::subject;
