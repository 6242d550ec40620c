//! A result being numbered: what the ways of finding numbers share.

use std::collections::HashMap;
use std::ops::Range;

use foveal_effects::{ReadTarget, path};
use foveal_transcript::LineNumber;

use super::printed::{Printed, PrintedLine};

/// The largest number a line can have: a count of a result's lines can be added to it.
const NUMBER_MAX: u32 = u32::MAX / 2;

/// A result being numbered.
pub(super) struct Page<'a> {
    pub(super) content: &'a str,
    pub(super) directory: Option<&'a str>,
    pub(super) printed: Printed,
    /// Paths as printed, to their place in `printed.paths`.
    spelt: HashMap<&'a str, u16>,
    /// Paths in full, to the same.
    places: HashMap<String, u16>,
    /// Whether numbered excerpts were found that tools announce with the file's name.
    pub(super) windows: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(content: &'a str, directory: Option<&'a str>) -> Page<'a> {
        let mut printed = Printed::default();
        printed.lines.reserve(content.len() / 40 + 1);
        let mut start = 0u32;
        for line in content.split('\n') {
            let end = start + line.len() as u32;
            printed.lines.push(PrintedLine {
                whole: start..end,
                text: start..end,
                path: None,
                number: None,
            });
            start = end + 1;
        }
        Page {
            content,
            directory,
            printed,
            spelt: HashMap::new(),
            places: HashMap::new(),
            windows: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.printed.lines.len()
    }

    /// The line at `index`, without what a client put in front of it; empty past the end.
    pub(super) fn line(&self, index: usize) -> &'a str {
        self.printed.output_line(index, self.content)
    }

    /// The place of a path that is resolved already.
    pub(super) fn resolved(&mut self, path: &str) -> Option<u16> {
        if let Some(&place) = self.places.get(path) {
            return Some(place);
        }
        let place = u16::try_from(self.printed.paths.len()).ok()?;
        self.printed.paths.push(path.to_owned());
        self.places.insert(path.to_owned(), place);
        Some(place)
    }

    pub(super) fn resolved_read(&mut self, read: &ReadTarget) -> Option<u16> {
        self.resolved(&read.path)
    }

    /// Whether `spelling` is `path`, or, while the directory is not known, ends in it: one
    /// result may name a file in both ways.
    pub(super) fn names(&self, spelling: &str, path: &str) -> bool {
        let resolved = path::resolve(spelling, self.directory);
        resolved == path
            || (!path::is_rooted(path)
                && resolved.strip_suffix(path).is_some_and(|front| front.ends_with('/')))
    }

    /// The text of some lines, line breaks included.
    pub(super) fn text(&self, lines: Range<usize>) -> &'a str {
        let place = |at: usize| {
            self.printed.lines.get(at).map_or(self.content.len(), |line| line.whole.start as usize)
        };
        self.content.get(place(lines.start)..place(lines.end)).unwrap_or_default()
    }

    /// The place of a path as the tool printed it.
    pub(super) fn spelt(&mut self, spelling: &'a str) -> Option<u16> {
        if let Some(&place) = self.spelt.get(spelling) {
            return Some(place);
        }
        let path = path::resolve(spelling, self.directory);
        let place = self.resolved(&path)?;
        self.spelt.insert(spelling, place);
        Some(place)
    }

    /// Line `index` is line `number` of the file at `path`; its text starts `skip` bytes in.
    pub(super) fn set(&mut self, index: usize, path: u16, number: Option<u32>, skip: usize) {
        let skip = skip + self.printed.client_prefix_len(index);
        if let Some(line) = self.printed.lines.get_mut(index) {
            line.path = Some(path);
            let number = number.filter(|number| (1..=NUMBER_MAX).contains(number));
            line.number = number.map(LineNumber);
            line.text.start = (line.whole.start + skip as u32).min(line.whole.end);
        }
    }

    /// Line `index` is of no file after all.
    pub(super) fn clear(&mut self, index: usize) {
        if let Some(line) = self.printed.lines.get_mut(index) {
            line.path = None;
            line.number = None;
        }
    }
}
