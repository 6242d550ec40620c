//! The tools of known agents by name, and what each does with its arguments.

use serde_json::Value;

use super::arguments::{Arguments, PATH, whole_number};
use super::{
    Change, Effect, EffectKind, Output, ReadTarget, Span, WriteTarget, patch, path, shell,
};
use foveal_transcript::LineNumber;

/// What a tool does, as far as its name tells; the arguments decide the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    /// One file or part of it.
    Read,
    /// Lines of a file as they are.
    ReadLines,
    /// Several files, a list of paths or of objects.
    ReadMany,
    /// A read that also moves a window, so that it must not be skipped.
    Window,
    /// The lines of one file that show its structure.
    Outline,
    Search,
    List,
    /// One replacement, or a list of them.
    Edit,
    Write,
    Insert,
    Remove,
    /// A file changed in a way the arguments do not tell.
    Change,
    /// SEARCH/REPLACE blocks.
    Blocks,
    /// Codex's patch format.
    Patch,
    /// Anthropic's editor: a `command` argument says what it does.
    Editor,
    /// A shell that starts anew for each call.
    Shell,
    /// A shell whose working directory lasts.
    LastingShell,
    /// Runs something that is no command line.
    Run,
    Fetch,
    /// Gives back what was left out.
    Expand,
    Other,
}

/// Names are compared as written first, then without regard to case.
const TOOLS: &[(&str, Tool)] = &[
    // Claude Code
    ("Read", Tool::Read),
    ("NotebookRead", Tool::Read),
    ("Edit", Tool::Edit),
    ("MultiEdit", Tool::Edit),
    ("Write", Tool::Write),
    ("NotebookEdit", Tool::Change),
    ("Grep", Tool::Search),
    ("LSP", Tool::Search),
    ("Glob", Tool::List),
    ("LS", Tool::List),
    ("Bash", Tool::LastingShell),
    ("BashOutput", Tool::Run),
    ("TaskOutput", Tool::Run),
    ("KillShell", Tool::Run),
    ("KillBash", Tool::Run),
    ("WebFetch", Tool::Fetch),
    ("WebSearch", Tool::Fetch),
    ("Task", Tool::Other),
    ("Agent", Tool::Other),
    ("TodoRead", Tool::Other),
    ("TodoWrite", Tool::Other),
    // Codex
    ("shell", Tool::Shell),
    ("local_shell", Tool::Shell),
    ("local_shell_call", Tool::Shell),
    ("shell_command", Tool::Shell),
    ("exec_command", Tool::Shell),
    ("container.exec", Tool::Shell),
    ("unified_exec", Tool::Run),
    ("write_stdin", Tool::Run),
    ("apply_patch", Tool::Patch),
    ("read_file", Tool::Read),
    ("list_dir", Tool::List),
    ("grep_files", Tool::List),
    ("view_image", Tool::Other),
    ("update_plan", Tool::Other),
    ("web_search", Tool::Fetch),
    // SWE-agent
    ("open", Tool::Window),
    ("goto", Tool::Window),
    ("scroll_up", Tool::Window),
    ("scroll_down", Tool::Window),
    ("create", Tool::Write),
    ("edit", Tool::Edit),
    ("insert", Tool::Insert),
    ("search_file", Tool::Search),
    ("search_dir", Tool::Search),
    ("find_file", Tool::List),
    ("filemap", Tool::Other),
    ("submit", Tool::Run),
    ("str_replace_editor", Tool::Editor),
    ("str_replace_based_edit_tool", Tool::Editor),
    ("text_editor", Tool::Editor),
    // OpenHands
    ("execute_bash", Tool::LastingShell),
    ("run_ipython", Tool::Run),
    ("execute_ipython_cell", Tool::Run),
    ("ipython", Tool::Run),
    ("think", Tool::Other),
    ("finish", Tool::Other),
    // OpenCode, pi, Crush
    ("read", Tool::Read),
    ("view", Tool::Read),
    ("write", Tool::Write),
    ("multiedit", Tool::Edit),
    ("multi_edit", Tool::Edit),
    ("patch", Tool::Patch),
    ("bash", Tool::Shell),
    ("grep", Tool::Search),
    ("find", Tool::List),
    ("glob", Tool::List),
    ("list", Tool::List),
    ("ls", Tool::List),
    ("task", Tool::Other),
    ("todowrite", Tool::Other),
    ("todoread", Tool::Other),
    ("webfetch", Tool::Fetch),
    ("websearch", Tool::Fetch),
    ("codesearch", Tool::Fetch),
    // Cline, Roo
    ("write_to_file", Tool::Write),
    ("replace_in_file", Tool::Blocks),
    ("apply_diff", Tool::Blocks),
    ("insert_content", Tool::Insert),
    ("search_and_replace", Tool::Edit),
    ("search_files", Tool::Search),
    ("list_files", Tool::List),
    ("list_code_definition_names", Tool::Search),
    ("execute_command", Tool::Shell),
    // Gemini CLI, Qwen Code
    ("read_many_files", Tool::ReadMany),
    ("write_file", Tool::Write),
    ("replace", Tool::Edit),
    ("search_file_content", Tool::Search),
    ("grep_search", Tool::Search),
    ("list_directory", Tool::List),
    ("run_shell_command", Tool::Shell),
    ("web_fetch", Tool::Fetch),
    ("google_web_search", Tool::Fetch),
    // Cursor, VS Code, Zed
    ("codebase_search", Tool::Search),
    ("semantic_search", Tool::Search),
    ("file_search", Tool::List),
    ("find_path", Tool::List),
    ("search_replace", Tool::Edit),
    ("replace_string_in_file", Tool::Edit),
    ("multi_replace_string_in_file", Tool::Edit),
    ("insert_edit_into_file", Tool::Change),
    ("create_file", Tool::Write),
    ("delete_file", Tool::Remove),
    ("reapply", Tool::Change),
    ("run_terminal_cmd", Tool::LastingShell),
    ("run_in_terminal", Tool::LastingShell),
    ("terminal", Tool::Shell),
    ("fetch", Tool::Fetch),
    // foveal
    ("read_lines", Tool::ReadLines),
    ("read_files", Tool::ReadMany),
    ("edit_file", Tool::Edit),
    ("search_code", Tool::Search),
    ("outline", Tool::Outline),
    ("exec", Tool::Run),
    ("close", Tool::Run),
    ("expand", Tool::Expand),
    ("focus", Tool::Other),
    ("unfocus", Tool::Other),
    // Plue
    ("readFile", Tool::Read),
    ("writeFile", Tool::Write),
    ("unifiedExec", Tool::Run),
    ("writeStdin", Tool::Run),
    ("closePtySession", Tool::Run),
    ("listPtySessions", Tool::Run),
];

/// The effect of the tool called `name`.
pub(super) fn effect(name: &str, arguments: &Value, directory: Option<&str>) -> Effect {
    // Some recordings keep the arguments as the JSON text the provider sent.
    let parsed = arguments
        .as_str()
        .filter(|text| text.trim_start().starts_with('{'))
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    let arguments = Arguments::new(parsed.as_ref().unwrap_or(arguments), directory);
    let server = name.strip_prefix("mcp__").or_else(|| name.strip_prefix("mcp_"));
    let mut effect = match (own_name(name), server) {
        (Some(name), _) => own_tool(name, arguments),
        (None, Some(rest)) => server_tool(rest, arguments),
        (None, None) => named_tool(name, arguments),
    };
    if effect.intent.is_none() {
        effect.intent = arguments.intent();
    }
    if effect.directory.is_none() {
        effect.directory = directory.map(str::to_owned);
    }
    effect
}

/// How clients begin the names of a server's tools; those of foveal's own are trusted.
const OWN_PREFIXES: &[&str] =
    &["foveal__", "foveal_", "foveal-", "foveal.", "foveal/", "foveal:", "mcp_foveal_"];

/// The name of one of foveal's tools, if its client says that it is one.
fn own_name(name: &str) -> Option<&str> {
    if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__"))
    {
        let is_own = server == "foveal" || server.ends_with("_foveal");
        return is_own.then_some(tool);
    }
    OWN_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))
}

/// A tool's name without what clients put before the names of servers' tools.
pub fn base_name(name: &str) -> &str {
    let of_server = || name.strip_prefix("mcp__")?.rsplit("__").next();
    own_name(name).or_else(of_server).unwrap_or(name)
}

/// One of foveal's tools, for which some names stand for something else than elsewhere.
fn own_tool(name: &str, arguments: Arguments<'_>) -> Effect {
    match name {
        "bash" => of_tool(Tool::LastingShell, arguments),
        _ => named_tool(name, arguments),
    }
}

fn known(name: &str) -> Option<Tool> {
    let same = TOOLS.iter().find(|(known, _)| *known == name);
    same.or_else(|| TOOLS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)))
        .map(|(_, tool)| *tool)
}

fn named_tool(name: &str, arguments: Arguments<'_>) -> Effect {
    match known(name) {
        Some(Tool::Read) if name == "read_file" && arguments.text(&["mode"]) == Some("full") => {
            of_tool(Tool::ReadLines, arguments)
        }
        Some(tool) => of_tool(tool, arguments),
        None => unlisted(name, arguments),
    }
}

/// A tool of an MCP server: trusted only where its name says that it reads local files.
fn server_tool(rest: &str, arguments: Arguments<'_>) -> Effect {
    let name = rest.rsplit("__").next().unwrap_or(rest);
    let tool = known(name);
    let effect = match tool {
        Some(Tool::Read | Tool::ReadLines | Tool::ReadMany | Tool::Search | Tool::List) => {
            named_tool(name, arguments)
        }
        Some(Tool::Write | Tool::Edit | Tool::Insert | Tool::Remove | Tool::Change) => Effect {
            kind: EffectKind::Other,
            ..changed(EffectKind::Edit, arguments, Change::Unknown)
        },
        Some(_) => Effect::default(),
        None => unlisted(name, arguments),
    };
    match effect.kind {
        EffectKind::Other => effect,
        EffectKind::Read if !effect.reads.is_empty() => effect,
        // A server may look anywhere: its answers are never taken for the working tree's.
        EffectKind::Search | EffectKind::List => Effect { cacheable: false, ..effect },
        _ => Effect::default(),
    }
}

/// A tool nobody listed: a read if its name and all of its arguments say so.
fn unlisted(name: &str, arguments: Arguments<'_>) -> Effect {
    let name = name.to_ascii_lowercase();
    let reads = ["read", "view", "cat"].iter().any(|word| {
        name.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|part| {
            part == *word || (*word != "cat" && (part.starts_with(word) || part.ends_with(word)))
        })
    });
    let span = [PATH, FIRST, LAST, OFFSET, LIMIT, &["view_range"]];
    if reads && arguments.path().is_some() && arguments.only(&span) {
        return of_tool(Tool::Read, arguments);
    }
    match arguments.command() {
        Some(Value::String(_)) if name.contains("shell") || name.contains("bash") => {
            of_tool(Tool::Shell, arguments)
        }
        _ => Effect::default(),
    }
}

fn of_tool(tool: Tool, arguments: Arguments<'_>) -> Effect {
    let plain = |kind| Effect { kind, ..Effect::default() };
    match tool {
        Tool::Read => read(arguments),
        Tool::ReadLines => Effect { verbatim: true, ..read(arguments) },
        Tool::ReadMany => read_many(arguments),
        Tool::Window => Effect { cacheable: false, ..window(arguments) },
        // Which of the file's lines it prints is not told by the call.
        Tool::Outline => window(arguments),
        Tool::Search => search(EffectKind::Search, arguments),
        Tool::List => search(EffectKind::List, arguments),
        Tool::Edit => edit(arguments),
        Tool::Write => write(arguments),
        Tool::Insert => insert(arguments),
        Tool::Remove => changed(EffectKind::Edit, arguments, Change::Remove),
        Tool::Change => changed(EffectKind::Edit, arguments, Change::Unknown),
        Tool::Blocks => blocks(arguments),
        Tool::Patch => patched(arguments),
        Tool::Editor => editor(arguments),
        Tool::Shell => command(arguments, false),
        Tool::LastingShell => command(arguments, true),
        Tool::Run => plain(EffectKind::Run),
        Tool::Fetch => Effect { cacheable: true, ..plain(EffectKind::Fetch) },
        Tool::Expand => Effect { verbatim: true, ..plain(EffectKind::Other) },
        Tool::Other => plain(EffectKind::Other),
    }
}

/// The names of arguments that say which lines of which files are read.
pub const READ_NAMES: &[&[&str]] = &[PATH, MANY, FIRST, LAST, OFFSET, LIMIT, RANGE];

const RANGE: &[&str] = &["view_range", "line_range", "range"];
const MANY: &[&str] = &["files", "paths", "file_paths", "reads", "include"];

/// The files and lines that a read tool is asked for by these arguments, paths normalised by
/// their spelling alone; `None` where the arguments do not tell all of them.
pub fn lines_asked(arguments: &Value) -> Option<Vec<ReadTarget>> {
    let arguments = Arguments::new(arguments, None);
    let listed = match arguments.path() {
        Some(_) => 1,
        None => arguments.list(MANY)?.len(),
    };
    let reads = read(arguments).reads;
    let is_told = reads.iter().all(|read| read.span != Span::Unknown);
    (!reads.is_empty() && reads.len() == listed && is_told).then_some(reads)
}

const FIRST: &[&str] = &[
    "start_line",
    "startLine",
    "start",
    "line_start",
    "start_line_one_indexed",
    "StartLine",
    "line_number",
];
const LAST: &[&str] = &[
    "end_line",
    "endLine",
    "end",
    "line_end",
    "end_line_one_indexed_inclusive",
    "end_line_one_indexed",
    "EndLine",
];
const OFFSET: &[&str] = &["offset", "line_offset"];
const LIMIT: &[&str] = &["limit", "n_lines", "line_limit"];

fn read(arguments: Arguments<'_>) -> Effect {
    match arguments.path() {
        Some(path) => reading(vec![ReadTarget { path, span: span(arguments) }]),
        None => read_many(arguments),
    }
}

/// A cacheable read that prints its targets and nothing else.
fn reading(reads: Vec<ReadTarget>) -> Effect {
    Effect {
        kind: EffectKind::Read,
        cacheable: !reads.is_empty(),
        output: (0..reads.len()).map(Output::Lines).collect(),
        reads,
        ..Effect::default()
    }
}

fn span(arguments: Arguments<'_>) -> Span {
    if let Some(range) = arguments.list(RANGE) {
        let ends: Vec<Option<i64>> = range.iter().map(whole_number).collect();
        return match ends[..] {
            [Some(first), Some(last)] => lines(first, Some(last)),
            [Some(first)] => lines(first, None),
            _ => Span::Unknown,
        };
    }
    let first = arguments.number(FIRST);
    let last = arguments.number(LAST);
    if first.is_some() || last.is_some() {
        return lines(first.unwrap_or(1), last);
    }
    let (offset, limit) = (arguments.number(OFFSET), arguments.number(LIMIT));
    match (offset, limit) {
        (None, None) => Span::All,
        (Some(offset), _) if offset < 0 => Span::Unknown,
        (_, Some(limit)) if limit <= 0 => Span::Unknown,
        (offset, limit) => {
            // Where the path is spelt so, the agents count lines from 0.
            let from_zero = arguments.text(&["absolute_path", "filePath"]).is_some();
            let first = offset.unwrap_or(0).saturating_add(i64::from(from_zero)).max(1);
            lines(first, limit.map(|limit| first.saturating_add(limit - 1)))
        }
    }
}

/// Lines `first` to `last`, where -1 or nothing stands for the end of the file.
fn lines(first: i64, last: Option<i64>) -> Span {
    let last = last.filter(|last| *last != -1);
    match (line(first.max(1)), last.map(line)) {
        (Some(first), None) if first.0 == 1 => Span::All,
        (Some(first), None) => Span::Lines(first, None),
        (Some(first), Some(Some(last))) if first <= last => Span::Lines(first, Some(last)),
        _ => Span::Unknown,
    }
}

fn line(number: i64) -> Option<LineNumber> {
    u32::try_from(number).ok().filter(|number| *number > 0).map(LineNumber)
}

fn read_many(arguments: Arguments<'_>) -> Effect {
    let listed = arguments.list(MANY);
    let targets = listed.unwrap_or_default().iter().filter_map(|item| match item {
        Value::String(path) if !path.contains(['*', '?', '{']) => {
            Some(ReadTarget { path: arguments.resolve(path), span: Span::All })
        }
        Value::Object(_) => {
            let item = arguments.within(item);
            // Roo lists several ranges of one file.
            let whole = item.list(&["line_ranges", "lineRanges"]).is_none_or(<[Value]>::is_empty);
            let span = if whole { span(item) } else { Span::Unknown };
            Some(ReadTarget { path: item.path()?, span })
        }
        _ => None,
    });
    let mut effect = reading(targets.collect());
    // Several files come with headings of the tool's own.
    effect.output = vec![Output::Unknown];
    effect
}

/// SWE-agent's window on a file: which part, its result tells.
fn window(arguments: Arguments<'_>) -> Effect {
    let reads = arguments.path().map(|path| ReadTarget { path, span: Span::Unknown });
    let mut effect = reading(reads.into_iter().collect());
    effect.output = vec![Output::Unknown];
    effect
}

fn search(kind: EffectKind, arguments: Arguments<'_>) -> Effect {
    Effect {
        kind,
        cacheable: true,
        scopes: arguments.folder().into_iter().collect(),
        output: vec![Output::Unknown],
        ..Effect::default()
    }
}

fn changed(kind: EffectKind, arguments: Arguments<'_>, change: Change) -> Effect {
    let writes = arguments.path().map(|path| WriteTarget { path, change });
    Effect { kind, writes: writes.into_iter().collect(), ..Effect::default() }
}

fn edit(arguments: Arguments<'_>) -> Effect {
    let mut effect = Effect { kind: EffectKind::Edit, ..Effect::default() };
    let whole = arguments.path();
    let edits = arguments.list(&["edits", "operations", "replacements"]);
    if let Some(edits) = edits.filter(|edits| !edits.is_empty()) {
        for item in edits {
            let item = arguments.within(item);
            let Some(path) = item.path().or_else(|| whole.clone()) else { continue };
            effect.writes.push(WriteTarget { path, change: replacement(item) });
        }
    } else if let Some(path) = whole {
        let nested = arguments.value(&["edit"]).filter(|value| value.is_object());
        let item = nested.map_or(arguments, |value| arguments.within(value));
        effect.writes.push(WriteTarget { path, change: replacement(item) });
    }
    effect
}

fn replacement(arguments: Arguments<'_>) -> Change {
    let Some(new) = arguments.new_text() else { return Change::Unknown };
    match arguments.old() {
        // An empty text to look for creates the file.
        Some("") => Change::Content(new.to_owned()),
        Some(_) if arguments.flag(&["use_regex", "regex", "isRegex"]) => Change::Unknown,
        Some(old) => {
            Change::Replace { old: old.to_owned(), new: new.to_owned(), all: arguments.all() }
        }
        None => Change::Unknown,
    }
}

fn write(arguments: Arguments<'_>) -> Effect {
    let change = match arguments.content() {
        Some(text) if arguments.text(&["mode"]) == Some("append") => {
            Change::Append(text.to_owned())
        }
        Some(text) => Change::Content(text.to_owned()),
        None => Change::Unknown,
    };
    changed(EffectKind::Write, arguments, change)
}

fn insert(arguments: Arguments<'_>) -> Effect {
    let after = arguments.number(&["insert_line", "after"]);
    // Roo counts the line the text goes before, and 0 is the end.
    let before = arguments.number(&["line"]).and_then(|line| (line > 0).then(|| line - 1));
    let new = arguments.new_text().or_else(|| arguments.content());
    let change = match (after.or(before).and_then(|after| u32::try_from(after).ok()), new) {
        (Some(after), Some(new)) => Change::Insert { after, new: new.to_owned() },
        _ => Change::Unknown,
    };
    changed(EffectKind::Edit, arguments, change)
}

fn blocks(arguments: Arguments<'_>) -> Effect {
    let Some(path) = arguments.path() else {
        return Effect { kind: EffectKind::Edit, ..Effect::default() };
    };
    let mut changes = patch::search_replace_blocks(arguments.text(&["diff"]).unwrap_or_default());
    if changes.is_empty() {
        changes.push(Change::Unknown);
    }
    let writes = changes.into_iter().map(|change| WriteTarget { path: path.clone(), change });
    Effect { kind: EffectKind::Edit, writes: writes.collect(), ..Effect::default() }
}

fn patched(arguments: Arguments<'_>) -> Effect {
    let named = arguments.text(&["input", "patch", "patchText", "diff"]);
    let text = named.or_else(|| arguments.plain()).unwrap_or_default();
    let mut writes = patch::codex_patch(text, arguments.directory);
    if writes.is_empty() {
        writes.extend(
            patch::unified_diff_paths(text)
                .into_iter()
                .map(|name| WriteTarget { path: arguments.resolve(name), change: Change::Unknown }),
        );
    }
    Effect { kind: EffectKind::Edit, writes, ..Effect::default() }
}

fn editor(arguments: Arguments<'_>) -> Effect {
    match arguments.text(&["command"]).unwrap_or_default() {
        "view" => read(arguments),
        "create" | "write" => write(arguments),
        "str_replace" => {
            let change = match (arguments.old(), arguments.new_text()) {
                (Some(old), new) if !old.is_empty() => Change::Replace {
                    old: old.to_owned(),
                    new: new.unwrap_or_default().to_owned(),
                    all: false,
                },
                _ => Change::Unknown,
            };
            changed(EffectKind::Edit, arguments, change)
        }
        "insert" => insert(arguments),
        "undo_edit" => changed(EffectKind::Edit, arguments, Change::Unknown),
        _ => Effect::default(),
    }
}

fn command(arguments: Arguments<'_>, lasting: bool) -> Effect {
    let given = arguments.text(&["workdir", "working_directory", "cwd", "directory", "dir_path"]);
    let directory = given.map(|given| path::resolve(given, arguments.directory));
    let directory = directory.as_deref().or(arguments.directory);
    let line = match arguments.command() {
        Some(Value::String(line)) => line.clone(),
        Some(Value::Array(words)) => shell::joined(words),
        _ => arguments.plain().unwrap_or_default().to_owned(),
    };
    let mut effect = shell::effect(&line, directory);
    if !lasting {
        effect.directory_after = None;
    } else if effect.directory_after.is_some() {
        // Skipped, the call would leave the shell where it was.
        effect.cacheable = false;
    }
    if arguments.flag(&["run_in_background", "is_background", "isBackground"]) {
        // The result only says that it was started.
        effect.kind = EffectKind::Run;
        effect.cacheable = false;
        effect.output = vec![Output::Unknown];
    }
    effect
}
