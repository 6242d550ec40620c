//! Repository maps: the files that matter most, each with the signatures that matter most, within a
//! token budget.

mod entity_order;
mod map_builder;

pub use self::map_builder::{MapFile, MapOptions, RepositoryMap, build_repository_map};
