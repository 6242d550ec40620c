//! Gives the objects of a stream to a reader: one for each line, or one for each document.

use std::io::{self, BufRead};

use crate::input::documents::{Document, Documents};
use crate::input::lines::{LINE_BYTES_MAX, Line, Lines};
use crate::json::Object;
use crate::output::Output;
use crate::problem::ProblemKind;

/// What some editors put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Makes sessions of the objects of a stream.
pub(crate) trait Reader {
    /// Reads the next object.
    fn record(&mut self, record: Object, output: &mut Output<'_>);

    /// Hands over what is still open.
    fn finish(self, output: &mut Output<'_>);
}

/// A format whose objects are sessions, each on its own.
struct Each(fn(Object, &mut Output<'_>));

impl Reader for Each {
    fn record(&mut self, record: Object, output: &mut Output<'_>) {
        self.0(record, output);
    }

    fn finish(self, _output: &mut Output<'_>) {}
}

/// Reads a format whose JSON documents are sessions, each on its own.
pub(crate) fn read_each(
    input: &mut dyn BufRead,
    output: &mut Output<'_>,
    read: fn(Object, &mut Output<'_>),
) -> io::Result<()> {
    read_documents(input, output, Each(read))
}

/// Reads a format of JSON documents that may stretch over lines.
pub(crate) fn read_documents(
    input: &mut dyn BufRead,
    output: &mut Output<'_>,
    mut reader: impl Reader,
) -> io::Result<()> {
    let mut documents = Documents::new(input, LINE_BYTES_MAX);
    while let Some((line, document)) = documents.next()? {
        output.line = line;
        output.any = true;
        match document {
            Document::Bytes(bytes) => {
                if let Some(object) = output.parse(bytes) {
                    // The text is not held while its session is worked on.
                    documents.release();
                    reader.record(object, output);
                }
            }
            Document::EndsEarly => output.problem(ProblemKind::EndsEarly),
            Document::TooLong => {
                output.problem(ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
            }
            Document::Stray => output.problem(ProblemKind::NotARecord),
        }
    }
    reader.finish(output);
    Ok(())
}

/// Reads a format with one object per line.
pub(crate) fn read_lines(
    input: &mut dyn BufRead,
    output: &mut Output<'_>,
    mut reader: impl Reader,
) -> io::Result<()> {
    let mut lines = Lines::new(input, LINE_BYTES_MAX);
    while let Some((number, line)) = lines.next()? {
        output.line = number;
        match line {
            Line::Bytes(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => {}
            Line::Bytes(bytes) => {
                output.any = true;
                let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
                if let Some(record) = output.parse(bytes) {
                    reader.record(record, output);
                }
            }
            Line::TooLong => {
                output.any = true;
                output.problem(ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
            }
        }
    }
    reader.finish(output);
    Ok(())
}
