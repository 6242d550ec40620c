//! Listing of a folder as a tree.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use foveal_transcript::CancelToken;
use ignore::DirEntry;

use super::grep_answer::SkippedFiles;
use super::path_names::{OrderedPath, WalkPathNames};
use super::search_scope::{FileSearchError, SearchScope};
use super::smallest_items::SmallestItems;
use super::walk::{EntryVisitor, walk_scope};
use crate::roots::unescape_path;

/// Entries that are returned.
const LISTED_ENTRIES_MAX: usize = 100_000;
/// Levels below the scope that are returned.
const LEVELS_MAX: usize = 64;

/// A request to list a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// The folder, and the entries in it.
    pub scope: SearchScope,
    /// Levels to return, from 1; at most 64.
    pub depth: usize,
    /// Entries to return; upper levels take precedence.
    pub limit: usize,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// The path relative to the listed folder.
    pub path: String,
    /// The level, from 1.
    pub level: usize,
    /// The kind of the entry.
    pub kind: ListEntryKind,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEntryKind {
    /// A folder.
    Folder {
        /// The number of files in it, at any depth.
        files: u64,
        /// The number of its direct entries that are omitted.
        left_out: u64,
    },
    /// A file, with its size in bytes if known.
    File(Option<u64>),
    /// A symbolic link, or another special file.
    Other,
}

/// A folder listed as a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListAnswer {
    /// The relative path of the listed folder; empty for the base itself.
    pub path: String,
    /// The entries: folders before files, each before its own entries.
    pub entries: Vec<ListEntry>,
    /// The number of files at any depth.
    pub files: u64,
    /// The number of folders at any depth.
    pub folders: u64,
    /// The number of direct entries of the folder that are omitted.
    pub left_out: u64,
    /// Files and folders that could not be examined.
    pub skipped: SkippedFiles,
}

/// Lists a folder below `base`.
///
/// # Errors
/// Returns a [`FileSearchError`] for an invalid query or a cancellation.
pub fn list_folder(
    base: &Path,
    query: &ListQuery,
    cancel: &CancelToken<'_>,
) -> Result<ListAnswer, FileSearchError> {
    if query.limit > LISTED_ENTRIES_MAX {
        return Err(FileSearchError::TooFar { asked: query.limit, max: LISTED_ENTRIES_MAX });
    }
    let checked = query.scope.resolve(base, true)?;
    if !checked.is_folder {
        return Err(FileSearchError::NoFolder { path: query.scope.path.clone() });
    }
    let names = WalkPathNames::new(&checked.root, "");
    let levels = query.depth.clamp(1, LEVELS_MAX);
    let visitor = || ListVisitor {
        names: &names,
        levels,
        first: SmallestItems::new(query.limit),
        folder_counts: HashMap::new(),
        files: 0,
        folders: 0,
    };
    let (visits, passed) = walk_scope(&query.scope, &checked, &names, cancel, visitor)?;
    let mut first = SmallestItems::new(query.limit);
    let mut within: HashMap<Box<str>, FolderCounts> = HashMap::new();
    let (mut files, mut folders) = (0, 0);
    for visit in visits {
        files += visit.files;
        folders += visit.folders;
        visit.first.into_items().into_iter().for_each(|entry| first.insert(entry));
        for (path, found) in visit.folder_counts {
            let all = within.entry(path).or_default();
            all.files += found.files;
            all.direct_entries += found.direct_entries;
        }
    }
    let shown = first.into_sorted_items();
    let mut tree = ListTree { children: BTreeMap::new(), folder_counts: within };
    let right_in = tree.folder_counts.get("").map_or(0, |within| within.direct_entries);
    for entry in shown {
        tree.children.entry(parent_path(&entry.name.0).into()).or_default().push(entry);
    }
    let mut entries = Vec::new();
    let left_out = right_in - tree.children.get("").map_or(0, |right| right.len() as u64);
    tree.push_entries("", &checked.root, &mut entries);
    Ok(ListAnswer { path: checked.path, entries, files, folders, left_out, skipped: passed })
}

fn parent_path(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// An entry in order of precedence: upper levels first, folders before files.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RankedEntry {
    level: usize,
    rank: EntryRank,
    name: OrderedPath,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EntryRank {
    Folder,
    File,
    Other,
}

/// The entry counts of a folder.
#[derive(Default)]
struct FolderCounts {
    files: u64,
    direct_entries: u64,
}

struct ListVisitor<'n> {
    names: &'n WalkPathNames,
    levels: usize,
    first: SmallestItems<RankedEntry>,
    /// By the path of each folder that may be returned.
    folder_counts: HashMap<Box<str>, FolderCounts>,
    files: u64,
    folders: u64,
}

impl EntryVisitor for ListVisitor<'_> {
    fn visit(&mut self, entry: &DirEntry) {
        let kind = entry.file_type();
        let rank = match kind {
            Some(kind) if kind.is_dir() => EntryRank::Folder,
            Some(kind) if kind.is_file() => EntryRank::File,
            _ => EntryRank::Other,
        };
        let is_folder = rank == EntryRank::Folder;
        self.files += u64::from(!is_folder);
        self.folders += u64::from(is_folder);
        let level = entry.depth();
        let name = self.names.display_name(entry.path());
        self.count_in_parents(&name, level, is_folder);
        let is_less = |last: &RankedEntry| (level, rank) <= (last.level, last.rank);
        if level <= self.levels && self.first.is_candidate(is_less) {
            self.first.insert(RankedEntry {
                level,
                rank,
                name: OrderedPath(name.into_boxed_str()),
            });
        }
    }
}

impl ListVisitor<'_> {
    /// Counts an entry for each of its parent folders that may be returned.
    fn count_in_parents(&mut self, name: &str, level: usize, is_folder: bool) {
        let mut end = 0;
        for above in 0..level.min(self.levels + 1) {
            let folder = &name[..end];
            let right_in = above + 1 == level;
            if !is_folder || right_in {
                let within = match self.folder_counts.get_mut(folder) {
                    Some(within) => within,
                    None => self.folder_counts.entry(folder.into()).or_default(),
                };
                within.files += u64::from(!is_folder);
                within.direct_entries += u64::from(right_in);
            }
            let from = if end == 0 { 0 } else { end + 1 };
            match name[from..].find('/') {
                Some(next) => end = from + next,
                None => break,
            }
        }
    }
}

struct ListTree {
    /// The entries by the path of their folder, in order.
    children: BTreeMap<Box<str>, Vec<RankedEntry>>,
    folder_counts: HashMap<Box<str>, FolderCounts>,
}

impl ListTree {
    /// Adds the entries of a folder, each followed by its own entries.
    fn push_entries(&mut self, folder: &str, root: &Path, entries: &mut Vec<ListEntry>) {
        for RankedEntry { level, rank, name } in self.children.remove(folder).unwrap_or_default() {
            let path = name.0.into_string();
            let kind = match rank {
                EntryRank::Folder => {
                    let within = self.folder_counts.get(path.as_str());
                    let shown = self.children.get(path.as_str()).map_or(0, Vec::len) as u64;
                    ListEntryKind::Folder {
                        files: within.map_or(0, |within| within.files),
                        left_out: within.map_or(0, |within| within.direct_entries) - shown,
                    }
                }
                EntryRank::File => {
                    let found = unescape_path(&path).map(|path| root.join(path).symlink_metadata());
                    let metadata = found.and_then(Result::ok);
                    ListEntryKind::File(metadata.map(|metadata| metadata.len()))
                }
                EntryRank::Other => ListEntryKind::Other,
            };
            entries.push(ListEntry { path: path.clone(), level, kind });
            if rank == EntryRank::Folder {
                // Recursion is bounded by the number of levels returned.
                self.push_entries(&path, root, entries);
            }
        }
    }
}
