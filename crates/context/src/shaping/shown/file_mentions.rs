//! The entries of a prompt by the files that they print lines of or write to.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::facts::{Facts, HashMapOfLines, file_key};
use crate::ledger::{EntryLines, Ledger};
use crate::record::Record;
use foveal_transcript::EntryIndex;

use super::source_lines::same_file;

/// The entries of one prompt by file.
#[derive(Debug)]
pub(super) struct FileMentions<'a> {
    /// By the last part of a path, the latest first: two paths of one file end alike.
    by_name: HashMapOfLines<Vec<FileMention<'a>>>,
    /// Of results, the lines of files by the place of their path.
    lines: RefCell<HashMap<EntryIndex, LinesByPath>>,
}

/// Lines of a result with the places of their paths, ascending by both.
type LinesByPath = Rc<[(u16, u32)]>;

/// An entry with paths that end alike.
#[derive(Debug)]
pub(super) struct FileMention<'a> {
    /// The entry.
    pub(super) lines: EntryLines<'a>,
    /// The places of those paths among the ones of a result's lines.
    paths: Vec<u16>,
}

impl<'a> FileMentions<'a> {
    pub(super) fn new(record: &'a Record, ledger: &'a Ledger) -> Self {
        let mut mentions = Self { by_name: HashMapOfLines::default(), lines: RefCell::default() };
        for lines in ledger.latest_entries() {
            let facts = record.facts(lines.entry);
            for (place, path) in (0..=u16::MAX).zip(&facts.printed.paths) {
                mentions.mention(lines, path).paths.push(place);
            }
            let calls = facts.call.iter().chain(&facts.calls);
            for write in calls.flat_map(|call| &call.effect.writes) {
                mentions.mention(lines, &write.path);
            }
        }
        mentions
    }

    fn mention(&mut self, lines: EntryLines<'a>, path: &str) -> &mut FileMention<'a> {
        let named = self.by_name.entry(file_key(path)).or_default();
        if named.last().is_none_or(|last| last.lines.entry != lines.entry) {
            named.push(FileMention { lines, paths: Vec::new() });
        }
        named.last_mut().expect("one was pushed")
    }

    /// Returns the entries that may mention the file at `path`, the latest first.
    pub(super) fn of_name(&self, path: &str) -> &[FileMention<'a>] {
        self.by_name.get(&file_key(path)).map_or(&[], Vec::as_slice)
    }

    /// Returns the lines of the file at `path` in the result that `mention` is, ascending.
    pub(super) fn lines(&self, mention: &FileMention<'_>, facts: &Facts, path: &str) -> Vec<u32> {
        let spelling = |place: &u16| facts.printed.paths[usize::from(*place)].as_str();
        let places = mention.paths.iter().filter(|place| same_file(spelling(place), path));
        let mut found = Vec::new();
        for place in places {
            let lines = self.lines_by_path(mention.lines.entry, facts);
            let start = lines.partition_point(|(theirs, _)| theirs < place);
            let of_path = lines[start..].iter().take_while(|(theirs, _)| theirs == place);
            found.extend(of_path.map(|(_, line)| *line));
        }
        found.sort_unstable();
        found
    }

    fn lines_by_path(&self, entry: EntryIndex, facts: &Facts) -> LinesByPath {
        let group = || {
            let lines = (0u32..).zip(&facts.printed.lines);
            let of_files = lines.filter_map(|(at, line)| line.path.map(|path| (path, at)));
            let mut lines: Vec<_> = of_files.collect();
            lines.sort_unstable();
            lines.into()
        };
        Rc::clone(self.lines.borrow_mut().entry(entry).or_insert_with(group))
    }
}
