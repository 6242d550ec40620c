//! Wrapper programs: programs that start the command in their arguments.

use super::command_effect::{CommandEffect, CommandEffectKind};
use super::programs::list_effect;
use super::shell_state::{Invocation, ShellState};
use super::shell_word::{ShellWord, is_shell};

/// Programs that start another one after their flags, each with the flags that take the next word.
#[rustfmt::skip]
const WRAPPERS: &[(&str, &[&str])] = &[
    ("builtin", &[]), ("bunx", &[]), ("command", &[]), ("exec", &["-a"]), ("nohup", &[]),
    ("npx", &[]), ("pnpx", &[]), ("setsid", &[]), ("unbuffer", &[]), ("uvx", &[]),
    ("doas", &["-u", "-g", "-h", "-p"]),
    ("env", &["-u", "-C", "-S"]),
    ("gtimeout", &["-k", "-s", "--signal", "--kill-after"]),
    ("ionice", &["-c", "-n", "-p"]),
    ("nice", &["-n"]),
    ("stdbuf", &["-o", "-e", "-i"]),
    ("sudo", &["-u", "-g", "-h", "-p"]),
    ("time", &["-f", "-o"]),
    ("timeout", &["-k", "-s", "--signal", "--kill-after"]),
];

/// Options of `xargs` and `parallel` that take the next word.
const XARGS_VALUE_FLAGS: &[&str] = &["-I", "-J", "-n", "-P", "-L", "-d", "-s", "-E", "-a", "-j"];

/// Returns whether the program passes further arguments from its input to the command that it
/// starts.
fn is_xargs_like(name: &str) -> bool {
    matches!(name, "xargs" | "parallel" | "env_parallel" | "sem")
}

/// Returns whether `find` runs the command after this word on its results.
fn is_find_exec_flag(word: &ShellWord) -> bool {
    matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")
}

/// Returns the command at the beginning of `words` that `find` runs.
fn find_exec_command(words: &[ShellWord]) -> &[ShellWord] {
    let ends = |word: &ShellWord| matches!(word.text.as_str(), ";" | "+");
    &words[..words.iter().position(ends).unwrap_or(words.len())]
}

/// The command that a program starts.
pub(super) enum WrappedCommand<'a> {
    /// None: the program acts itself.
    Nothing(Invocation<'a>),
    /// The program with these words, or none. A downloaded program (`is_same` is false) may not be
    /// the one that is known by that name.
    Program { words: &'a [ShellWord], input: Option<CommandEffect>, is_same: bool },
    /// A command line.
    Script { line: &'a ShellWord, input: Option<CommandEffect> },
    /// Commands for each of the names found.
    ForEach { names: CommandEffect, commands: Vec<Vec<ShellWord>> },
}

/// Returns the command that `call` starts.
pub(super) fn wrapped_command<'a>(
    shell: &mut ShellState,
    call: Invocation<'a>,
) -> WrappedCommand<'a> {
    match call.name {
        "find" => wrapped_by_find(shell, call),
        name if is_xargs_like(name) => wrapped_by_xargs(call),
        name if is_shell(name) => wrapped_by_shell(call),
        name => match WRAPPERS.iter().find(|(known, _)| *known == name) {
            Some((_, with_value)) => wrapped_by_program(call, with_value),
            None => WrappedCommand::Nothing(call),
        },
    }
}

/// Returns the commands that `find` runs on its results.
fn wrapped_by_find<'a>(shell: &mut ShellState, call: Invocation<'a>) -> WrappedCommand<'a> {
    let words = call.arguments;
    let mut names = list_effect(shell, call);
    let mut commands = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match words[at].text.as_str() {
            _ if is_find_exec_flag(&words[at]) => {
                let mut command = find_exec_command(&words[at + 1..]).to_vec();
                at += command.len();
                for word in command.iter_mut().filter(|word| word.text.contains("{}")) {
                    word.expands = true;
                }
                commands.push(command);
            }
            "-delete" | "-fprint" | "-fls" | "-fprintf" => names.kind = CommandEffectKind::Run,
            _ => {}
        }
        at += 1;
    }
    WrappedCommand::ForEach { names, commands }
}

fn wrapped_by_xargs(call: Invocation<'_>) -> WrappedCommand<'_> {
    let names = call.input.unwrap_or_else(CommandEffect::unknown_run);
    let mut command = skip_flags(call.arguments, XARGS_VALUE_FLAGS).to_vec();
    if !command.is_empty() {
        command.push(ShellWord { text: "{}".to_owned(), expands: true, ..ShellWord::default() });
        for word in &mut command[1..] {
            word.expands |= word.text.contains("{}");
        }
    }
    WrappedCommand::ForEach { names, commands: vec![command] }
}

/// Returns the words after leading flags; those of `with_value` take a value.
fn skip_flags<'a>(arguments: &'a [ShellWord], with_value: &[&str]) -> &'a [ShellWord] {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        if !word.text.starts_with('-') {
            break;
        }
        at += 1 + usize::from(with_value.contains(&word.text.as_str()));
        if word.text == "--" {
            break;
        }
    }
    arguments.get(at..).unwrap_or_default()
}

fn wrapped_by_program<'a>(call: Invocation<'a>, with_value: &[&str]) -> WrappedCommand<'a> {
    let Invocation { name, arguments, input } = call;
    if name == "command" && arguments.first().is_some_and(|word| word.text == "-v") {
        return WrappedCommand::Program { words: &[], input, is_same: true };
    }
    let mut words = skip_flags(arguments, with_value);
    if matches!(name, "timeout" | "gtimeout") {
        words = words.get(1..).unwrap_or_default();
    }
    if matches!(name, "env" | "sudo") {
        let start = words.iter().position(|word| !word.text.contains('='));
        words = &words[start.unwrap_or(words.len())..];
    }
    let is_same = !matches!(name, "npx" | "bunx" | "pnpx" | "uvx");
    WrappedCommand::Program { words, input, is_same }
}

/// Returns the script of `bash -c '…'`.
fn wrapped_by_shell(call: Invocation<'_>) -> WrappedCommand<'_> {
    let flag = call.arguments.iter().position(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c')
    });
    match flag.and_then(|at| call.arguments.get(at + 1)) {
        Some(line) => WrappedCommand::Script { line, input: call.input },
        None => WrappedCommand::Nothing(call),
    }
}
