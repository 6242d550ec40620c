//! Path resolution confined to the roots of a workspace.
//!
//! A root is held as an open folder handle. A path is resolved component by component to a place
//! below a root that is reached through no link. Later access opens the folders one by one from the
//! handle and follows no link. A link that appears between the check and the use is therefore
//! refused, and `..` cannot lead out of a root.

mod error;
mod name_equivalence;
mod path_escaping;
mod path_resolution;
mod path_syntax;
mod resolved_path;
mod root;
mod similar_names;
mod workspace_roots;

pub use self::error::PathError;
pub use self::name_equivalence::NameEquivalence;
pub(crate) use self::path_escaping::{escape_path, unescape_path};
pub(crate) use self::resolved_path::reopen_folder;
pub use self::resolved_path::{PathKey, ResolvedPath};
pub use self::root::Root;
pub use self::workspace_roots::WorkspaceRoots;
