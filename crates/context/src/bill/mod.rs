//! What requests cost, split by why, and what they would have cost with other prompts.

mod amounts;
mod line;
mod list;
mod meter;

pub use self::amounts::{Amount, Bill, words};
pub(crate) use self::line::HOUR_WRITE;
pub use self::list::at_list_price;
pub(crate) use self::meter::HOUR_MS;
pub use self::meter::{Kept, Meter, Priced, Request, Went};
