//! `read_files`: several files at once.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::session::{ANSWER_BYTES_MAX, Request, Work};
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool =
    Tool::of::<ReadFiles>("read_files", "read_file for several paths.", Hints::LOOKS);

/// Files of one call.
const FILES_MAX: usize = 50;

/// Arguments of `read_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFiles {
    paths: Vec<String>,
    question: Option<String>,
}

impl Arguments for ReadFiles {
    fn asks(&self) -> Asks<'_> {
        Asks::Calls("read_file", self.paths.iter().map(String::as_str).collect())
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        let count = self.paths.len();
        if count == 0 || count > FILES_MAX {
            let what = format!("{count} paths: give 1 to {FILES_MAX}");
            return Err(ToolError::arguments(TOOL.name, what));
        }
        let mut found = Found { given: true, ..Found::default() };
        // However they are spelled.
        let roots = work.session.roots();
        let key = |path: &String| match roots.resolve(path) {
            Ok(located) => located.key().as_str().to_owned(),
            Err(_) => path.clone(),
        };
        let together: Vec<String> = self.paths.iter().map(key).collect();
        let again = work.session.take_pointed(&together);
        let mut pointed = Vec::new();
        for path in &self.paths {
            work.check_cancelled()?;
            if found.text.len() > ANSWER_BYTES_MAX {
                found
                    .text
                    .push_str(&format!("File: {path} (not read: the answer is long already)\n"));
                continue;
            }
            let mut arguments = json!({ "path": path });
            if let Some(question) = &self.question {
                arguments["question"] = json!(question);
            }
            // Each is a read of its own for what comes later.
            work.session.set_pointed(&[], again.clone());
            let request =
                Request { detect_duplicates: !work.anew, ..Request::new("read_file", arguments) };
            let answer = work.session.call_part(&request, work.control);
            pointed.extend(work.session.take_pointed(&[]));
            if answer.is_error {
                found.text.push_str(&format!("File: {path} (failed)\n"));
            }
            found.text.push_str(&answer.text);
            if !found.text.ends_with('\n') {
                found.text.push('\n');
            }
            found.images.extend(answer.images);
        }
        work.session.set_pointed(&together, pointed);
        Ok(found)
    }
}
