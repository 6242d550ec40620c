//! What a repository's files and entities have to do with each other.
//!
//! Names are resolved without types: by what stands before them, what is imported, and who
//! may be meant in the same file, package or repository. What stays ambiguous is related to
//! nothing. Takes time linear in the number of uses.

mod bindings;
mod bound;
mod build;
mod documents;
mod family;
mod find;
mod graph;
mod lists;
mod meant;
mod module_files;
mod modules;
mod paths;
mod qualified;
mod rank;
mod reexports;
mod resolve;
mod resolver;
mod returned;
mod scope;
mod symbols;
mod table;
mod tests_of;

pub use self::find::{Nearest, SymbolMatch};
pub use self::graph::{Node, NodeId, NodeKey, NodeKind, Relation, RelationKind, Relations};
pub use self::lists::{RelationList, RelationRow};
pub use self::rank::{FileRanks, Focus, pagerank};
pub use self::resolver::CANDIDATES_MAX;
pub use self::symbols::{
    Definition, FileSymbols, SIGNATURE_LINE_BYTES_MAX, SIGNATURE_LINES_MAX, Use, UseRole,
};

use self::graph::WEIGHT_FOUND_MIN;
