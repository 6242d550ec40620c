//! The server's `instructions` for the model: when to use which tool.

use foveal_tools::tool_table::ToolSet;

/// Sentences, each with the tools that it requires.
const TOOL_ADVICE: &[(&[&str], &str)] = &[
    (
        &["read_file", "read_lines"],
        "Read with read_file: long files come as the lines that matter to your question. \
         read_lines gives a range word for word.",
    ),
    (&["read_files"], "read_files reads several at once."),
    (
        &["search_code", "grep"],
        "Find code by what it does with search_code, by its text with grep.",
    ),
    (&["outline"], "outline shows what a file defines."),
    (&["edit_file"], "Change files with edit_file."),
    (&["write_file"], "Each change says how to undo it with write_file."),
    (&["bash"], "Output of bash is kept whole, however much is shown."),
    (
        &["expand"],
        "Notes in brackets stand for lines that stand above or are left out; expand with a handle \
         gives them back.",
    ),
];

/// Returns the instructions for a tool set.
pub(crate) fn for_tool_set(set: ToolSet) -> String {
    let is_offered = |name: &&str| set.tools().any(|tool| tool.name == *name);
    let fitting = TOOL_ADVICE.iter().filter(|(tools, _)| tools.iter().all(&is_offered));
    fitting.map(|(_, text)| *text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_that_are_offered_are_named() {
        let (lean, full) = (for_tool_set(ToolSet::Lean), for_tool_set(ToolSet::Full));
        assert!(full.contains("Output of bash") && !lean.contains("bash"), "{lean}");
        assert!(lean.contains("edit_file") && lean.contains("expand") && lean.len() < full.len());
        for (tools, text) in TOOL_ADVICE {
            for name in tools.iter() {
                assert!(ToolSet::Full.tools().any(|tool| tool.name == *name), "{name}");
                assert!(text.contains(name), "{name}: {text}");
            }
        }
    }
}
