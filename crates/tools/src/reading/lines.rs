//! Lines of files, word for word.

use foveal_files::kind::{self, Content as FileContent, ReadLimits};
use foveal_files::{LinesReader, Located, TextFile};

use crate::answer::Dependency;
use crate::error::ToolError;
use crate::findings::{Content, Findings, LineRange, RangeEnd};
use crate::room::rows;
use crate::session::Work;

use super::part::{self, AskedLines, PartRoom, no_bytes};

/// Lines of a file, word for word.
pub(crate) fn read_lines(
    work: &Work<'_>,
    path: &str,
    asked: AskedLines,
) -> Result<Findings, ToolError> {
    let located = work.file(path)?;
    let read = kind::read(&located, &ReadLimits::default(), work.control.cancel)
        .map_err(ToolError::failed)?;
    work.toolbox.index.touch(&located.absolute());
    let path = located.shown();
    let description = read.description();
    let text = match read.content {
        FileContent::Text(text) => text,
        FileContent::Notebook(notebook, _) => TextFile::new(&notebook.to_text()),
        FileContent::TooLarge { what: "text", .. } => {
            let range = range_of_large(work, &located, asked)?;
            work.session.reads.count(&located, read.version);
            return Ok(Content::Lines(range).into());
        }
        FileContent::Empty
        | FileContent::Image(..)
        | FileContent::Binary(_)
        | FileContent::TooLarge { .. } => {
            let what = description.unwrap_or_else(|| "nothing to show".to_owned());
            return Err(ToolError::failed(format!("`{path}` has no lines: {what}")));
        }
    };
    let mut range = range_of_text((path, text.text()), asked, PartRoom::answer(work, path))?;
    work.session.reads.count(&located, read.version);
    let Some(version) = read.version else { return Ok(Content::Lines(range).into()) };
    range.file = Some((located.key(), version, text));
    let depends = vec![Dependency::File(located.absolute(), version)];
    Ok(Findings::from(Content::Lines(range)).resting_on(depends))
}

fn range_of_text(
    (path, text): (&str, &str),
    asked: AskedLines,
    room: PartRoom,
) -> Result<LineRange, ToolError> {
    let AskedLines { start, end, from_byte } = asked;
    let all = u32::try_from(rows(text).count()).unwrap_or(u32::MAX);
    let Some(first) = rows(text).nth(start as usize - 1) else {
        let what = format!("`{path}` has {all} lines, none from {start} on");
        return Err(ToolError::failed(what));
    };
    if from_byte > 0 && from_byte >= first.len() as u64 {
        return Err(no_bytes(path, start, Some(first.len() as u64)));
    }
    let end_here = end.min(all);
    let lines = part::of_text((path, text), AskedLines { end: end_here, ..asked }, room);
    let last = lines.last().unwrap_or(start - 1);
    let end = if last < end_here {
        RangeEnd::GoesOn(u64::from(last) + 1)
    } else if end > all {
        RangeEnd::FileEnds(all)
    } else {
        RangeEnd::Complete
    };
    Ok(LineRange { lines, end, file: None })
}

fn range_of_large(
    work: &Work<'_>,
    located: &Located,
    asked: AskedLines,
) -> Result<LineRange, ToolError> {
    let mut reader = LinesReader::open(located).map_err(ToolError::failed)?;
    let (path, start) = (located.shown(), asked.start);
    let from = (&mut reader, path);
    let (lines, next) =
        part::of_large(from, asked, PartRoom::answer(work, path), work.control.cancel)?;
    if lines.last().is_none() {
        let count = reader.known_count().unwrap_or_default();
        let what = format!("`{path}` has {count} lines, none from {start} on");
        return Err(ToolError::failed(what));
    }
    let end = next.map_or(RangeEnd::Complete, RangeEnd::GoesOn);
    Ok(LineRange { lines, end, file: None })
}
