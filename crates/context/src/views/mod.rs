//! Views of read files: which of their lines the model sees, as someone else chose.
//!
//! What a file consists of is not known here. Whoever knows implements [`Views`]; the engine
//! decides when to ask, records what was chosen and makes the shape. Where there is nobody to
//! ask, or no answer, a read is shaped as it would be without.

mod choose;
pub mod model;
mod read;
mod text;
mod value;
mod watch;

pub(crate) use choose::{Ask, Choices, choose, choose_first, foresee};
pub use read::{Read, Views};
pub use text::ReadText;
pub use value::{Amount, Chosen, Label, NAME_BYTES_MAX, NAMES_MAX, View, Wanted};
pub(crate) use value::{is_fit, is_name_in};
pub use watch::{ChosenBy, ModelWork, Watch};
