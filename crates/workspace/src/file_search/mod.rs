//! Search and listing of the files below a folder, by the rules of ripgrep: hidden files, binary
//! files and files ignored by `.gitignore` and the like are skipped, and symbolic links are not
//! followed.
//!
//! Answers are ordered, paged, and include the total count. The caller opens the files, so that it
//! decides which may be read; the walk yields names only.

mod change_detection;
mod file_searcher;
mod first_files;
mod folder_list;
mod glob;
mod grep;
mod grep_answer;
mod grep_query;
mod ignore_rules;
mod multiline_search;
mod newline_reader;
mod path_names;
mod printed_rows;
mod search_scope;
mod smallest_items;
mod walk;

pub use change_detection::is_tree_unchanged;
pub use folder_list::{ListAnswer, ListEntry, ListEntryKind, ListQuery, list_folder};
pub use glob::{GlobAnswer, GlobOrder, GlobQuery, glob};
pub use grep::grep;
pub use grep_answer::{FileHits, GrepAnswer, GrepLine, PageUnit, SkippedFiles};
pub use grep_query::{CaseSensitivity, FileOpener, GrepMode, GrepQuery, ProtectedFile};
pub use path_names::{path_for_display, path_from_display};
pub use printed_rows::{GrepLayout, GrepRow};
pub use search_scope::{FileSearchError, PatternError, PatternRemedy, SearchScope};
pub use walk::visible_files;
