//! Reading files for a session: what was shown is pointed at, what is long is curated.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::{Value, json};

use foveal_files::kind::{self, Content, FileRead, ReadLimits};
use foveal_files::stamp::{Freshness, Version};
use foveal_files::{LineLimits, LineNumber, LinesReader, Located, PathKey, TextFile};
use foveal_index::{outline, parse};

use crate::answer::{Dependency, Found, Head, Image};
use crate::error::ToolError;
use crate::tool::read_file::Mode;
use crate::views::Wish;

use super::{Counts, KnownFile, Work};

impl Work<'_> {
    /// The file at `path`, shown as `mode` says. `arguments` are those of the call, by which it
    /// is known when the same is asked twice.
    pub(crate) fn read(
        &self,
        path: &str,
        mode: Mode,
        question: Option<&str>,
    ) -> Result<Found, ToolError> {
        let located = self.file(path)?;
        let key = located.key();
        let asked = (path.to_owned(), mode, question.map(str::to_owned));
        let again = self.session.take_pointed(&[]).contains(&asked);
        let mode = if again { Mode::Full } else { mode };
        if mode == Mode::Auto
            && let Some(text) = self.pointer(&located, &key, question)?
        {
            self.session.set_pointed(&[], vec![asked]);
            self.session.count_read(&located);
            return Ok(Found { cached: true, given: true, ..Found::text(text) });
        }
        let read = kind::read(&located, &ReadLimits::default(), self.control.go_on)
            .map_err(ToolError::failed)?;
        self.session.count_read(&located);
        self.toolbox.index.touch(&located.absolute());
        let description = read.description();
        let FileRead { content, version, .. } = read;
        match (content, version) {
            (Content::Text(text), Some(version)) => {
                let found = self.text(&located, &key, &Arc::new(text), version, mode, question);
                Ok(Found { read: Some(asked), ..found })
            }
            (Content::Notebook(notebook, _), Some(version)) => {
                let text = Arc::new(TextFile::new(&notebook.to_text()));
                let found = self.text(&located, &key, &text, version, mode, question);
                Ok(Found { read: Some(asked), ..found })
            }
            (Content::Image(image, bytes), _) => {
                let images = vec![Image { media_type: image.format.media_type(), bytes }];
                let text =
                    format!("File: {} ({})\n", located.shown(), description.unwrap_or_default());
                Ok(Found { images, ..Found::text(text) })
            }
            (Content::Empty, Some(version)) => {
                let text = Arc::new(TextFile::new(""));
                self.session.know(key, KnownFile::after(None, version, text, None));
                Ok(Found::text(format!("File: {} (empty file)\n", located.shown())))
            }
            _ => {
                let what = description.unwrap_or_else(|| "nothing to show".to_owned());
                Ok(Found::text(format!("File: {} ({what})\n", located.shown())))
            }
        }
    }

    /// What says that nothing has changed since the file was shown, if it was and has not.
    fn pointer(
        &self,
        located: &Located,
        key: &PathKey,
        question: Option<&str>,
    ) -> Result<Option<String>, ToolError> {
        let Some((version, shown, seen)) = self.session.shown_file(key) else { return Ok(None) };
        let asks_anew = question.is_some() && question != shown.question.as_deref();
        if shown.is_view && (asks_anew || self.session.is_in_focus(key)) {
            return Ok(None);
        }
        let now = version.check(located, self.control.go_on).map_err(ToolError::failed)?;
        let Freshness::Same(now) = now else { return Ok(None) };
        self.session.renew(key, now);
        let (path, all) = (located.shown(), shown.all);
        Ok(Some(match shown.is_view {
            false => format!("[{path}: unchanged, its {all} lines are shown above]\n"),
            true => format!(
                "[{path}: unchanged; {} of its {all} lines are shown above. Get others with \
                 read_lines, or ask again at once for all]\n",
                seen.count()
            ),
        }))
    }

    /// A text as it is to be shown, and what is known of it from now on.
    fn text(
        &self,
        located: &Located,
        key: &PathKey,
        text: &Arc<TextFile>,
        version: Version,
        mode: Mode,
        question: Option<&str>,
    ) -> Found {
        let before = self.session.known_file(key);
        let path = located.shown().to_owned();
        let depends = vec![Dependency::File(located.absolute(), version.hash)];
        let is_same = before.as_ref().is_some_and(|before| before.version.hash == version.hash);
        let known = KnownFile::after(before.as_ref(), version, Arc::clone(text), question);
        let wish = self.wish(mode, &path, key, (before.as_ref(), &known));
        if mode == Mode::Structure {
            // Of a version that stands above, it still does.
            if !is_same {
                self.session.know(key.clone(), known);
            }
            return self.structure(&path, text, depends);
        }
        self.session.know(key.clone(), known);
        if text.text().len() > ANSWER_BYTES_MAX {
            return self.beginning(&located.key(), text, version, depends);
        }
        let (key, remarks) = (key.clone(), text.remarks());
        let head = Head::File { path: path.clone(), key, version: version.hash, remarks };
        let carried = json!({ "path": path, "mode": mode_name(mode) });
        Found {
            head,
            wish: Some(wish),
            carried: Some(carried),
            depends,
            ..Found::text(numbered(text.text(), 1))
        }
    }

    /// How much of a file is shown, by what was seen of it before.
    fn wish(
        &self,
        mode: Mode,
        path: &str,
        key: &PathKey,
        (before, now): (Option<&KnownFile>, &KnownFile),
    ) -> Wish {
        let text = now.text.as_ref().map_or("", |text| text.text());
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let is_changed = before
            .is_some_and(|before| before.version.hash != now.version.hash || before.is_written)
            || !now.unshown.is_empty();
        // What changed since counts only beside what was seen.
        let wanted = match before {
            Some(before) if before.text.is_some() && !before.seen.is_empty() => now.wanted(),
            _ => now.seen.clone(),
        };
        let asks_anew =
            now.question.is_some() && before.is_some_and(|before| before.question != now.question);
        let small = self.toolbox.small_lines(path);
        match mode {
            Mode::Full | Mode::Structure => Wish::Whole,
            Mode::Curated => Wish::Curated,
            Mode::Auto if self.session.is_in_focus(key) || wanted.covers(lines) => Wish::Whole,
            // What changed since, beside what was seen.
            Mode::Auto if is_changed && !asks_anew && lines > small && !wanted.is_empty() => {
                Wish::Lines(wanted.ranges().to_vec())
            }
            Mode::Auto => Wish::Auto { small },
        }
    }

    /// The structure of a text, word for word, unless all of it is no longer.
    fn structure(&self, path: &str, text: &TextFile, depends: Vec<Dependency>) -> Found {
        let parsed = parse(path, text.text());
        let outline = outline(&parsed, text.text());
        let mut body = outline.render(&parsed, text.text());
        let whole = numbered(text.text(), 1);
        let mut shown: u32 = outline.parts.iter().map(|part| part.lines.count()).sum();
        if body.len() >= whole.len() {
            (body, shown) = (whole, outline.line_count);
        }
        let counts = Counts { all: outline.line_count, shown };
        let head = Head::Structure { path: path.to_owned(), counts };
        let carried = json!({ "path": path, "mode": "full" });
        Found { head, carried: Some(carried), depends, ..Found::text(body) }
    }

    /// As much of a very long text as one answer holds.
    fn beginning(
        &self,
        key: &PathKey,
        text: &TextFile,
        version: Version,
        depends: Vec<Dependency>,
    ) -> Found {
        let all = u32::try_from(text.text().lines().count()).unwrap_or(u32::MAX);
        let (mut shown, last) = part(text.text(), 1, all);
        if last < all {
            // Writing to a string cannot fail.
            let _ =
                writeln!(shown, "[go on with read_lines, start {}; {all} lines in all]", last + 1);
        }
        self.session.see(key, version, text.clone(), (1, last));
        let carried = json!({ "mode": "full" });
        Found { carried: Some(carried), depends, ..Found::text(shown) }
    }

    /// Lines `start` to `end` of a file, word for word.
    pub(crate) fn read_range(&self, path: &str, start: u32, end: u32) -> Result<Found, ToolError> {
        let located = self.file(path)?;
        let read = kind::read(&located, &ReadLimits::default(), self.control.go_on)
            .map_err(ToolError::failed)?;
        self.toolbox.index.touch(&located.absolute());
        let path = located.shown();
        let text = match read.content {
            Content::Text(text) => text,
            Content::Notebook(notebook, _) => TextFile::new(&notebook.to_text()),
            Content::TooLarge { what: "text", .. } => return self.read_large(&located, start, end),
            Content::Empty | Content::Image(..) | Content::Binary(_) | Content::TooLarge { .. } => {
                let what = format!("`{path}` has no lines: {}", described(&read));
                return Err(ToolError::failed(what));
            }
        };
        let all = u32::try_from(text.text().lines().count()).unwrap_or(u32::MAX);
        if start > all {
            let what = format!("`{path}` has {all} lines, none from {start} on");
            return Err(ToolError::failed(what));
        }
        let (mut shown, last) = part(text.text(), start, end.min(all));
        // Writing to a string cannot fail.
        if last < end.min(all) {
            let _ = writeln!(shown, "[go on with start {}]", last + 1);
        } else if end > all {
            let _ = writeln!(shown, "[the file has {all} lines]");
        }
        let Some(version) = read.version else { return Ok(Found::text(shown)) };
        self.session.see(&located.key(), version, text, (start, last));
        let depends = vec![Dependency::File(located.absolute(), version.hash)];
        Ok(Found { depends, ..Found::text(shown) })
    }
}

impl Work<'_> {
    /// Lines of a file that is too large to be read as a whole.
    fn read_large(&self, located: &Located, start: u32, end: u32) -> Result<Found, ToolError> {
        let number = |line: u32| LineNumber::new(u64::from(line)).unwrap_or(LineNumber::FIRST);
        let mut reader = LinesReader::open(located, None).map_err(ToolError::failed)?;
        let limits = LineLimits::default();
        let lines = reader.lines(number(start), number(end), &limits, self.control.go_on);
        let lines = lines.map_err(ToolError::failed)?;
        let mut shown = String::new();
        for line in &lines.lines {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}→{}", line.number.get(), line.text);
            let _ = match line.left_out_bytes {
                0 => writeln!(shown),
                bytes => writeln!(shown, "[{bytes} bytes of this line left out]"),
            };
        }
        if let Some(next) = lines.next {
            let _ = writeln!(shown, "[go on with start {}]", next.get());
        }
        if lines.lines.is_empty() {
            let count = reader.known_count().unwrap_or_default();
            let path = located.shown();
            let what = format!("`{path}` has {count} lines, none from {start} on");
            return Err(ToolError::failed(what));
        }
        Ok(Found::text(shown))
    }
}

/// Bytes of a file in one answer; no prompt has room for many of them.
pub(crate) const ANSWER_BYTES_MAX: usize = 400_000;

/// Bytes of one line in an answer.
pub(super) const LINE_BYTES_MAX: usize = 100_000;

/// Lines `first` to `last` with their numbers, as far as one answer holds them, and the last of
/// them.
fn part(text: &str, first: u32, last: u32) -> (String, u32) {
    let mut shown = String::new();
    let mut end = first.saturating_sub(1);
    for (number, line) in (first..=last).zip(text.lines().skip(first as usize - 1)) {
        let kept = &line[..line.floor_char_boundary(LINE_BYTES_MAX.min(line.len()))];
        if shown.len() + kept.len() > ANSWER_BYTES_MAX && !shown.is_empty() {
            break;
        }
        // Writing to a string cannot fail.
        let _ = match line.len() - kept.len() {
            0 => writeln!(shown, "{number}→{kept}"),
            bytes => writeln!(shown, "{number}→{kept}[{bytes} bytes of this line left out]"),
        };
        end = number;
    }
    (shown, end)
}

fn described(read: &FileRead) -> String {
    read.description().unwrap_or_else(|| "nothing to show".to_owned())
}

fn mode_name(mode: Mode) -> Value {
    match mode {
        Mode::Auto => "auto",
        Mode::Full => "full",
        Mode::Curated => "curated",
        Mode::Structure => "structure",
    }
    .into()
}

/// The lines of a text with their numbers, the first of which is `first`.
pub(crate) fn numbered(text: &str, first: u32) -> String {
    let mut shown = String::with_capacity(text.len() + text.len() / 4);
    for (number, line) in (first..).zip(text.lines()) {
        // Writing to a string cannot fail.
        let _ = writeln!(shown, "{number}→{line}");
    }
    shown
}
