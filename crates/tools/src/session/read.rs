//! Reading files for a session: what was shown is pointed at, what is long is curated.

use std::sync::Arc;

use serde_json::{Value, json};

use foveal_code::listing::{ListingRow, text_of};
use foveal_code::{LineNumber, outline, parse};
use foveal_context::note::{self, Note, NoteKind};
use foveal_files::kind::{self, Content, FileRead, ReadLimits};
use foveal_files::stamp::{Freshness, Version};
use foveal_files::{Located, PathKey, TextFile};

use crate::answer::{Dependency, Found, Head, Image, TypedLines};
use crate::error::ToolError;
use crate::tool::read_file::Mode;
use crate::views::ReadView;

use super::call::heading;
use super::lines::{numbered, rows};
use super::long::{self, ANSWER_BYTES_MAX, Reach};
use super::{Counts, KnownFile, Work};

impl Work<'_> {
    /// The file at `path`, shown as `mode` says, for `question`.
    pub(crate) fn read(
        &self,
        path: &str,
        mode: Mode,
        question: Option<&str>,
    ) -> Result<Found, ToolError> {
        let located = self.file(path)?;
        let key = located.key();
        // However the path is spelled.
        let asked = (key.as_str().to_owned(), mode, question.map(str::to_owned));
        let again =
            self.session.take_pointed(&[]).contains(&asked) && !self.is_changed(&located, &key);
        let again = again || (mode == Mode::Auto && self.session.is_invalid(&key));
        let mut mode = if again { Mode::Full } else { mode };
        if matches!(mode, Mode::Auto | Mode::Curated)
            && let Some(text) = self.pointer(&located, &key, mode, question)?
        {
            if !self.anew {
                self.session.set_pointed(&[], vec![asked]);
                let version = self.session.of_known(&key, |known| known.version);
                self.session.count_read(&located, version);
                return Ok(Found { cached: true, given: true, ..Found::text(text) });
            }
            // Who wants no answers from before is not sent to one.
            mode = Mode::Full;
        }
        let read = kind::read(&located, &ReadLimits::default(), self.control.go_on)
            .map_err(ToolError::failed)?;
        self.session.count_read(&located, read.version);
        self.toolbox.index.touch(&located.absolute());
        let description = read.description();
        let FileRead { content, version, len, .. } = read;
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
            (Content::TooLarge { what: "text", .. }, _) => {
                let found = self.beginning_of_large(&located, mode, len)?;
                Ok(Found { read: Some(asked), ..found })
            }
            _ => {
                let what = description.unwrap_or_else(|| "nothing to show".to_owned());
                Ok(Found::text(format!("File: {} ({what})\n", located.shown())))
            }
        }
    }

    /// Whether a file is another than the one last met.
    fn is_changed(&self, located: &Located, key: &PathKey) -> bool {
        let known = self.session.of_known(key, |known| known.version);
        let now = known.map(|version| version.check(located, self.control.go_on));
        now.is_some_and(|now| !matches!(now, Ok(Freshness::Same(_))))
    }

    /// What says that nothing has changed since the file was shown, if it was and has not.
    fn pointer(
        &self,
        located: &Located,
        key: &PathKey,
        mode: Mode,
        question: Option<&str>,
    ) -> Result<Option<String>, ToolError> {
        let Some((version, shown, seen)) = self.session.shown_file(key) else { return Ok(None) };
        // Others may have changed what stands above, and that was not shown.
        if self.session.of_known(key, |known| known.unshown.is_empty()) != Some(true) {
            return Ok(None);
        }
        let asks_anew = question.is_some() && question != shown.question.as_deref();
        let is_long = version.stamp.len > ANSWER_BYTES_MAX as u64;
        // Of what is in focus all is shown, as far as one answer holds it.
        let shows_too_little = match shown.is_beginning {
            true => mode == Mode::Curated,
            false => self.session.is_in_focus(key),
        };
        if shown.is_view && (asks_anew || shows_too_little) {
            return Ok(None);
        }
        let now = version.check(located, self.control.go_on).map_err(ToolError::failed)?;
        let Freshness::Same(now) = now else { return Ok(None) };
        self.session.renew(key, now);
        let (path, all) = (located.shown(), shown.all);
        let unchanged =
            NoteKind::UnchangedFile { shown: shown.is_view.then(|| seen.count()), is_long };
        let counts = note::Counts { lines: all, ..Default::default() };
        let note = Note { file: Some(path.into()), counts, ..Note::new(unchanged) };
        Ok(Some(format!("{note}\n")))
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
        let depends = vec![Dependency::File(located.absolute(), version)];
        let is_same = before.as_ref().is_some_and(|before| before.version.hash == version.hash);
        let known = KnownFile::after(before.as_ref(), version, Arc::clone(text), question);
        let read_view = self.read_view(mode, &located.rule_path(), key, (before.as_ref(), &known));
        if mode == Mode::Structure {
            // Of a version that stands above, it still does.
            if !is_same {
                self.session.know(key.clone(), known);
            }
            return match long::is_parsed(text) {
                true => structure(&path, text, depends),
                false => self.beginning((located, text), version, Reach::Unparsed, depends),
            };
        }
        self.session.know(key.clone(), known);
        if let Some(reach) = self.reach((&located.rule_path(), key), text, mode, &read_view) {
            return self.beginning((located, text), version, reach, depends);
        }
        let (key, remarks) = (key.clone(), text.remarks());
        let head = Head::File { path: path.clone(), key, version: version.hash, remarks };
        let mut carried = json!({ "path": path, "mode": mode_name(mode) });
        if long::is_long(text.text()) {
            // Another question, or version, does not ask for the same again, which would be
            // given whole.
            carried["question"] = json!(question);
            carried["version"] = json!(version.hash);
        }
        Found {
            head,
            read_view: Some(read_view),
            carried: Some(carried),
            depends,
            ..Found::lines(numbered(text.text(), 1))
        }
    }

    /// How much of a file is shown, by what was seen of it before.
    fn read_view(
        &self,
        mode: Mode,
        path: &str,
        key: &PathKey,
        (before, now): (Option<&KnownFile>, &KnownFile),
    ) -> ReadView {
        let text = now.text.as_ref().map_or("", |text| text.text());
        let lines = u32::try_from(rows(text).count()).unwrap_or(u32::MAX);
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
            Mode::Full | Mode::Structure => ReadView::Whole,
            Mode::Curated => ReadView::Curated,
            Mode::Auto if self.session.is_in_focus(key) || wanted.covers(lines) => ReadView::Whole,
            // What changed since, beside what was seen.
            Mode::Auto if is_changed && !asks_anew && lines > small && !wanted.is_empty() => {
                ReadView::Lines(wanted.ranges().to_vec())
            }
            Mode::Auto => ReadView::Auto { small },
        }
    }
}

/// The structure of a text, word for word, unless all of it is no longer.
fn structure(path: &str, text: &TextFile, depends: Vec<Dependency>) -> Found {
    let parsed = parse(path, text.text());
    let outline = outline(&parsed, text.text());
    let (mut outlined, all) = (outline.rows(&parsed, text.text()), outline.line_count);
    if text_of(&outlined).len() >= numbered(text.text(), 1).text.len() {
        let line = |(number, line): (u32, &str)| ListingRow::Line {
            number: LineNumber(number),
            width: 0,
            text: line.into(),
        };
        outlined = (1..).zip(rows(text.text())).map(line).collect();
    }
    long::cut_outline(&mut outlined, all);
    let shown = outlined.iter().filter(|row| matches!(row, ListingRow::Line { .. })).count();
    let shown = u32::try_from(shown).unwrap_or(u32::MAX);
    // It stands in the text, so that it is there when the text is given again.
    let head = heading(path, "structure", Counts { all, shown });
    let carried = json!({ "path": path, "mode": "full" });
    let mut lines = TypedLines::default();
    lines.said(&head);
    for row in &outlined {
        match row {
            ListingRow::Line { number, text, .. } => lines.line(number.0, &row.gutter(), text),
            ListingRow::File { .. } | ListingRow::Note { .. } => lines.said(&format!("{row}\n")),
        }
    }
    Found { carried: Some(carried), depends, ..Found::lines(lines) }
}

pub(super) fn described(read: &FileRead) -> String {
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
