//! The one table of tool kinds: the tools, how their arguments are read, when two of their calls
//! are duplicates, and whether they are read-only.
//!
//! To add a tool that a client calls by another name, add the name to the row of its kind. A new
//! kind is a new row, and a [`ToolAction`] if its arguments need their own reader.

use super::similarity::SimilarityRule;

/// The action of a tool, as far as its name determines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolAction {
    /// Shows one file or part of it.
    Read,
    /// Shows lines of a file verbatim.
    ReadLines,
    /// Shows several files: a list of paths or of objects.
    ReadMany,
    /// Moves a window over a file and shows it.
    MoveWindow,
    /// Shows the lines of one file that give its structure.
    Outline,
    Search,
    List,
    /// Makes one replacement, or a list of them.
    Edit,
    Write,
    Insert,
    Remove,
    /// Changes a file in a way that the arguments do not state.
    Change,
    /// Replaces a text, inserts one before a line, or creates the file, depending on the arguments.
    EditOrCreate,
    /// Makes the changes of SEARCH/REPLACE blocks.
    Blocks,
    /// Makes the changes of a patch, in Codex's format or as a unified diff.
    Patch,
    /// Anthropic's editor, whose `command` argument names the action.
    Editor,
    /// Runs a command line in a new shell.
    Shell,
    /// Runs several command lines, each in a new shell.
    Commands,
    /// Runs a command line in a shell that keeps its working directory.
    PersistentShell,
    /// Runs something other than a command line.
    Run,
    Fetch,
    /// Returns omitted content.
    Expand,
    Other,
}

/// Tools with the same action and rules.
#[derive(Debug)]
pub struct ToolKind {
    /// The names, in lower case. A name with capitals matches exactly, where its lower-case form is
    /// a tool of another kind.
    pub names: &'static [&'static str],
    pub(super) action: ToolAction,
    /// The rule by which two calls are duplicates.
    pub similarity: SimilarityRule,
    /// Whether the calls change nothing.
    pub is_read_only: bool,
}

impl ToolKind {
    /// Returns the kind of the tool with this name, which must lack the prefix of a server.
    pub fn find_by_name(name: &str) -> Option<&'static ToolKind> {
        let named = |is_it: &dyn Fn(&str) -> bool| {
            TOOL_KINDS.iter().find(|kind| kind.names.iter().any(|known| is_it(known)))
        };
        let lower = name.to_ascii_lowercase();
        named(&|known| known == name).or_else(|| named(&|known| known == lower))
    }
}

const fn read_only_kind(
    action: ToolAction,
    similarity: SimilarityRule,
    names: &'static [&'static str],
) -> ToolKind {
    ToolKind { names, action, similarity, is_read_only: true }
}

const fn acting_kind(
    action: ToolAction,
    similarity: SimilarityRule,
    names: &'static [&'static str],
) -> ToolKind {
    ToolKind { names, action, similarity, is_read_only: false }
}

/// All kinds. All code that distinguishes tools by name uses this table.
#[rustfmt::skip]
pub const TOOL_KINDS: &[ToolKind] = &[
    read_only_kind(ToolAction::Read, SimilarityRule::Lines, &["notebookread", "read", "read_file", "readfile", "view"]),
    read_only_kind(ToolAction::ReadLines, SimilarityRule::Lines, &["read_lines", "readlines"]),
    read_only_kind(ToolAction::ReadMany, SimilarityRule::Lines, &["read_files", "read_many_files", "readfiles"]),
    read_only_kind(ToolAction::Outline, SimilarityRule::SEARCH, &["outline"]),
    read_only_kind(ToolAction::Search, SimilarityRule::GREP, &[
        "grep", "grep_search", "search_dir", "search_file", "search_file_content", "search_files",
    ]),
    read_only_kind(ToolAction::Search, SimilarityRule::SEARCH, &[
        "codebase_search", "list_code_definition_names", "lsp", "search_code", "search_codebase",
        "semantic_search",
    ]),
    // Searches file contents, and prints file names.
    read_only_kind(ToolAction::List, SimilarityRule::GREP, &["grep_files"]),
    read_only_kind(ToolAction::List, SimilarityRule::SEARCH, &[
        "file_search", "find", "find_file", "find_path", "glob", "list", "list_dir",
        "list_directory", "list_files", "listfiles", "ls",
    ]),
    read_only_kind(ToolAction::Fetch, SimilarityRule::URL, &["fetch", "web_fetch", "webfetch"]),
    read_only_kind(ToolAction::Fetch, SimilarityRule::SEARCH, &[
        "codesearch", "fetch_web_content", "google_web_search", "web_search", "websearch",
    ]),
    read_only_kind(ToolAction::Expand, SimilarityRule::Never, &["expand", "headroom_retrieve"]),
    read_only_kind(ToolAction::Other, SimilarityRule::Exact, &["filemap", "graph", "map", "view_image"]),
    // Reports state that changes by itself, or serves the caller alone.
    read_only_kind(ToolAction::Other, SimilarityRule::Never, &[
        "get_goal", "list_agents", "list_background_processes", "list_pty_sessions",
        "list_sessions", "listptysessions", "read_background_output", "taskget", "tasklist",
        "terminals", "think", "todoread", "tool_search",
    ]),
    acting_kind(ToolAction::MoveWindow, SimilarityRule::Never, &["goto", "open", "scroll_down", "scroll_up"]),
    acting_kind(ToolAction::Edit, SimilarityRule::Never, &[
        "edit", "edit_file", "editfile", "replace", "replace_string_in_file",
        "search_and_replace", "search_replace",
    ]),
    acting_kind(ToolAction::Edit, SimilarityRule::EDITS, &["multi_edit", "multi_replace_string_in_file", "multiedit"]),
    acting_kind(ToolAction::Write, SimilarityRule::CONTENT, &[
        "create_file", "write", "write_file", "write_to_file", "writefile",
    ]),
    // Also opens a window on the file.
    acting_kind(ToolAction::Write, SimilarityRule::Never, &["create"]),
    acting_kind(ToolAction::Insert, SimilarityRule::Never, &["insert", "insert_content"]),
    acting_kind(ToolAction::Remove, SimilarityRule::Never, &["delete_file"]),
    acting_kind(ToolAction::Change, SimilarityRule::Never, &[
        "insert_edit_into_file", "notebook_edit", "notebookedit", "reapply",
    ]),
    acting_kind(ToolAction::EditOrCreate, SimilarityRule::Never, &["editor"]),
    acting_kind(ToolAction::Blocks, SimilarityRule::Never, &["apply_diff", "replace_in_file"]),
    acting_kind(ToolAction::Patch, SimilarityRule::Never, &["apply_patch", "patch"]),
    acting_kind(ToolAction::Editor, SimilarityRule::Never, &[
        "str_replace_based_edit_tool", "str_replace_editor", "text_editor",
    ]),
    acting_kind(ToolAction::Shell, SimilarityRule::Never, &[
        "bash", "container.exec", "exec_command", "execute_command", "local_shell",
        "local_shell_call", "run_shell_command", "shell", "shell_command", "terminal",
    ]),
    acting_kind(ToolAction::Commands, SimilarityRule::Never, &["run_commands"]),
    acting_kind(ToolAction::PersistentShell, SimilarityRule::Never, &[
        "Bash", "execute_bash", "run_in_terminal", "run_terminal_cmd",
    ]),
    acting_kind(ToolAction::Run, SimilarityRule::Never, &[
        "bashoutput", "close", "close_pty_session", "close_session", "closeptysession", "exec",
        "execute_ipython_cell", "ipython", "killbash", "killshell", "run_ipython", "submit",
        "taskoutput", "unified_exec", "unifiedexec", "write_stdin", "writestdin",
    ]),
    acting_kind(ToolAction::Other, SimilarityRule::Never, &[
        "activate_skill", "agent", "ask_question", "askuserquestion", "enter_plan_mode",
        "exitplanmode", "finish", "focus", "invoke_agent", "reset", "skill", "spawn_agent",
        "start_agent", "task", "taskcreate", "taskupdate", "todowrite", "unfocus", "update_goal",
        "update_plan", "update_topic", "write_todos",
    ]),
];

#[cfg(test)]
mod tests;
