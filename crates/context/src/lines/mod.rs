//! Lines of tool results as the model reads them: text, and the file and number a tool printed.
//!
//! Numbers come from a gutter where the tool printed one ([`gutter`]), from search hits
//! ([`hits`]), or from what the call asked for when it printed bare lines ([`bare`]). What
//! wraps a result ([`body`]) has neither file nor number. A line whose place is in doubt
//! gets none.

mod bare;
mod body;
mod gutter;
mod hits;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use self::body::printed_directory;
use foveal_effects::{Effect, EffectKind, ReadTarget, path};
use foveal_transcript::LineNumber;

/// One line of a tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintedLine {
    /// Byte range of the whole line in the result, without the line break.
    pub whole: Range<u32>,
    /// Byte range of the file's own text in it, after any gutter (`  12→`, `12:`, `a.rs:12:`).
    pub text: Range<u32>,
    /// The file it is from, as an index into [`Printed::paths`].
    pub path: Option<u16>,
    /// Its number in that file. Only lines with a path have one.
    pub number: Option<LineNumber>,
}

impl PrintedLine {
    /// The file's own text of this line in `content`, the result it was found in; empty for
    /// any other content that does not hold it.
    pub fn text_in<'a>(&self, content: &'a str) -> &'a str {
        content.get(self.text.start as usize..self.text.end as usize).unwrap_or_default()
    }

    /// The whole line in `content`, gutter included; empty as for [`PrintedLine::text_in`].
    pub fn whole_in<'a>(&self, content: &'a str) -> &'a str {
        content.get(self.whole.start as usize..self.whole.end as usize).unwrap_or_default()
    }
}

/// A tool result, line by line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Printed {
    /// The files lines are from, each once.
    pub paths: Vec<String>,
    /// Every line of the result, in order.
    pub lines: Vec<PrintedLine>,
}

/// Splits `content`, the result of a call with `effect`, into lines and finds which file
/// and number each is. Takes time linear in the content; a content of 4 GiB or more, whose
/// places no range could hold, gives no lines.
pub fn printed_lines(content: &str, effect: &Effect) -> Printed {
    if u32::try_from(content.len()).is_err() {
        return Printed::default();
    }
    let mut page = Page::new(content, effect.directory.as_deref());
    let body = body::find(&page);
    page.mark_windows(&body, effect);
    match effect.kind {
        EffectKind::Search | EffectKind::List => hits::number(&mut page, &body, effect),
        _ if effect.reads.is_empty() || gutter::number(&mut page, &body, effect) => {}
        _ => bare::number(&mut page, &body, effect),
    }
    page.printed
}

/// The largest number a line can have: a count of a result's lines can be added to it.
const NUMBER_MAX: u32 = u32::MAX / 2;

/// A result being numbered.
struct Page<'a> {
    content: &'a str,
    directory: Option<&'a str>,
    printed: Printed,
    /// Paths as printed, to their place in `printed.paths`.
    spelt: HashMap<&'a str, u16>,
    /// Paths in full, to the same.
    places: HashMap<String, u16>,
    windows: bool,
}

impl<'a> Page<'a> {
    fn new(content: &'a str, directory: Option<&'a str>) -> Page<'a> {
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

    fn len(&self) -> usize {
        self.printed.lines.len()
    }

    /// The whole line at `index`; empty past the end.
    fn line(&self, index: usize) -> &'a str {
        self.printed.lines.get(index).map_or("", |line| {
            self.content.get(line.whole.start as usize..line.whole.end as usize).unwrap_or_default()
        })
    }

    /// The place of a path that is resolved already.
    fn resolved(&mut self, path: &str) -> Option<u16> {
        if let Some(&place) = self.places.get(path) {
            return Some(place);
        }
        let place = u16::try_from(self.printed.paths.len()).ok()?;
        self.printed.paths.push(path.to_owned());
        self.places.insert(path.to_owned(), place);
        Some(place)
    }

    fn resolved_read(&mut self, read: &ReadTarget) -> Option<u16> {
        self.resolved(&read.path)
    }

    /// Whether `spelling` is `path`, or, while the directory is not known, ends in it: one
    /// result may name a file in both ways.
    fn names(&self, spelling: &str, path: &str) -> bool {
        let resolved = path::resolve(spelling, self.directory);
        resolved == path
            || (!path::is_rooted(path)
                && resolved.strip_suffix(path).is_some_and(|front| front.ends_with('/')))
    }

    /// The text of some lines, line breaks included.
    fn text(&self, lines: Range<usize>) -> &'a str {
        let place = |at: usize| {
            self.printed.lines.get(at).map_or(self.content.len(), |line| line.whole.start as usize)
        };
        self.content.get(place(lines.start)..place(lines.end)).unwrap_or_default()
    }

    /// The place of a path as the tool printed it.
    fn spelt(&mut self, spelling: &'a str) -> Option<u16> {
        if let Some(&place) = self.spelt.get(spelling) {
            return Some(place);
        }
        let path = path::resolve(spelling, self.directory);
        let place = self.resolved(&path)?;
        self.spelt.insert(spelling, place);
        Some(place)
    }

    /// Line `index` is line `number` of the file at `path`; its text starts `skip` bytes in.
    fn set(&mut self, index: usize, path: u16, number: Option<u32>, skip: usize) {
        if let Some(line) = self.printed.lines.get_mut(index) {
            line.path = Some(path);
            let number = number.filter(|number| (1..=NUMBER_MAX).contains(number));
            line.number = number.map(LineNumber);
            line.text.start = (line.whole.start + skip as u32).min(line.whole.end);
        }
    }

    /// Line `index` is of no file after all.
    fn clear(&mut self, index: usize) {
        if let Some(line) = self.printed.lines.get_mut(index) {
            line.path = None;
            line.number = None;
        }
    }

    /// Numbers the numbered excerpts that tools announce with the file's name.
    fn mark_windows(&mut self, body: &body::Body, effect: &Effect) {
        self.windows = gutter::windows(self, body, effect);
    }
}
