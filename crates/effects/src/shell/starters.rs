//! Programs that start another one, which stands among their words.

use super::part::{Kind, Part};
use super::programs::list;
use super::state::{Invocation, Shell};
use super::word::{Word, is_shell};

/// Programs that start another one after their flags, of which those listed take the next word.
#[rustfmt::skip]
const STARTERS: &[(&str, &[&str])] = &[
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
const FEEDER_VALUES: &[&str] = &["-I", "-J", "-n", "-P", "-L", "-d", "-s", "-E", "-a", "-j"];

/// Whether the program gives the one that it starts further words, which it is told otherwise.
fn is_feeder(name: &str) -> bool {
    matches!(name, "xargs" | "parallel" | "env_parallel" | "sem")
}

/// Whether what `find` found is handed to the command that stands after this word.
fn hands_on(word: &Word) -> bool {
    matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")
}

/// The command at the beginning of `words` that `find` hands to.
fn command_of_find(words: &[Word]) -> &[Word] {
    let ends = |word: &Word| matches!(word.text.as_str(), ";" | "+");
    &words[..words.iter().position(ends).unwrap_or(words.len())]
}

/// What a program starts.
pub(super) enum Started<'a> {
    /// Nothing: it does something itself.
    Nothing(Invocation<'a>),
    /// The program with these words, or none. What is downloaded may not be the same program
    /// as the one that is known by that name.
    Program { words: &'a [Word], input: Option<Part>, is_same: bool },
    /// A command line of its own.
    Script { line: &'a Word, input: Option<Part> },
    /// Commands for each of the names that were found.
    ForEach { names: Part, commands: Vec<Vec<Word>> },
}

/// What `call` starts, if anything.
pub(super) fn started<'a>(shell: &mut Shell, call: Invocation<'a>) -> Started<'a> {
    match call.name {
        "find" => find(shell, call),
        name if is_feeder(name) => xargs(call),
        name if is_shell(name) => script(call),
        name => match STARTERS.iter().find(|(known, _)| *known == name) {
            Some((_, with_value)) => program(call, with_value),
            None => Started::Nothing(call),
        },
    }
}

/// Hands what it finds to other programs.
fn find<'a>(shell: &mut Shell, call: Invocation<'a>) -> Started<'a> {
    let words = call.arguments;
    let mut names = list(shell, call);
    let mut commands = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match words[at].text.as_str() {
            _ if hands_on(&words[at]) => {
                let mut command = command_of_find(&words[at + 1..]).to_vec();
                at += command.len();
                for word in command.iter_mut().filter(|word| word.text.contains("{}")) {
                    word.expands = true;
                }
                commands.push(command);
            }
            "-delete" | "-fprint" | "-fls" | "-fprintf" => names.kind = Kind::Run,
            _ => {}
        }
        at += 1;
    }
    Started::ForEach { names, commands }
}

fn xargs(call: Invocation<'_>) -> Started<'_> {
    let names = call.input.unwrap_or_else(Part::run);
    let mut command = after_flags(call.arguments, FEEDER_VALUES).to_vec();
    if !command.is_empty() {
        command.push(Word { text: "{}".to_owned(), expands: true, ..Word::default() });
        for word in &mut command[1..] {
            word.expands |= word.text.contains("{}");
        }
    }
    Started::ForEach { names, commands: vec![command] }
}

/// The words after leading flags, some of which take a value.
fn after_flags<'a>(arguments: &'a [Word], with_value: &[&str]) -> &'a [Word] {
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

fn program<'a>(call: Invocation<'a>, with_value: &[&str]) -> Started<'a> {
    let Invocation { name, arguments, input } = call;
    if name == "command" && arguments.first().is_some_and(|word| word.text == "-v") {
        return Started::Program { words: &[], input, is_same: true };
    }
    let mut words = after_flags(arguments, with_value);
    if matches!(name, "timeout" | "gtimeout") {
        words = words.get(1..).unwrap_or_default();
    }
    if matches!(name, "env" | "sudo") {
        let start = words.iter().position(|word| !word.text.contains('='));
        words = &words[start.unwrap_or(words.len())..];
    }
    let is_same = !matches!(name, "npx" | "bunx" | "pnpx" | "uvx");
    Started::Program { words, input, is_same }
}

/// `bash -c '…'`.
fn script(call: Invocation<'_>) -> Started<'_> {
    let flag = call.arguments.iter().position(|word| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c')
    });
    match flag.and_then(|at| call.arguments.get(at + 1)) {
        Some(line) => Started::Script { line, input: call.input },
        None => Started::Nothing(call),
    }
}
