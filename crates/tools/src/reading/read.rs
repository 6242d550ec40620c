//! Reading files for a session: what was shown is pointed at, what is long is curated.

use std::sync::Arc;

use foveal_code::listing::{ListingRow, text_of};
use foveal_code::{LineNumber, outline, parse};
use foveal_context::room::Room;
use foveal_files::kind::{self, Content as FileContent, FileRead, ReadLimits};
use foveal_files::{Freshness, Version};
use foveal_files::{Located, PathKey, TextFile};

use crate::answer::{Dependency, Image};
use crate::error::ToolError;
use crate::findings::{
    Content, FileText, Findings, NoText, Reach, ReadKey, Structure, Unchanged, numbered,
};
use crate::read_view::{ReadMode, ReadView};
use crate::room::{is_more_than, is_parsed, rows};
use crate::session::{KnownFile, LineCounts, Work};
use crate::settings::LineLimits;

use super::long;

/// A file that is read.
struct Read<'a> {
    work: &'a Work<'a>,
    located: Located,
    key: PathKey,
    mode: ReadMode,
    question: Option<&'a str>,
}

/// The file at `path`, shown as `mode` says, for `question`.
pub(crate) fn read(
    work: &Work<'_>,
    path: &str,
    mode: ReadMode,
    question: Option<&str>,
) -> Result<Findings, ToolError> {
    let (session, located) = (work.session, work.file(path)?);
    let key = located.key();
    let asked = ReadKey { file: key.clone(), mode, question: question.map(str::to_owned) };
    let mut read = Read { work, located, key, mode, question };
    // Who is sent to what stands above and asks for all of the file wants more than that note.
    let is_pointed = |earlier: &ReadKey| {
        *earlier == asked || (mode == ReadMode::Full && earlier.file == asked.file)
    };
    let again = session.pointed.take(&[]).iter().any(is_pointed) && !read.is_changed();
    let is_wanted_whole = again || (mode == ReadMode::Auto && session.reads.is_invalid(&read.key));
    if is_wanted_whole {
        read.mode = ReadMode::Full;
    }
    if matches!(read.mode, ReadMode::Auto | ReadMode::Curated)
        && let Some(unchanged) = read.unchanged()?
    {
        if !work.anew {
            session.pointed.set(&[], vec![asked]);
            let version = work.files().part(&read.key, |known| known.version);
            session.reads.count(&read.located, version);
            return Ok(Content::Unchanged(unchanged).into());
        }
        // Who wants no answers from before is not sent to one.
        read.mode = ReadMode::Full;
    }
    let file = kind::read(&read.located, &ReadLimits::default(), work.control.cancel)
        .map_err(ToolError::failed)?;
    session.reads.count(&read.located, file.version);
    work.toolbox.index.touch(&read.located.absolute());
    Ok(Findings { is_wanted_whole, ..read.file(file, asked)? })
}

impl Read<'_> {
    /// What the file holds.
    fn file(&self, file: FileRead, asked: ReadKey) -> Result<Findings, ToolError> {
        let description = file.description();
        let path = self.located.shown().to_owned();
        let FileRead { content, version, len, .. } = file;
        let findings = match (content, version) {
            (FileContent::Text(text), Some(version)) => self.text(&Arc::new(text), version),
            (FileContent::Notebook(notebook, _), Some(version)) => {
                self.text(&Arc::new(TextFile::new(&notebook.to_text())), version)
            }
            (FileContent::TooLarge { what: "text", .. }, _) => {
                let work = self.work;
                let beginning = long::beginning_of_large(work, &self.located, self.mode, len)?;
                Content::Beginning(beginning).into()
            }
            (FileContent::Image(image, bytes), _) => {
                let image = Some(Image { media_type: image.format.media_type(), bytes });
                let what = description.unwrap_or_default();
                return Ok(Content::NoText(NoText { path, what, image }).into());
            }
            (FileContent::Empty, Some(version)) => {
                let text = Arc::new(TextFile::new(""));
                let known = KnownFile::after(None, version, text, None);
                self.work.session.files.change(&self.key, |_| Some(known));
                let what = "empty file".to_owned();
                return Ok(Content::NoText(NoText { path, what, image: None }).into());
            }
            _ => {
                let what = description.unwrap_or_else(|| "nothing to show".to_owned());
                return Ok(Content::NoText(NoText { path, what, image: None }).into());
            }
        };
        Ok(Findings { read: Some(asked), ..findings })
    }

    /// Whether the file is another than the one last met.
    fn is_changed(&self) -> bool {
        let known = self.work.files().part(&self.key, |known| known.version);
        let now = known.map(|version| version.check(&self.located, self.work.control.cancel));
        now.is_some_and(|now| !matches!(now, Ok(Freshness::Same(_))))
    }

    /// A pointer, if the file was shown and nothing has changed since.
    fn unchanged(&self) -> Result<Option<Unchanged>, ToolError> {
        let files = &self.work.session.files;
        let known = self.work.files().part(&self.key, |known| {
            // Others may have changed what stands above, and that was not shown.
            let shown = known.shown.clone().filter(|_| known.unshown.is_empty());
            Some((known.version, shown?, known.seen.count()))
        });
        let Some((version, shown, seen)) = known.flatten() else { return Ok(None) };
        let asks_anew = self.question.is_some() && self.question != shown.question.as_deref();
        // Of what is in focus all is shown, as far as one answer holds it.
        let shows_too_little = match shown.is_beginning {
            true => self.mode == ReadMode::Curated,
            false => self.work.session.workspace.is_in_focus(&self.key),
        };
        if shown.is_view && (asks_anew || shows_too_little) {
            return Ok(None);
        }
        let now = version.check(&self.located, self.work.control.cancel);
        let Freshness::Same(now) = now.map_err(ToolError::failed)? else { return Ok(None) };
        files.renew(&self.key, now);
        Ok(Some(Unchanged {
            path: self.located.shown().to_owned(),
            all: shown.all,
            shown: shown.is_view.then_some(seen),
            is_long: is_more_than(self.work.room, version.stamp.len, shown.all),
        }))
    }

    /// A text as it is to be shown, and what is known of it from now on.
    fn text(&self, text: &Arc<TextFile>, version: Version) -> Findings {
        let Self { work, located, key, mode, question } = self;
        // Who wants no answers from before is shown the file as if it were new.
        let met = work.files().get(key);
        let is_same = met.as_ref().is_some_and(|met| met.version.hash == version.hash);
        let before = met.filter(|_| !work.anew);
        let path = located.shown().to_owned();
        let known = KnownFile::after(before.as_ref(), version, Arc::clone(text), *question);
        let view = self.view(before.as_ref(), &known);
        // Of a version that stands above, it still does.
        if *mode != ReadMode::Structure || !is_same {
            work.session.files.change(key, |before| {
                Some(KnownFile::after(before, version, Arc::clone(text), *question))
            });
        }
        let rule_path = located.rule_path();
        let reach = match mode {
            ReadMode::Structure => (!is_parsed(text)).then_some(Reach::Unparsed),
            _ => long::reach(work, (&rule_path, key), text, *mode, &view),
        };
        let content = match (reach, mode) {
            (Some(reach), _) => {
                Content::Beginning(long::beginning(work, (located, text), version, reach))
            }
            (None, ReadMode::Structure) => {
                let room = work.room_beside_heading(&path);
                Content::Structure(structure(path, text, room))
            }
            (None, _) => Content::File(FileText {
                path,
                key: key.clone(),
                version,
                text: Arc::clone(text),
                mode: *mode,
                question: question.map(str::to_owned),
                view,
            }),
        };
        let depends = vec![Dependency::File(located.absolute(), version)];
        Findings::from(content).resting_on(depends)
    }

    /// How much of the file is shown, by what was seen of it before.
    fn view(&self, before: Option<&KnownFile>, now: &KnownFile) -> ReadView {
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
        let LineLimits { small, large } = self.work.toolbox.line_limits(&self.located.rule_path());
        let is_in_focus = || self.work.session.workspace.is_in_focus(&self.key);
        match self.mode {
            ReadMode::Full | ReadMode::Structure => ReadView::Whole,
            ReadMode::Curated => ReadView::Curated,
            ReadMode::Auto if is_in_focus() || wanted.covers(lines) => ReadView::Whole,
            // What changed since, beside what was seen.
            ReadMode::Auto if is_changed && !asks_anew && lines > small && !wanted.is_empty() => {
                ReadView::Lines(wanted.ranges().to_vec())
            }
            ReadMode::Auto => ReadView::Auto { small, large },
        }
    }
}

/// The structure of a text, word for word, unless all of it is no longer.
fn structure(path: String, text: &TextFile, room: Room) -> Structure {
    let parsed = parse(&path, text.text());
    let outline = outline(&parsed, text.text());
    let (mut listed, all) = (outline.rows(&parsed, text.text()), outline.line_count);
    if text_of(&listed).len() >= numbered(text.text()).text().len() {
        let line = |(number, line): (u32, &str)| ListingRow::Line {
            number: LineNumber(number),
            width: 0,
            text: line.into(),
        };
        listed = (1..).zip(rows(text.text())).map(line).collect();
    }
    long::cut_outline(&mut listed, all, room);
    let shown = listed.iter().filter(|row| matches!(row, ListingRow::Line { .. })).count();
    let shown = u32::try_from(shown).unwrap_or(u32::MAX);
    Structure { path, counts: LineCounts { all, shown }, rows: listed }
}
