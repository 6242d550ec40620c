//! Summaries that stand for files read long ago: the entities that matter most, each with its
//! signature and its relations to other entities and files.
//!
//! Entities that the conversation touched by name or line come first, then public ones. A summary
//! has as many as fit its tokens; all other entities are named by range.

mod file_summary;
mod relation_texts;
mod touched_entities;

pub(crate) use self::file_summary::summarise_file;
pub use self::file_summary::{FileSummary, RelationRemark, summarise_for_history};
pub(crate) use self::relation_texts::file_relations;
pub(crate) use self::touched_entities::{ConversationNames, TouchedEntities};
