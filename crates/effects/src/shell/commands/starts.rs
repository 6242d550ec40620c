//! What a command starts, for rules that allow: who allows `find *` has not allowed what `find
//! -exec` runs.

use super::told::{runs_scripts, takes_script};
use crate::shell::starters::{
    FEEDER_LETTERS, commands_of_find, is_feeder, is_starter, places_before_program, takes_value,
};
use crate::shell::word::{Word, is_assignment, name_of};

/// Flags of starters that take no further word, as letters; those that take one are known where
/// programs are started. `parallel` takes lines, whatever its flags.
#[rustfmt::skip]
const PLAIN_FLAGS: &[(&str, &str)] = &[
    ("chrt", "abfior"), ("command", "p"), ("doas", "n"), ("env", "i0v"), ("exec", "cl"),
    ("flock", "nxsueFo"), ("gtimeout", "vfp"), ("ionice", "t"), ("nice", "0123456789"),
    ("setsid", "cfw"), ("sudo", "nEHkKSAb"), ("taskset", "a"), ("time", "pvaq"),
    ("timeout", "vfp"), ("xargs", FEEDER_LETTERS),
];
/// Long ones.
const PLAIN_LONG: &[&str] = &[
    "--",
    "--foreground",
    "--ignore-environment",
    "--no-run-if-empty",
    "--null",
    "--preserve-status",
    "--verbose",
];

/// Programs that start others if this word comes first.
const STARTING_WORDS: &[(&str, &[&str])] = &[
    ("bun", &["x"]),
    ("asdf", &["exec"]),
    ("aws-vault", &["exec"]),
    ("bundle", &["exec"]),
    ("chamber", &["exec"]),
    ("conda", &["run"]),
    ("direnv", &["exec"]),
    ("distrobox", &["enter"]),
    ("doppler", &["run"]),
    ("dotenv", &["run"]),
    ("dotenvx", &["run"]),
    ("fnm", &["exec"]),
    ("foreman", &["run"]),
    ("gem", &["exec"]),
    ("hatch", &["run"]),
    ("honcho", &["run"]),
    ("infisical", &["run"]),
    ("ip", &["netns", "vrf"]),
    ("lerna", &["exec"]),
    ("mamba", &["run"]),
    ("mise", &["exec", "x"]),
    ("nix", &["develop", "run", "shell"]),
    ("nodenv", &["exec"]),
    ("npm", &["exec", "explore", "x"]),
    ("nx", &["exec"]),
    ("op", &["run"]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("pipx", &["run"]),
    ("pixi", &["run"]),
    ("pnpm", &["dlx", "exec"]),
    ("poetry", &["run"]),
    ("pyenv", &["exec"]),
    ("rbenv", &["exec"]),
    ("rustup", &["run"]),
    ("rye", &["run"]),
    ("sops", &["exec-env", "exec-file"]),
    ("toolbox", &["run"]),
    ("uv", &["run", "x"]),
    ("volta", &["run"]),
    ("yarn", &["dlx", "exec"]),
];

/// What a command starts.
#[derive(Debug)]
pub(super) enum Starts<'a> {
    /// The command of these words.
    Command(&'a [Word]),
    /// A line of its own.
    Script(String),
    /// Something that its words do not tell for sure.
    Untold,
}

/// Whether a program starts others after a word that says so, as `npm exec`.
pub(super) fn starts_by_word<'w>(name: &str, mut rest: impl Iterator<Item = &'w str>) -> bool {
    let words = STARTING_WORDS.iter().find(|(known, _)| *known == name);
    words.is_some_and(|(_, words)| {
        rest.find(|word| !word.starts_with('-')).is_some_and(|word| words.contains(&word))
    })
}

/// What the command of these words starts.
pub(super) fn starts(words: &[Word]) -> Vec<Starts<'_>> {
    let Some((program, rest)) = words.split_first() else { return Vec::new() };
    let name = name_of(&program.text);
    match name {
        "find" => commands_of_find(rest).into_iter().map(command).collect(),
        "eval" if !rest.is_empty() => vec![Starts::Script(joined(rest))],
        "trap" => {
            let mut told = rest.iter().filter(|word| !word.text.starts_with('-'));
            let action = told.next().filter(|_| told.next().is_some());
            action.map(|word| Starts::Script(word.text.clone())).into_iter().collect()
        }
        _ if runs_scripts(name) => script_of_shell(rest).into_iter().collect(),
        // Alone it runs the lines that it is fed.
        _ if is_feeder(name) && name != "xargs" => vec![Starts::Untold],
        _ if is_starter(name) && !rest.is_empty() => after_starter(name, rest),
        _ if starts_by_word(name, rest.iter().map(|word| word.text.as_str())) => {
            vec![Starts::Untold]
        }
        _ => Vec::new(),
    }
}

/// A command, unless its name could be mistaken for one with arguments.
fn command(words: &[Word]) -> Starts<'_> {
    match words.first() {
        Some(program) if program.is_written() && !program.text.contains(char::is_whitespace) => {
            Starts::Command(words)
        }
        _ => Starts::Untold,
    }
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The script behind `-c`.
fn script_of_shell(rest: &[Word]) -> Option<Starts<'_>> {
    let mut has_script = false;
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.text.starts_with(['-', '+'])) {
        let flag = word.text.as_str();
        let is_short = !flag.starts_with("--");
        has_script |= takes_script(flag);
        let takes_word =
            is_short && flag.contains(['o', 'O']) || matches!(flag, "--rcfile" | "--init-file");
        at += 1 + usize::from(takes_word);
        if flag == "--" {
            break;
        }
    }
    has_script.then(|| match rest.get(at) {
        Some(script) => Starts::Script(script.text.clone()),
        None => Starts::Untold,
    })
}

/// What stands behind a starter and its flags.
fn after_starter<'a>(name: &str, rest: &'a [Word]) -> Vec<Starts<'a>> {
    let Some(mut places) =
        places_before_program(name).filter(|_| name == "xargs" || !is_feeder(name))
    else {
        return vec![Starts::Untold];
    };
    if name == "command" && rest[0].text.starts_with(['-']) && rest[0].text.contains(['v', 'V']) {
        return Vec::new();
    }
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        let text = word.text.as_str();
        let is_assignment = name != "xargs" && is_assignment(text);
        if text.starts_with('-') && text.len() > 1 {
            if takes_value(name, text) && !text.starts_with("-S") {
                at += 2;
            } else if is_plain_flag(name, text) {
                at += 1;
            } else {
                return vec![Starts::Untold];
            }
        } else if is_assignment {
            // Which program a name is depends on this.
            if text.starts_with("PATH=") {
                return vec![Starts::Untold];
            }
            at += 1;
        } else if places > 0 {
            (places, at) = (places - 1, at + 1);
        } else {
            // `flock FILE -c LINE`, and the like.
            let told = command(&rest[at..]);
            return vec![if word.expands { Starts::Untold } else { told }];
        }
    }
    // Alone, feeders print what they are fed, and others start nothing, or a shell.
    let is_shell = matches!(name, "flock" | "sudo" | "doas") && !rest.is_empty();
    if is_shell && !is_feeder(name) { vec![Starts::Untold] } else { Vec::new() }
}

/// Whether a flag of a starter takes no further word, and no line.
fn is_plain_flag(name: &str, flag: &str) -> bool {
    if let Some(long) = flag.strip_prefix("--") {
        // `env --split-string=…`, which may be shortened.
        return PLAIN_LONG.contains(&flag)
            || flag.contains('=') && !(name == "env" && long.starts_with('s'));
    }
    let is_attached = || {
        let at = flag.char_indices().nth(2).map_or(flag.len(), |(at, _)| at);
        flag.len() > at && takes_value(name, &flag[..at]) && !flag.starts_with("-S")
    };
    let letters =
        PLAIN_FLAGS.iter().find(|(known, _)| *known == name).map_or("", |(_, plain)| plain);
    flag[1..].chars().all(|letter| letters.contains(letter)) || is_attached()
}
