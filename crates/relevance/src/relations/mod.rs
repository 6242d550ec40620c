//! Relations between the files and entities of a repository.
//!
//! Names are resolved without types, by qualifier, import, and the candidates in the same file,
//! package or repository. A use that stays ambiguous gets no relation. Takes time linear in the
//! number of uses.

mod best_match;
mod bindings;
mod definition_table;
mod doc_names;
mod file_rank;
mod graph;
mod language_family;
mod module_index;
mod module_resolution;
mod name_resolver;
mod paths;
mod qualified_names;
mod reexports;
mod relation_builder;
mod relation_lists;
mod resolved_imports;
mod return_type;
mod symbol_search;
mod symbols;
mod test_files;
mod type_inference;
mod use_resolution;

pub use self::file_rank::{FileRanks, RankFocus, pagerank};
pub use self::graph::{
    NodeId, NodeKey, Relation, RelationKind, RelationNode, RelationNodeKind, Relations,
};
pub use self::name_resolver::CANDIDATES_MAX;
pub use self::relation_lists::{RelationList, RelationRow};
pub use self::symbol_search::{SimilarSymbol, SymbolMatch};
pub use self::symbols::{
    Definition, FileSymbols, SIGNATURE_LINE_BYTES_MAX, SIGNATURE_LINES_MAX, SymbolUse, UseRole,
};

use self::graph::RELATION_WEIGHT_MIN;
