//! Reads of file lines, word for word.

use foveal_screen::numbers::PlainCount;
use foveal_workspace::file_content::{self, FileContent, ReadLimits};
use foveal_workspace::{LineRangeReader, ResolvedPath, TextFile};

use crate::answer::AnswerDependency;
use crate::answer_budget::split_rows;
use crate::error::ToolError;
use crate::findings::{FileLines, FindingContent, Findings, RangeEnd};
use crate::session::CallContext;

use super::line_selection::{self, RangeBudget, RequestedLines, past_line_end_error};

/// Reads lines of a file, word for word.
pub(crate) fn read_lines(
    work: &CallContext<'_>,
    path: &str,
    asked: RequestedLines,
) -> Result<Findings, ToolError> {
    let located = work.resolve_permitted(path)?;
    let read = file_content::read_file(&located, &ReadLimits::default(), work.control.cancel)
        .map_err(ToolError::from_error)?;
    work.toolbox.index.queue_file(&located.absolute_path());
    let path = located.display_path();
    let description = read.description();
    let text = match read.content {
        FileContent::Text(text) => text,
        FileContent::Notebook(notebook, _) => TextFile::new(&notebook.to_text()),
        FileContent::TooLarge { what: "text", .. } => {
            let range = select_lines_of_large_file(work, &located, asked)?;
            work.session.reads.record_read(&located, read.version);
            return Ok(FindingContent::Lines(range).into());
        }
        FileContent::Empty
        | FileContent::Image(..)
        | FileContent::Binary(_)
        | FileContent::TooLarge { .. } => {
            let what = description.unwrap_or_else(|| "nothing to show".to_owned());
            return Err(ToolError::from_error(format!("`{path}` has no lines: {what}")));
        }
    };
    let mut range = select_lines(path, text.text(), asked, RangeBudget::for_answer(work, path))?;
    work.session.reads.record_read(&located, read.version);
    let Some(version) = read.version else { return Ok(FindingContent::Lines(range).into()) };
    range.file = Some((located.path_key(), version, text));
    let depends = vec![AnswerDependency::File(located.absolute_path(), version)];
    Ok(Findings::from(FindingContent::Lines(range)).with_dependencies(depends))
}

fn select_lines(
    path: &str,
    text: &str,
    asked: RequestedLines,
    room: RangeBudget,
) -> Result<FileLines, ToolError> {
    let RequestedLines { start, end, from_byte } = asked;
    let all = u32::try_from(split_rows(text).count()).unwrap_or(u32::MAX);
    let Some(first) = split_rows(text).nth(start as usize - 1) else {
        let what = format!("`{path}` has {}, none from {start} on", PlainCount::new(all, "line"));
        return Err(ToolError::from_error(what));
    };
    if from_byte > 0 && from_byte >= first.len() as u64 {
        return Err(past_line_end_error(path, start, Some(first.len() as u64)));
    }
    let end_here = end.min(all);
    let lines = line_selection::select_from_text(
        path,
        text,
        RequestedLines { end: end_here, ..asked },
        room,
    );
    let last = lines.last_number().unwrap_or(start - 1);
    let end = if last < end_here {
        RangeEnd::Continues(u64::from(last) + 1)
    } else if end > all {
        RangeEnd::FileEnds(all)
    } else {
        RangeEnd::Complete
    };
    Ok(FileLines { lines, end, file: None })
}

fn select_lines_of_large_file(
    work: &CallContext<'_>,
    located: &ResolvedPath,
    asked: RequestedLines,
) -> Result<FileLines, ToolError> {
    let mut reader = LineRangeReader::open(located).map_err(ToolError::from_error)?;
    let (path, start) = (located.display_path(), asked.start);
    let (lines, next) = line_selection::select_from_large_file(
        &mut reader,
        path,
        asked,
        RangeBudget::for_answer(work, path),
        work.control.cancel,
    )?;
    if lines.last_number().is_none() {
        let count = reader.known_line_count().unwrap_or_default();
        let what = format!("`{path}` has {}, none from {start} on", PlainCount::new(count, "line"));
        return Err(ToolError::from_error(what));
    }
    let end = next.map_or(RangeEnd::Complete, RangeEnd::Continues);
    Ok(FileLines { lines, end, file: None })
}
