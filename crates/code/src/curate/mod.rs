//! Which lines of a file matter to a question.
//!
//! A file is cut into units (statements, headers, comments); signals say what speaks for
//! each, a fitted sum of small trees turns that into how likely its lines are needed, and
//! the units that promise most for their lines are kept, with the headers around them.

mod asked;
mod choose;
mod conversation;
mod curator;
mod forest;
mod places;
mod question;
mod scene;
mod signal;
mod structure;
mod unit;
mod view;

pub use self::curator::{Curator, Table, column_names};
pub use self::question::{Phrase, Question, ToldLine, Voice};
pub use self::scene::SourceFile;
pub use self::view::{Budget, CuratedView, KeptPart};
