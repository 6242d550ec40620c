//! The index of a repository: its location, opening, updates and queries.

mod index_location;
mod index_query;
mod index_update;
mod opened_index;

pub(crate) use self::index_location::{locate_index, working_copy_root};
pub(crate) use self::index_query::{
    IndexQueryResult, RelationsAnswer, embedder_error_line, query_index, query_relations,
};
pub(crate) use self::index_update::{update_index, update_index_for_search};
pub(crate) use self::opened_index::{
    EmbedderContext, OpenedIndex, open_index, open_index_for_reading, open_index_for_tools,
};
