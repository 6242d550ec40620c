//! `read_files`: several files at once.

use foveal_context::room::Room;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::definition::{Hints, Repeats, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{Content, Findings, ReadAnswer};
use crate::permission::Asks;
use crate::request::Request;
use crate::session::Work;

use super::read_file;

pub(crate) const TOOL: Tool = Tool::of::<ReadFiles>(
    "read_files",
    "Read several files",
    "read_file for several paths.",
    Hints::LOOKS,
)
.repeated(Repeats::ShaperThenWhole);

/// Files of one call.
const FILES_MAX: usize = 50;

/// Bytes of a path at most.
const PATH_BYTES_MAX: usize = 1_024;

/// Bytes that each file gets, where there is room for so many.
const FILE_BYTES_MIN: usize = 4_000;

/// Bytes of the note on a file for which there is no room, beside its name.
const NAME_NOTE_BYTES: usize = 60;

/// Arguments of `read_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFiles {
    paths: Vec<String>,
    question: Option<String>,
}

impl ToolArguments for ReadFiles {
    fn asks(&self) -> Asks<'_> {
        Asks::Calls(read_file::TOOL.name, self.paths.iter().map(String::as_str).collect())
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let count = self.paths.len();
        if count == 0 || count > FILES_MAX {
            let what = format!("{count} paths: give 1 to {FILES_MAX}");
            return Err(ToolError::arguments(TOOL.name, what));
        }
        // However they are spelled.
        let roots = work.roots();
        let key = |path: &String| match roots.resolve(path) {
            Ok(located) => located.key().as_str().to_owned(),
            Err(_) => path.clone(),
        };
        let together: Vec<String> = self.paths.iter().map(key).collect();
        let pointed = &work.session.pointed;
        let again = pointed.take(&together);
        let mut still_pointed = Vec::new();
        let mut answers: Vec<ReadAnswer> = Vec::with_capacity(count);
        if let Some(long) = self.paths.iter().find(|path| path.len() > PATH_BYTES_MAX) {
            let what = format!("a path of {} bytes: at most {PATH_BYTES_MAX}", long.len());
            return Err(ToolError::arguments(TOOL.name, what));
        }
        let names: usize = self.paths.iter().map(|path| path.len() + NAME_NOTE_BYTES).sum();
        let mut left = work.room.beside_notes(names.min(work.room.bytes / 3));
        for (at, path) in self.paths.iter().enumerate() {
            work.check_cancelled()?;
            if at > 0 && left.code_bytes() < FILE_BYTES_MIN / 4 {
                answers.push(ReadAnswer::unread(path));
                continue;
            }
            let mut arguments = json!({ "path": path });
            if let Some(question) = &self.question {
                arguments["question"] = json!(question);
            }
            // Each is a read of its own for what comes later.
            pointed.set(&[], again.clone());
            let request = Request {
                detect_duplicates: !work.anew,
                room: left.part((left.code_bytes() / FILE_BYTES_MIN).clamp(1, count - at)),
                ..Request::new(read_file::TOOL.name, arguments)
            };
            let answer = ReadAnswer::of(path, (work.carry_out)(&request));
            still_pointed.extend(pointed.take(&[]));
            if !left.take(answer.text()) {
                left = Room::NONE;
            }
            answers.push(answer);
        }
        pointed.set(&together, still_pointed);
        Ok(Content::Answers(answers).into())
    }

    fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }
}
