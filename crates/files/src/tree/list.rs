//! A folder as a tree.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use foveal_cancel::Cancel;
use ignore::DirEntry;

use super::answer::Passed;
use super::first::First;
use super::name::{Name, Names};
use super::scope::{Scope, TreeError};
use super::walk::{Visitor, walk};
use crate::roots::unspelled;

/// Entries that are shown.
const SHOWN_MAX: usize = 100_000;
/// Folders below the scope that are shown at most.
const LEVELS_MAX: usize = 64;

/// A list of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// Which folder, and what in it.
    pub scope: Scope,
    /// Levels to be shown, from 1; at most 64.
    pub depth: usize,
    /// Entries to be shown; those of upper levels come before those of lower ones.
    pub limit: usize,
}

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// Relative to the listed folder.
    pub path: String,
    /// Its level, from 1.
    pub level: usize,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder {
        /// Files at any depth in it.
        files: u64,
        /// Entries right in it that are not shown.
        left_out: u64,
    },
    /// A file and its size in bytes, where that can be had.
    File(Option<u64>),
    /// A symbolic link, or something else that is not read.
    Other,
}

/// A folder as a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListAnswer {
    /// The listed folder, relative; empty for the whole.
    pub path: String,
    /// Folders before files, each before what it holds.
    pub entries: Vec<ListEntry>,
    /// Files at any depth.
    pub files: u64,
    /// Folders at any depth.
    pub folders: u64,
    /// Entries right in the folder that are not shown.
    pub left_out: u64,
    /// What could not be looked at.
    pub passed: Passed,
}

/// Lists a folder under `base`.
///
/// # Errors
/// A [`TreeError`] for a query that cannot be answered, or if it is cancelled.
pub fn list(base: &Path, query: &ListQuery, cancel: &Cancel<'_>) -> Result<ListAnswer, TreeError> {
    if query.limit > SHOWN_MAX {
        return Err(TreeError::TooFar { asked: query.limit, max: SHOWN_MAX });
    }
    let checked = query.scope.check(base, true)?;
    if !checked.is_folder {
        return Err(TreeError::NoFolder { path: query.scope.path.clone() });
    }
    let names = Names::new(&checked.root, "");
    let levels = query.depth.clamp(1, LEVELS_MAX);
    let visitor = || Visit {
        names: &names,
        levels,
        first: First::new(query.limit),
        within: HashMap::new(),
        files: 0,
        folders: 0,
    };
    let (visits, passed) = walk(&query.scope, &checked, &names, cancel, visitor)?;
    let mut first = First::new(query.limit);
    let mut within: HashMap<Box<str>, Within> = HashMap::new();
    let (mut files, mut folders) = (0, 0);
    for visit in visits {
        files += visit.files;
        folders += visit.folders;
        visit.first.into_items().into_iter().for_each(|entry| first.put(entry));
        for (path, found) in visit.within {
            let all = within.entry(path).or_default();
            all.files += found.files;
            all.right_in += found.right_in;
        }
    }
    let shown = first.into_sorted();
    let mut tree = Tree { children: BTreeMap::new(), within };
    let right_in = tree.within.get("").map_or(0, |within| within.right_in);
    for entry in shown {
        tree.children.entry(parent(&entry.name.0).into()).or_default().push(entry);
    }
    let mut entries = Vec::new();
    let left_out = right_in - tree.children.get("").map_or(0, |right| right.len() as u64);
    tree.write("", &checked.root, &mut entries);
    Ok(ListAnswer { path: checked.path, entries, files, folders, left_out, passed })
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// What is chosen to be shown: upper levels first, folders before files.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Shown {
    level: usize,
    rank: Rank,
    name: Name,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Folder,
    File,
    Other,
}

/// What a folder holds.
#[derive(Default)]
struct Within {
    files: u64,
    right_in: u64,
}

struct Visit<'n> {
    names: &'n Names,
    levels: usize,
    first: First<Shown>,
    /// By the path of each folder that may be shown.
    within: HashMap<Box<str>, Within>,
    files: u64,
    folders: u64,
}

impl Visitor for Visit<'_> {
    fn visit(&mut self, entry: &DirEntry) {
        let kind = entry.file_type();
        let rank = match kind {
            Some(kind) if kind.is_dir() => Rank::Folder,
            Some(kind) if kind.is_file() => Rank::File,
            _ => Rank::Other,
        };
        let is_folder = rank == Rank::Folder;
        self.files += u64::from(!is_folder);
        self.folders += u64::from(is_folder);
        let level = entry.depth();
        let name = self.names.name(entry.path());
        self.count(&name, level, is_folder);
        let is_less = |last: &Shown| (level, rank) <= (last.level, last.rank);
        if level <= self.levels && self.first.wants(is_less) {
            self.first.put(Shown { level, rank, name: Name(name.into_boxed_str()) });
        }
    }
}

impl Visit<'_> {
    /// Counts an entry for the folders above it that may be shown.
    fn count(&mut self, name: &str, level: usize, is_folder: bool) {
        let mut end = 0;
        for above in 0..level.min(self.levels + 1) {
            let folder = &name[..end];
            let right_in = above + 1 == level;
            if !is_folder || right_in {
                let within = match self.within.get_mut(folder) {
                    Some(within) => within,
                    None => self.within.entry(folder.into()).or_default(),
                };
                within.files += u64::from(!is_folder);
                within.right_in += u64::from(right_in);
            }
            let from = if end == 0 { 0 } else { end + 1 };
            match name[from..].find('/') {
                Some(next) => end = from + next,
                None => break,
            }
        }
    }
}

struct Tree {
    /// By the path of their folder, in order.
    children: BTreeMap<Box<str>, Vec<Shown>>,
    within: HashMap<Box<str>, Within>,
}

impl Tree {
    /// Adds what a folder holds, and what that holds.
    fn write(&mut self, folder: &str, root: &Path, entries: &mut Vec<ListEntry>) {
        for Shown { level, rank, name } in self.children.remove(folder).unwrap_or_default() {
            let path = name.0.into_string();
            let kind = match rank {
                Rank::Folder => {
                    let within = self.within.get(path.as_str());
                    let shown = self.children.get(path.as_str()).map_or(0, Vec::len) as u64;
                    EntryKind::Folder {
                        files: within.map_or(0, |within| within.files),
                        left_out: within.map_or(0, |within| within.right_in) - shown,
                    }
                }
                Rank::File => {
                    let found = unspelled(&path).map(|path| root.join(path).symlink_metadata());
                    let metadata = found.and_then(Result::ok);
                    EntryKind::File(metadata.map(|metadata| metadata.len()))
                }
                Rank::Other => EntryKind::Other,
            };
            entries.push(ListEntry { path: path.clone(), level, kind });
            if rank == Rank::Folder {
                // At most as deep as levels are shown.
                self.write(&path, root, entries);
            }
        }
    }
}

impl ListAnswer {
    /// The tree as text: a line for each entry, further in by two blanks a level, with sizes,
    /// and the number of files in folders.
    pub fn render(&self) -> String {
        let mut text = String::new();
        self.write(&mut text).expect("writing to a string does not fail");
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let name = if self.path.is_empty() { "." } else { &self.path };
        writeln!(text, "{name}/ ({})", files(self.files))?;
        for (at, entry) in self.entries.iter().enumerate() {
            let indent = "  ".repeat(entry.level);
            let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
            match entry.kind {
                EntryKind::Folder { files: count, left_out } => {
                    let next = self.entries.get(at + 1);
                    let is_open = next.is_some_and(|next| next.level > entry.level);
                    let told = match left_out {
                        0 => String::new(),
                        _ if !is_open => String::new(),
                        more => format!(", {more} more entries here"),
                    };
                    writeln!(text, "{indent}{name}/ ({}{told})", files(count))?;
                }
                EntryKind::File(Some(size)) => writeln!(text, "{indent}{name} {}", bytes(size))?,
                EntryKind::File(None) | EntryKind::Other => writeln!(text, "{indent}{name}")?,
            }
        }
        if self.left_out > 0 {
            writeln!(text, "[{} more entries here]", self.left_out)?;
        }
        self.passed.write(text)
    }
}

fn files(count: u64) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// A size as a person reads it: `812 B`, `1.5 kB`, `23 MB`.
fn bytes(size: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = size as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 9.95 {
        format!("{value:.0} {}", units[unit])
    } else {
        format!("{value:.1} {}", units[unit])
    }
}
