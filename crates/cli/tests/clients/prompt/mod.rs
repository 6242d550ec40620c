//! What stands in a prompt: which lines of which files answers show, and what notes say of it.

mod answer;
mod claim;
mod law;
mod lines;
mod note;
mod restoration;
mod session_law;

pub(crate) use self::answer::{Answer, answers};
pub(crate) use self::claim::{claims, left_out, with_lines};
pub(crate) use self::law::broken_claims;
pub(crate) use self::lines::{file_of, shown_lines};
pub(crate) use self::session_law::{WrongNote, left_out as left_out_lines, wrong_notes};
