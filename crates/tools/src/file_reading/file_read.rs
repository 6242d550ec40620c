//! Reads of files for a session: visible content is pointed at, long files are curated.

use std::sync::Arc;

use foveal_engine::output_budget::OutputBudget;
use foveal_relevance::numbered_listing::{ListingRow, render_rows};
use foveal_relevance::outline_listing::outline_rows;
use foveal_syntax::{outline, parse_file};
use foveal_transcript::LineNumber;
use foveal_workspace::file_content::{self, FileContent, FileSnapshot, ReadLimits};
use foveal_workspace::{FileFreshness, FileVersion};
use foveal_workspace::{PathKey, ResolvedPath, TextFile};

use crate::answer::{AnswerDependency, AnswerImage};
use crate::answer_budget::{exceeds_budget, is_parseable, split_rows};
use crate::error::ToolError;
use crate::findings::{
    FileStructure, FileText, FindingContent, Findings, NonTextFile, ReadKey, TruncationReason,
    UnchangedFile, number_lines,
};
use crate::read_view::{ReadMode, ReadView};
use crate::session::{CallContext, KnownFile, LineCounts};
use crate::settings::ReadLineLimits;

use super::long_files;

/// One read of a file.
struct FileReadCall<'a> {
    work: &'a CallContext<'a>,
    located: ResolvedPath,
    key: PathKey,
    mode: ReadMode,
    question: Option<&'a str>,
}

/// Reads the file at `path` in this mode, for `question`.
pub(crate) fn read_file(
    work: &CallContext<'_>,
    path: &str,
    mode: ReadMode,
    question: Option<&str>,
) -> Result<Findings, ToolError> {
    let (session, located) = (work.session, work.resolve_permitted(path)?);
    let key = located.path_key();
    let asked = ReadKey { file: key.clone(), mode, question: question.map(str::to_owned) };
    let mut read = FileReadCall { work, located, key, mode, question };
    // A read of the whole file after a pointer to it asks for more than the pointer.
    let is_pointed = |earlier: &ReadKey| {
        *earlier == asked || (mode == ReadMode::Full && earlier.file == asked.file)
    };
    let again = session.pointer_answered_reads.take_if_repeated(&[]).iter().any(is_pointed)
        && !read.is_changed();
    let is_wanted_whole =
        again || (mode == ReadMode::Auto && session.reads.needs_full_read(&read.key));
    if is_wanted_whole {
        read.mode = ReadMode::Full;
    }
    if matches!(read.mode, ReadMode::Auto | ReadMode::Curated)
        && let Some(unchanged) = read.unchanged_file()?
    {
        if !work.bypass_cache {
            session.pointer_answered_reads.set(&[], vec![asked]);
            let version = work.files().map_file(&read.key, |known| known.version);
            session.reads.record_read(&read.located, version);
            return Ok(FindingContent::Unchanged(unchanged).into());
        }
        // A call that wants no earlier answer gets no pointer to one.
        read.mode = ReadMode::Full;
    }
    let file = file_content::read_file(&read.located, &ReadLimits::default(), work.control.cancel)
        .map_err(ToolError::from_error)?;
    session.reads.record_read(&read.located, file.version);
    work.toolbox.index.queue_file(&read.located.absolute_path());
    Ok(Findings { is_wanted_whole, ..read.content_findings(file, asked)? })
}

impl FileReadCall<'_> {
    /// Makes findings of the file's content.
    fn content_findings(&self, file: FileSnapshot, asked: ReadKey) -> Result<Findings, ToolError> {
        let description = file.description();
        let path = self.located.display_path().to_owned();
        let FileSnapshot { content, version, len, .. } = file;
        let findings = match (content, version) {
            (FileContent::Text(text), Some(version)) => {
                self.text_findings(&Arc::new(text), version)
            }
            (FileContent::Notebook(notebook, _), Some(version)) => {
                self.text_findings(&Arc::new(TextFile::new(&notebook.to_text())), version)
            }
            (FileContent::TooLarge { what: "text", .. }, _) => {
                let work = self.work;
                let beginning =
                    long_files::read_large_beginning(work, &self.located, self.mode, len)?;
                FindingContent::Beginning(beginning).into()
            }
            (FileContent::Image(image, bytes), _) => {
                let image = Some(AnswerImage { media_type: image.format.media_type(), bytes });
                let what = description.unwrap_or_default();
                return Ok(FindingContent::NoText(NonTextFile { path, what, image }).into());
            }
            (FileContent::Empty, Some(version)) => {
                let text = Arc::new(TextFile::new(""));
                let known = KnownFile::with_predecessor(None, version, text, None);
                self.work.session.files.update(&self.key, |_| Some(known));
                let what = "empty file".to_owned();
                return Ok(FindingContent::NoText(NonTextFile { path, what, image: None }).into());
            }
            _ => {
                let what = description.unwrap_or_else(|| "nothing to show".to_owned());
                return Ok(FindingContent::NoText(NonTextFile { path, what, image: None }).into());
            }
        };
        Ok(Findings { read: Some(asked), ..findings })
    }

    /// Returns whether the file differs from the version that the session last met.
    fn is_changed(&self) -> bool {
        let known = self.work.files().map_file(&self.key, |known| known.version);
        let now =
            known.map(|version| version.check_freshness(&self.located, self.work.control.cancel));
        now.is_some_and(|now| !matches!(now, Ok(FileFreshness::Same(_))))
    }

    /// Returns a pointer, if the file was shown and is unchanged since.
    fn unchanged_file(&self) -> Result<Option<UnchangedFile>, ToolError> {
        let files = &self.work.session.files;
        let known = self.work.files().map_file(&self.key, |known| {
            // Changes by others to the visible lines were not shown yet.
            let shown = known.shown.clone().filter(|_| known.external_changes.is_empty());
            Some((known.version, shown?, known.seen.count()))
        });
        let Some((version, shown, seen)) = known.flatten() else { return Ok(None) };
        let asks_anew = self.question.is_some() && self.question != shown.question.as_deref();
        // A file in focus is shown whole, as far as one answer holds it.
        let shows_too_little = match shown.is_beginning {
            true => self.mode == ReadMode::Curated,
            false => self.work.session.workspace.is_in_focus(&self.key),
        };
        if shown.is_partial && (asks_anew || shows_too_little) {
            return Ok(None);
        }
        let now = version.check_freshness(&self.located, self.work.control.cancel);
        let FileFreshness::Same(now) = now.map_err(ToolError::from_error)? else { return Ok(None) };
        files.set_version(&self.key, now);
        Ok(Some(UnchangedFile {
            path: self.located.display_path().to_owned(),
            place: shown.place,
            line_count: shown.line_count,
            shown_count: shown.is_partial.then_some(seen),
            is_long: exceeds_budget(self.work.output_budget, version.stamp.len, shown.line_count),
        }))
    }

    /// Makes findings of a text, and updates the known state of the file.
    fn text_findings(&self, text: &Arc<TextFile>, version: FileVersion) -> Findings {
        let Self { work, located, key, mode, question } = self;
        // A call that wants no earlier answer gets the file as if it were new.
        let met = work.files().get(key);
        let is_same = met.as_ref().is_some_and(|met| met.version.hash == version.hash);
        let before = met.filter(|_| !work.bypass_cache);
        let path = located.display_path().to_owned();
        let known =
            KnownFile::with_predecessor(before.as_ref(), version, Arc::clone(text), *question);
        let view = self.select_view(before.as_ref(), &known);
        // The lines of a version that is still visible stay visible.
        if *mode != ReadMode::Structure || !is_same {
            work.session.files.update(key, |before| {
                Some(KnownFile::with_predecessor(before, version, Arc::clone(text), *question))
            });
        }
        let rule_path = located.rule_path();
        let reach = match mode {
            ReadMode::Structure => (!is_parseable(text)).then_some(TruncationReason::Unparsed),
            _ => long_files::truncation_reason(work, &rule_path, key, text, *mode, &view),
        };
        let content = match (reach, mode) {
            (Some(reach), _) => FindingContent::Beginning(long_files::read_beginning(
                work, located, text, version, reach,
            )),
            (None, ReadMode::Structure) => {
                let room = work.budget_below_heading(&path);
                FindingContent::Structure(structure_findings(path, text, room))
            }
            (None, _) => FindingContent::File(FileText {
                path,
                key: key.clone(),
                version,
                text: Arc::clone(text),
                mode: *mode,
                question: question.map(str::to_owned),
                view,
            }),
        };
        let depends = vec![AnswerDependency::File(located.absolute_path(), version)];
        Findings::from(content).with_dependencies(depends)
    }

    /// Returns the part of the file to show, after what the model saw of it before.
    fn select_view(&self, before: Option<&KnownFile>, now: &KnownFile) -> ReadView {
        let text = now.text.as_ref().map_or("", |text| text.text());
        let lines = u32::try_from(split_rows(text).count()).unwrap_or(u32::MAX);
        let is_changed = before
            .is_some_and(|before| before.version.hash != now.version.hash || before.is_written)
            || !now.external_changes.is_empty();
        // Changes count only if the model saw other lines of the file.
        let wanted = match before {
            Some(before) if before.text.is_some() && !before.seen.is_empty() => {
                now.seen_and_changed_lines()
            }
            _ => now.seen.clone(),
        };
        let asks_anew =
            now.question.is_some() && before.is_some_and(|before| before.question != now.question);
        let ReadLineLimits { small, large } =
            self.work.toolbox.line_limits(&self.located.rule_path());
        let is_in_focus = || self.work.session.workspace.is_in_focus(&self.key);
        match self.mode {
            ReadMode::Full | ReadMode::Structure => ReadView::Whole,
            ReadMode::Curated => ReadView::Curated,
            ReadMode::Auto if is_in_focus() || wanted.covers_all(lines) => ReadView::Whole,
            // Shows the changes since, without the lines that were seen.
            ReadMode::Auto if is_changed && !asks_anew && lines > small && !wanted.is_empty() => {
                ReadView::Lines(wanted.ranges().to_vec())
            }
            ReadMode::Auto => ReadView::Auto { small, large },
        }
    }
}

/// Returns the structure of a text, or all its lines if these are no longer.
fn structure_findings(path: String, text: &TextFile, room: OutputBudget) -> FileStructure {
    let parsed = parse_file(&path, text.text());
    let outline = outline(&parsed, text.text());
    let (mut listed, all) = (outline_rows(&outline, &parsed, text.text()), outline.line_count);
    if render_rows(&listed).len() >= number_lines(text.text()).as_str().len() {
        let line = |(number, line): (u32, &str)| ListingRow::Line {
            number: LineNumber(number),
            width: 0,
            text: line.into(),
        };
        listed = (1..).zip(split_rows(text.text())).map(line).collect();
    }
    let rest = long_files::fit_outline(&mut listed, all, room);
    let shown = listed.iter().filter(|row| matches!(row, ListingRow::Line { .. })).count();
    let shown = u32::try_from(shown).unwrap_or(u32::MAX);
    FileStructure { path, counts: LineCounts { all, shown }, rows: listed, rest }
}
