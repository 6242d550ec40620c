//! Passes the objects of a stream to a format's reader, one for each line or document.

use std::io::{self, BufRead};

use foveal_protocols::json::JsonObject;
use foveal_protocols::problem::ProblemKind;

use crate::framing::document_reader::{DocumentReader, FramedDocument};
use crate::framing::line_reader::{FramedLine, LINE_BYTES_MAX, RecordLineReader};
use crate::session_sink::SessionSink;

/// The UTF-8 byte order mark that some editors write.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Builds sessions from the objects of a stream.
pub(crate) trait RecordReader {
    /// Reads the next object.
    fn read_record(&mut self, record: JsonObject, output: &mut SessionSink<'_>);

    /// Emits the sessions that are still open.
    fn finish(self, output: &mut SessionSink<'_>);
}

/// A reader for formats whose documents are each a whole session.
struct WholeSessionReader(fn(JsonObject, &mut SessionSink<'_>));

impl RecordReader for WholeSessionReader {
    fn read_record(&mut self, record: JsonObject, output: &mut SessionSink<'_>) {
        self.0(record, output);
    }

    fn finish(self, _output: &mut SessionSink<'_>) {}
}

/// Reads a format whose JSON documents are each a whole session.
pub(crate) fn read_session_documents(
    input: &mut dyn BufRead,
    output: &mut SessionSink<'_>,
    read: fn(JsonObject, &mut SessionSink<'_>),
) -> io::Result<()> {
    read_documents(input, output, WholeSessionReader(read))
}

/// Reads a format of JSON documents that may span lines.
pub(crate) fn read_documents(
    input: &mut dyn BufRead,
    output: &mut SessionSink<'_>,
    mut reader: impl RecordReader,
) -> io::Result<()> {
    let mut documents = DocumentReader::new(input, LINE_BYTES_MAX);
    while let Some((line, document)) = documents.next_document()? {
        output.problems.line = line;
        output.has_content = true;
        match document {
            FramedDocument::Bytes(bytes) => {
                if let Some(object) = output.parse_object(bytes) {
                    // Release the text before the session is processed.
                    documents.release_buffer();
                    reader.read_record(object, output);
                }
            }
            FramedDocument::EndsEarly => output.report_problem(ProblemKind::EndsEarly),
            FramedDocument::TooLong => {
                output.report_problem(ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
            }
            FramedDocument::Stray => output.report_problem(ProblemKind::NotARecord),
        }
    }
    reader.finish(output);
    Ok(())
}

/// Reads a format with one JSON object per line.
pub(crate) fn read_json_lines(
    input: &mut dyn BufRead,
    output: &mut SessionSink<'_>,
    mut reader: impl RecordReader,
) -> io::Result<()> {
    let mut lines = RecordLineReader::new(input, LINE_BYTES_MAX);
    while let Some((number, line)) = lines.read_line()? {
        output.problems.line = number;
        match line {
            FramedLine::Bytes(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => {}
            FramedLine::Bytes(bytes) => {
                output.has_content = true;
                let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
                if let Some(record) = output.parse_object(bytes) {
                    reader.read_record(record, output);
                }
            }
            FramedLine::TooLong => {
                output.has_content = true;
                output.report_problem(ProblemKind::TooLong { bytes_max: LINE_BYTES_MAX });
            }
        }
    }
    reader.finish(output);
    Ok(())
}
