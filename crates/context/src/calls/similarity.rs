//! When two calls of a tool ask for the same thing: one table, tool names to rules.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use foveal_effects::base_name;

/// What makes a call of a tool the same as an earlier one of the same tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Nothing: it does something, or tells of what changes by itself.
    Never,
    /// All arguments are equal; only the order of properties does not matter.
    Exact,
    /// The files are the same, the asked lines are among the earlier call's, and all other
    /// arguments are equal.
    Lines,
    /// All arguments but these are equal. One that is false or null is as good as absent, and
    /// paths compare by the caller's path key.
    AllBut(&'static [&'static str]),
    /// These arguments are equal, in the same sense; others do not matter.
    Only(&'static [&'static str]),
    /// More than a share of the properties are equal, or those of [`CRITICAL`] that there are.
    /// If one of these is not, the calls are not the same, however alike the rest is.
    Generic,
}

/// Properties that say what a call is about.
pub const CRITICAL: [&str; 3] = ["id", "name", "path"];

/// Words about the call rather than of it.
pub(super) const WORDS: &[&str] =
    &["intent", "description", "explanation", "instruction", "instructions"];

/// How many lines are shown around a hit.
const CONTEXT: &[&str] = &[
    "context",
    "context_lines",
    "contextLines",
    "context_before",
    "contextBefore",
    "context_after",
    "contextAfter",
    "before_context",
    "after_context",
    "before",
    "after",
    "-A",
    "-B",
    "-C",
    "A",
    "B",
    "C",
    "intent",
    "description",
    "explanation",
];

const CONTENT: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "filename",
    "absolute_path",
    "target_file",
    "content",
    "contents",
    "file_text",
    "text",
    // What is put back, where that is said in place of a content.
    "handle",
    "mode",
];

const EDITS: &[&str] = &["path", "file_path", "filePath", "edits", "operations", "replacements"];

/// The prompt and the form are part of the question where a tool has them.
const URL: &[&str] = &["url", "prompt", "format"];

/// The table. Names compare without regard to case, and without the prefix a client puts
/// before the tools of a server; the first row with a name counts.
const TABLE: &[(Rule, &[&str])] = &[
    (
        Rule::Lines,
        &[
            "read",
            "read_file",
            "readFile",
            "read_lines",
            "readLines",
            "read_files",
            "readFiles",
            "read_many_files",
            "view",
            "NotebookRead",
        ],
    ),
    (
        Rule::AllBut(CONTEXT),
        &[
            "grep",
            "grep_files",
            "grep_search",
            "search_files",
            "search_file_content",
            "search_file",
            "search_dir",
        ],
    ),
    (
        Rule::AllBut(WORDS),
        &[
            "glob",
            "find",
            "find_file",
            "find_path",
            "file_search",
            "list",
            "ls",
            "list_dir",
            "list_directory",
            "list_files",
            "listFiles",
            "search_code",
            "codebase_search",
            "semantic_search",
            "outline",
            "list_code_definition_names",
            "LSP",
            "web_search",
            "websearch",
            "google_web_search",
            "codesearch",
        ],
    ),
    (Rule::Only(CONTENT), &["write", "write_file", "writeFile", "write_to_file", "create_file"]),
    (Rule::Only(EDITS), &["multiedit", "multi_edit", "multi_replace_string_in_file"]),
    (Rule::Only(URL), &["fetch", "webFetch", "web_fetch"]),
    // Commands, and PTY sessions.
    (
        Rule::Never,
        &[
            "bash",
            "shell",
            "shell_command",
            "local_shell",
            "local_shell_call",
            "exec",
            "exec_command",
            "container.exec",
            "unifiedExec",
            "unified_exec",
            "writeStdin",
            "write_stdin",
            "close",
            "close_session",
            "closePtySession",
            "close_pty_session",
            "listPtySessions",
            "terminals",
            "list_pty_sessions",
            "list_sessions",
            "BashOutput",
            "TaskOutput",
            "KillShell",
            "KillBash",
            "execute_bash",
            "execute_command",
            "execute_ipython_cell",
            "run_ipython",
            "ipython",
            "run_shell_command",
            "run_terminal_cmd",
            "run_in_terminal",
            "terminal",
            "submit",
        ],
    ),
    // Edits.
    (
        Rule::Never,
        &[
            "edit",
            "edit_file",
            "editFile",
            "NotebookEdit",
            "apply_patch",
            "patch",
            "apply_diff",
            "replace",
            "replace_in_file",
            "replace_string_in_file",
            "search_replace",
            "search_and_replace",
            "insert",
            "insert_content",
            "insert_edit_into_file",
            "delete_file",
            "create",
            "reapply",
            "str_replace_editor",
            "str_replace_based_edit_tool",
            "text_editor",
        ],
    ),
    // What moves something, is for the one who calls, or gives back what was left out.
    (
        Rule::Never,
        &[
            "open",
            "goto",
            "scroll_up",
            "scroll_down",
            "focus",
            "unfocus",
            "expand",
            "task",
            "agent",
            "todoread",
            "todowrite",
            "TaskCreate",
            "TaskUpdate",
            "TaskList",
            "TaskGet",
            "Skill",
            "AskUserQuestion",
            "ExitPlanMode",
            "update_plan",
            "think",
            "finish",
        ],
    ),
];

/// What a tool says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Declared {
    /// That it changes nothing.
    ReadOnly,
    /// Nothing, or that it may change something.
    #[default]
    Other,
}

/// A function of the arguments of a call and of an earlier one.
pub type Compare = dyn Fn(&Value, &Value) -> bool + Send + Sync;

/// A rule of the table or one of somebody's own.
#[derive(Clone)]
pub enum Similarity {
    /// One that is known here.
    Rule(Rule),
    /// Whether a call (first) asks for what an earlier one (second) answered.
    Custom(Arc<Compare>),
}

impl Similarity {
    /// A rule of one's own: whether a call (first) asks for what an earlier one (second)
    /// answered, by their arguments. It is called with the tracker in use, so it must be quick.
    pub fn custom(compare: impl Fn(&Value, &Value) -> bool + Send + Sync + 'static) -> Self {
        Similarity::Custom(Arc::new(compare))
    }
}

impl From<Rule> for Similarity {
    fn from(rule: Rule) -> Self {
        Similarity::Rule(rule)
    }
}

impl fmt::Debug for Similarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Similarity::Rule(rule) => rule.fmt(f),
            Similarity::Custom(_) => f.write_str("Custom"),
        }
    }
}

/// The table, and what was registered beside it.
#[derive(Debug, Clone)]
pub struct Rules(HashMap<Box<str>, Similarity>);

impl Default for Rules {
    fn default() -> Self {
        let mut rules = HashMap::new();
        for (rule, names) in TABLE {
            for name in *names {
                rules.entry(lower(name)).or_insert(Similarity::Rule(*rule));
            }
        }
        Self(rules)
    }
}

impl Rules {
    /// Sets the rule of a tool, whether it had one or not.
    pub fn register(&mut self, name: &str, rule: impl Into<Similarity>) {
        self.0.insert(lower(name), rule.into());
    }

    /// The rule of a tool. One that nobody listed has the generic one if it declares to change
    /// nothing, and otherwise [`Rule::Exact`].
    pub fn of(&self, tool: &str, declared: Declared) -> Similarity {
        match self.listed(tool).or_else(|| self.listed(base_name(tool))) {
            Some(listed) => listed.clone(),
            None => Similarity::Rule(match declared {
                Declared::ReadOnly => Rule::Generic,
                Declared::Other => Rule::Exact,
            }),
        }
    }

    fn listed(&self, name: &str) -> Option<&Similarity> {
        if name.bytes().any(|letter| letter.is_ascii_uppercase()) {
            return self.0.get(&lower(name));
        }
        self.0.get(name)
    }
}

fn lower(name: &str) -> Box<str> {
    name.to_ascii_lowercase().into()
}
