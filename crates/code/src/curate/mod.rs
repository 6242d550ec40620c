//! Which lines of a file matter to a question.
//!
//! A file is cut into units (statements, headers, comments); signals say what speaks for
//! each, and a fitted sum of small trees turns that into how likely its lines are needed. Units
//! make pieces, which are not cut: short functions, types and statements. The pieces that
//! promise most for their lines are kept, with the headers around them.

mod answers;
mod asked;
mod choose;
mod conversation;
mod curator;
mod examples;
mod forest;
mod piece;
mod places;
mod question;
mod scene;
mod signal;
mod sort;
mod structure;
mod tidy;
mod unit;
mod view;

pub use self::curator::{Curator, Table, column_names};
pub use self::forest::Forest;
pub use self::question::{Phrase, Question, ToldLine, Voice};
pub use self::scene::SourceFile;
pub use self::tidy::{whole_until, whole_until_in};
pub use self::view::{Budget, CuratedView, KeptPart};
