//! The one table of tool kinds: which tools there are, how their arguments are read, when two
//! of their calls ask for the same, and whether they only look.
//!
//! A tool that a client calls by another name is added to the row of its kind; a new kind is a
//! row, and an [`Action`] if its arguments are read in a way of its own.

use super::similarity::SimilarityRule as Same;

/// What a tool does, as far as its name tells; its arguments decide the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Shows one file or part of it.
    Read,
    /// Shows lines of a file as they are.
    ReadLines,
    /// Shows several files: a list of paths or of objects.
    ReadMany,
    /// Moves a window over a file and shows it.
    MoveWindow,
    /// Shows the lines of one file that tell its structure.
    Outline,
    Search,
    List,
    /// Makes one replacement, or a list of them.
    Edit,
    Write,
    Insert,
    Remove,
    /// Changes a file in a way the arguments do not tell.
    Change,
    /// Replaces a text, inserts one before a line, or creates the file, as the arguments say.
    EditOrCreate,
    /// Makes the changes of SEARCH/REPLACE blocks.
    Blocks,
    /// Makes the changes of a patch, in Codex's format or as a unified diff.
    Patch,
    /// Anthropic's editor: a `command` argument says what it does.
    Editor,
    /// Runs a command line in a shell that starts anew for each call.
    Shell,
    /// Runs several command lines, each in a shell of its own.
    Commands,
    /// Runs one in a shell whose working directory lasts.
    LastingShell,
    /// Runs something that is no command line.
    Run,
    Fetch,
    /// Gives back what was left out.
    Expand,
    Other,
}

/// Tools that have the same in common.
#[derive(Debug)]
pub struct ToolKind {
    /// Their names, in lower case; one with capitals stands for exactly this spelling, where
    /// the same in lower case is a tool of another kind.
    pub names: &'static [&'static str],
    pub(super) action: Action,
    /// What makes two calls the same.
    pub similarity: Same,
    /// Whether their calls change nothing.
    pub is_read_only: bool,
}

impl ToolKind {
    /// The kind of the tool with this name, without what a client puts before the names of a
    /// server's tools.
    pub fn of(name: &str) -> Option<&'static ToolKind> {
        let named = |is_it: &dyn Fn(&str) -> bool| {
            TOOL_KINDS.iter().find(|kind| kind.names.iter().any(|known| is_it(known)))
        };
        let lower = name.to_ascii_lowercase();
        named(&|known| known == name).or_else(|| named(&|known| known == lower))
    }
}

const fn looks(action: Action, similarity: Same, names: &'static [&'static str]) -> ToolKind {
    ToolKind { names, action, similarity, is_read_only: true }
}

const fn acts(action: Action, similarity: Same, names: &'static [&'static str]) -> ToolKind {
    ToolKind { names, action, similarity, is_read_only: false }
}

/// All kinds. Whoever tells tools apart by name does it here.
#[rustfmt::skip]
pub const TOOL_KINDS: &[ToolKind] = &[
    looks(Action::Read, Same::Lines, &["notebookread", "read", "read_file", "readfile", "view"]),
    looks(Action::ReadLines, Same::Lines, &["read_lines", "readlines"]),
    looks(Action::ReadMany, Same::Lines, &["read_files", "read_many_files", "readfiles"]),
    looks(Action::Outline, Same::SEARCH, &["outline"]),
    looks(Action::Search, Same::GREP, &[
        "grep", "grep_search", "search_dir", "search_file", "search_file_content", "search_files",
    ]),
    looks(Action::Search, Same::SEARCH, &[
        "codebase_search", "list_code_definition_names", "lsp", "search_code", "search_codebase",
        "semantic_search",
    ]),
    // Finds files by their text, and prints names.
    looks(Action::List, Same::GREP, &["grep_files"]),
    looks(Action::List, Same::SEARCH, &[
        "file_search", "find", "find_file", "find_path", "glob", "list", "list_dir",
        "list_directory", "list_files", "listfiles", "ls",
    ]),
    looks(Action::Fetch, Same::URL, &["fetch", "web_fetch", "webfetch"]),
    looks(Action::Fetch, Same::SEARCH, &[
        "codesearch", "fetch_web_content", "google_web_search", "web_search", "websearch",
    ]),
    looks(Action::Expand, Same::Never, &["expand", "headroom_retrieve"]),
    looks(Action::Other, Same::Exact, &["filemap", "graph", "map", "view_image"]),
    // Tells of what changes by itself, or is for the one who calls.
    looks(Action::Other, Same::Never, &[
        "get_goal", "list_agents", "list_background_processes", "list_pty_sessions",
        "list_sessions", "listptysessions", "read_background_output", "taskget", "tasklist",
        "terminals", "think", "todoread", "tool_search",
    ]),
    acts(Action::MoveWindow, Same::Never, &["goto", "open", "scroll_down", "scroll_up"]),
    acts(Action::Edit, Same::Never, &[
        "edit", "edit_file", "editfile", "replace", "replace_string_in_file",
        "search_and_replace", "search_replace",
    ]),
    acts(Action::Edit, Same::EDITS, &["multi_edit", "multi_replace_string_in_file", "multiedit"]),
    acts(Action::Write, Same::CONTENT, &[
        "create_file", "write", "write_file", "write_to_file", "writefile",
    ]),
    // Opens a window on the file as well.
    acts(Action::Write, Same::Never, &["create"]),
    acts(Action::Insert, Same::Never, &["insert", "insert_content"]),
    acts(Action::Remove, Same::Never, &["delete_file"]),
    acts(Action::Change, Same::Never, &[
        "insert_edit_into_file", "notebook_edit", "notebookedit", "reapply",
    ]),
    acts(Action::EditOrCreate, Same::Never, &["editor"]),
    acts(Action::Blocks, Same::Never, &["apply_diff", "replace_in_file"]),
    acts(Action::Patch, Same::Never, &["apply_patch", "patch"]),
    acts(Action::Editor, Same::Never, &[
        "str_replace_based_edit_tool", "str_replace_editor", "text_editor",
    ]),
    acts(Action::Shell, Same::Never, &[
        "bash", "container.exec", "exec_command", "execute_command", "local_shell",
        "local_shell_call", "run_shell_command", "shell", "shell_command", "terminal",
    ]),
    acts(Action::Commands, Same::Never, &["run_commands"]),
    acts(Action::LastingShell, Same::Never, &[
        "Bash", "execute_bash", "run_in_terminal", "run_terminal_cmd",
    ]),
    acts(Action::Run, Same::Never, &[
        "bashoutput", "close", "close_pty_session", "close_session", "closeptysession", "exec",
        "execute_ipython_cell", "ipython", "killbash", "killshell", "run_ipython", "submit",
        "taskoutput", "unified_exec", "unifiedexec", "write_stdin", "writestdin",
    ]),
    acts(Action::Other, Same::Never, &[
        "activate_skill", "agent", "ask_question", "askuserquestion", "enter_plan_mode",
        "exitplanmode", "finish", "focus", "invoke_agent", "reset", "skill", "spawn_agent",
        "start_agent", "task", "taskcreate", "taskupdate", "todowrite", "unfocus", "update_goal",
        "update_plan", "update_topic", "write_todos",
    ]),
];

#[cfg(test)]
mod tests;
