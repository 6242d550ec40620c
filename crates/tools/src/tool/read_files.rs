//! The tool `read_files`: reads several files at once.

use foveal_engine::output_budget::OutputBudget;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::error::ToolError;
use crate::findings::{FindingContent, Findings, ReadAnswer};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{RepeatPolicy, Tool, ToolArguments, ToolHints};
use crate::tool_request::ToolRequest;

use super::read_file;

pub(crate) const TOOL: Tool = Tool::new::<ReadFilesToolArguments>(
    "read_files",
    "Read several files",
    "read_file for several paths.",
    ToolHints::READ_ONLY,
)
.with_repeat_policy(RepeatPolicy::ShaperThenWhole);

/// The most files of one call.
const FILES_MAX: usize = 50;

/// The most bytes of a path.
const PATH_BYTES_MAX: usize = 1_024;

/// The bytes that each file gets, as far as the output budget allows.
const FILE_BYTES_MIN: usize = 4_000;

/// Bytes of the note on a file that the output budget excludes, without the file's name.
const NAME_NOTE_BYTES: usize = 60;

/// Arguments of `read_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFilesToolArguments {
    paths: Vec<String>,
    question: Option<String>,
}

impl ToolArguments for ReadFilesToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Calls(
            read_file::TOOL.name,
            self.paths.iter().map(String::as_str).collect(),
        )
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let count = self.paths.len();
        if count == 0 || count > FILES_MAX {
            let what = format!("{count} paths: give 1 to {FILES_MAX}");
            return Err(ToolError::invalid_arguments(TOOL.name, what));
        }
        // Different spellings of a path share one key.
        let roots = work.roots();
        let key = |path: &String| match roots.resolve(path) {
            Ok(located) => located.path_key().as_str().to_owned(),
            Err(_) => path.clone(),
        };
        let together: Vec<String> = self.paths.iter().map(key).collect();
        let pointed = &work.session.pointer_answered_reads;
        let again = pointed.take_if_repeated(&together);
        let mut still_pointed = Vec::new();
        let mut answers: Vec<ReadAnswer> = Vec::with_capacity(count);
        if let Some(long) = self.paths.iter().find(|path| path.len() > PATH_BYTES_MAX) {
            let what = format!("a path of {} bytes: at most {PATH_BYTES_MAX}", long.len());
            return Err(ToolError::invalid_arguments(TOOL.name, what));
        }
        let names: usize = self.paths.iter().map(|path| path.len() + NAME_NOTE_BYTES).sum();
        let mut left = work.output_budget.reserve_notes(names.min(work.output_budget.bytes / 3));
        for (at, path) in self.paths.iter().enumerate() {
            work.check_cancelled()?;
            if at > 0 && left.code_bytes() < FILE_BYTES_MIN / 4 {
                answers.push(ReadAnswer::new_skipped(path));
                continue;
            }
            let mut arguments = json!({ "path": path });
            if let Some(question) = &self.question {
                arguments["question"] = json!(question);
            }
            // Each read counts as a call of its own for later reads.
            pointed.set(&[], again.clone());
            let request = ToolRequest {
                detect_duplicates: !work.bypass_cache,
                output_budget: left
                    .divide((left.code_bytes() / FILE_BYTES_MIN).clamp(1, count - at)),
                ..ToolRequest::new(read_file::TOOL.name, arguments)
            };
            let answer = ReadAnswer::new(path, (work.run_nested)(&request));
            still_pointed.extend(pointed.take_if_repeated(&[]));
            if !left.consume(answer.text()) {
                left = OutputBudget::NONE;
            }
            answers.push(answer);
        }
        pointed.set(&together, still_pointed);
        Ok(FindingContent::Answers(answers).into())
    }

    fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }
}
