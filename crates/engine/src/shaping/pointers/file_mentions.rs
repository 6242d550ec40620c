//! The entries of a prompt by the files that they print lines of or write to.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::conversation_record::ConversationRecord;
use crate::entry_facts::{EntryFacts, LineHashMap, file_key};
use crate::ledger::{EntryVisibility, Ledger};
use foveal_transcript::EntryIndex;

use super::source_lines::is_same_file;

/// The entries of one prompt by file.
#[derive(Debug)]
pub(super) struct PromptFileMentions<'a> {
    /// Mentions by the last part of the path, the latest first: two paths of one file end alike.
    by_name: LineHashMap<Vec<FileMention<'a>>>,
    /// The lines of files in results, by the index of their path.
    lines: RefCell<HashMap<EntryIndex, LinesByPath>>,
}

/// Lines of a result with the indices of their paths, ascending by both.
type LinesByPath = Rc<[(u16, u32)]>;

/// An entry with paths that end alike.
#[derive(Debug)]
pub(super) struct FileMention<'a> {
    /// The entry.
    pub(super) lines: EntryVisibility<'a>,
    /// The indices of those paths in the result.
    paths: Vec<u16>,
}

impl<'a> PromptFileMentions<'a> {
    pub(super) fn new(record: &'a ConversationRecord, ledger: &'a Ledger) -> Self {
        let mut mentions = Self { by_name: LineHashMap::default(), lines: RefCell::default() };
        for lines in ledger.entries_latest_first() {
            let facts = record.facts(lines.entry);
            for (place, path) in (0..=u16::MAX).zip(&facts.printed.paths) {
                mentions.add_mention(lines, path).paths.push(place);
            }
            let calls = facts.call.iter().chain(&facts.calls);
            for write in calls.flat_map(|call| &call.effect.writes) {
                mentions.add_mention(lines, &write.path);
            }
        }
        mentions
    }

    fn add_mention(&mut self, lines: EntryVisibility<'a>, path: &str) -> &mut FileMention<'a> {
        let named = self.by_name.entry(file_key(path)).or_default();
        if named.last().is_none_or(|last| last.lines.entry != lines.entry) {
            named.push(FileMention { lines, paths: Vec::new() });
        }
        named.last_mut().expect("one was pushed")
    }

    /// Returns the entries that may mention the file at `path`, the latest first.
    pub(super) fn find_by_name(&self, path: &str) -> &[FileMention<'a>] {
        self.by_name.get(&file_key(path)).map_or(&[], Vec::as_slice)
    }

    /// Returns the lines of the file at `path` in the result of `mention`, ascending.
    pub(super) fn lines_of_file(
        &self,
        mention: &FileMention<'_>,
        facts: &EntryFacts,
        path: &str,
    ) -> Vec<u32> {
        let spelling = |place: &u16| facts.printed.paths[usize::from(*place)].as_str();
        let places = mention.paths.iter().filter(|place| is_same_file(spelling(place), path));
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

    fn lines_by_path(&self, entry: EntryIndex, facts: &EntryFacts) -> LinesByPath {
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
