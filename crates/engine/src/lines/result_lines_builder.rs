//! Builds the numbered lines of a result; the state that all numbering methods share.

use std::collections::HashMap;
use std::ops::Range;

use foveal_tool_effects::{ReadTarget, path};
use foveal_transcript::LineNumber;

use super::result_lines::{ResultLine, ResultLines};

/// Largest line number; the number of lines of a result can be added to it without overflow.
const NUMBER_MAX: u32 = u32::MAX / 2;

/// The lines of a result while their files and numbers are found.
pub(super) struct ResultLinesBuilder<'a> {
    pub(super) content: &'a str,
    pub(super) directory: Option<&'a str>,
    pub(super) printed: ResultLines,
    /// Indices into `printed.paths` by path as printed.
    indices_by_spelling: HashMap<&'a str, u16>,
    /// Indices into `printed.paths` by resolved path.
    indices_by_path: HashMap<String, u16>,
    /// Whether excerpts were found that a tool announces with the file's name.
    pub(super) has_announced_excerpts: bool,
}

impl<'a> ResultLinesBuilder<'a> {
    pub(super) fn new(content: &'a str, directory: Option<&'a str>) -> ResultLinesBuilder<'a> {
        let mut printed = ResultLines::default();
        printed.lines.reserve(content.len() / 40 + 1);
        let mut start = 0u32;
        for line in content.split('\n') {
            let end = start + line.len() as u32;
            printed.lines.push(ResultLine {
                whole: start..end,
                text: start..end,
                path: None,
                number: None,
            });
            start = end + 1;
        }
        ResultLinesBuilder {
            content,
            directory,
            printed,
            indices_by_spelling: HashMap::new(),
            indices_by_path: HashMap::new(),
            has_announced_excerpts: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.printed.lines.len()
    }

    /// Returns the line at `index` without the client's prefix; empty past the end.
    pub(super) fn line_text(&self, index: usize) -> &'a str {
        self.printed.output_line(index, self.content)
    }

    /// Returns the index of a resolved path, adding it if needed; `None` if there are too many
    /// paths.
    pub(super) fn intern_path(&mut self, path: &str) -> Option<u16> {
        if let Some(&place) = self.indices_by_path.get(path) {
            return Some(place);
        }
        let place = u16::try_from(self.printed.paths.len()).ok()?;
        self.printed.paths.push(path.to_owned());
        self.indices_by_path.insert(path.to_owned(), place);
        Some(place)
    }

    pub(super) fn intern_read_path(&mut self, read: &ReadTarget) -> Option<u16> {
        self.intern_path(&read.path)
    }

    /// Returns whether `spelling` is `path` or, while the directory is unknown, ends in it: one
    /// result may name a file in both ways.
    pub(super) fn matches_path(&self, spelling: &str, path: &str) -> bool {
        let resolved = path::resolve(spelling, self.directory);
        resolved == path
            || (!path::is_rooted(path)
                && resolved.strip_suffix(path).is_some_and(|front| front.ends_with('/')))
    }

    /// Returns the text of `lines`, line breaks included.
    pub(super) fn joined_text(&self, lines: Range<usize>) -> &'a str {
        let place = |at: usize| {
            self.printed.lines.get(at).map_or(self.content.len(), |line| line.whole.start as usize)
        };
        self.content.get(place(lines.start)..place(lines.end)).unwrap_or_default()
    }

    /// Returns the index of a path as the tool printed it.
    pub(super) fn intern_spelling(&mut self, spelling: &'a str) -> Option<u16> {
        if let Some(&place) = self.indices_by_spelling.get(spelling) {
            return Some(place);
        }
        let path = path::resolve(spelling, self.directory);
        let place = self.intern_path(&path)?;
        self.indices_by_spelling.insert(spelling, place);
        Some(place)
    }

    /// Sets line `index` to line `number` of the file with index `path`; its text starts after
    /// `skip` bytes.
    pub(super) fn assign_number(
        &mut self,
        index: usize,
        path: u16,
        number: Option<u32>,
        skip: usize,
    ) {
        let skip = skip + self.printed.client_prefix_len(index);
        if let Some(line) = self.printed.lines.get_mut(index) {
            line.path = Some(path);
            let number = number.filter(|number| (1..=NUMBER_MAX).contains(number));
            line.number = number.map(LineNumber);
            line.text.start = (line.whole.start + skip as u32).min(line.whole.end);
        }
    }

    /// Removes the file and number of line `index`.
    pub(super) fn clear_number(&mut self, index: usize) {
        if let Some(line) = self.printed.lines.get_mut(index) {
            line.path = None;
            line.number = None;
        }
    }
}
