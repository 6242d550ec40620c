//! Programs that show lines: as sources with files, as filters without.

use super::cuts;
use super::flags::Flags;
use crate::effect::{Change, Span};
use crate::shell::part::{Item, Kind, Part, absorbing, unsure};
use crate::shell::state::{Invocation, Shell};
use crate::shell::word::Word;

/// What reaches a filter: its files, or what comes in.
fn source(shell: &mut Shell, files: &[Word], input: Option<Part>) -> Part {
    if files.is_empty() || (files.len() == 1 && files[0].text == "-") {
        return input.unwrap_or_default();
    }
    let mut part = shell.read_words(files);
    if let Some(input) = input {
        part.absorb(&mut unread(input));
    }
    part
}

pub(super) fn cat(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let with_value: &[&str] = match call.name {
        "bat" | "batcat" => &["-r", "--line-range", "-l", "--language", "--style", "--theme", "-H"],
        _ => &[],
    };
    let flags = Flags::of(call.arguments, with_value);
    let mut part = source(shell, &flags.files, call.input);
    let altered = match call.name {
        "cat" => ["-A", "-v", "-e", "-t", "-T", "-s", "-b"].iter().any(|flag| flags.has(flag)),
        "bat" | "batcat" => flags.has("-r") || flags.has("--line-range"),
        _ => false,
    };
    if altered {
        part.stdout.iter_mut().for_each(unsure);
    }
    if flags.has("-n") || flags.has("--number") {
        numbered(&mut part);
    }
    part
}

pub(super) fn nl(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let flags =
        Flags::of(call.arguments, &["-b", "-w", "-s", "-n", "-v", "-i", "-l", "-h", "-f", "-d"]);
    let mut part = source(shell, &flags.files, call.input);
    let values: Vec<&str> = call.arguments.iter().map(|word| word.text.as_str()).collect();
    let all = values.contains(&"-ba")
        || values.contains(&"--body-numbering=a")
        || values.windows(2).any(|pair| pair == ["-b", "a"])
        || values.iter().any(|value| value.starts_with("-ba"));
    if all {
        numbered(&mut part);
    } else {
        // Blank lines are not counted: the numbers are not the file's.
        forget(&mut part);
    }
    part
}

/// Line numbers are printed: right only if the stream starts where the file does.
fn numbered(part: &mut Part) {
    match &part.stdout[..] {
        [Item::Lines(target)] if matches!(target.span, Span::All | Span::Unknown) => {}
        [Item::Lines(target)] => {
            let from_start = matches!(target.span, Span::Lines(first, _) if first.0 == 1);
            if !from_start {
                forget(part);
            }
        }
        _ => forget(part),
    }
}

/// The printed lines cannot be told to be a file's.
fn forget(part: &mut Part) {
    for item in &mut part.stdout {
        if let Item::Lines(target) = item {
            part.scopes.push(std::mem::take(&mut target.path));
        }
        *item = Item::Unknown;
    }
}

pub(super) fn ends(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let follows = |word: &Word| matches!(word.text.as_str(), "-f" | "-F" | "--follow");
    if call.name == "tail" && call.arguments.iter().any(follows) {
        return absorbing(Part::run(), call.input);
    }
    let (cut, files) = cuts::ends(call.name, call.arguments);
    let mut part = source(shell, &files, call.input);
    if files.len() > 1 {
        // Each file comes under a heading, from its own start.
        for item in &mut part.stdout {
            let whole = vec![std::mem::replace(item, Item::Unknown)];
            if let Some(left) = cut.of(whole).pop() {
                *item = left;
            }
        }
        part.stdout.push(Item::Unknown);
    } else {
        part.stdout = cut.of(part.stdout);
    }
    part
}

pub(super) fn sed(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let sed = cuts::sed(call.arguments);
    if sed.in_place {
        let mut part = Part::of(Kind::Edit, Vec::new());
        part.writes = shell.changed(sed.files.iter(), &Change::Unknown);
        if part.writes.is_empty() || part.writes.len() < sed.files.len() {
            part.kind = Kind::Run;
        }
        return absorbing(part, call.input);
    }
    let mut part = source(shell, &sed.files, call.input);
    part.stdout = sed.cut.of(part.stdout);
    part
}

pub(super) fn awk(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let flags = Flags::of(call.arguments, &["-F", "-v", "-f"]);
    let cut = flags.files.first().and_then(Word::known).and_then(cuts::awk_cut);
    let Some(cut) = cut else {
        let writes = flags.files.first().is_none_or(|program| {
            program.text.contains("system(") || program.text.contains("print >")
        });
        let skipped = usize::from(!flags.files.is_empty());
        let mut part = derived(shell, &flags.files[skipped..], call.input);
        if writes {
            part.kind = Kind::Run;
        }
        return part;
    };
    let mut part = source(shell, &flags.files[1..], call.input);
    part.stdout = cut.of(part.stdout);
    part
}

/// Programs that say something about their files or input.
pub(super) fn derive(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let with_value: &[&str] = match call.name {
        "cut" => &["-d", "-f", "-c", "-b"],
        "sort" => &["-k", "-t", "-S", "-T"],
        "column" => &["-s", "-t", "-o", "-c"],
        "uniq" => &["-f", "-s", "-w"],
        "xxd" => &["-l", "-s", "-c", "-g"],
        "od" | "hexdump" => &["-n", "-N", "-j", "-t", "-A", "-s", "-w", "-e"],
        "stat" => &["-f", "-c", "--format"],
        "jq" => &["--arg", "--indent"],
        "paste" | "fold" | "fmt" | "join" => &["-d", "-w", "-t"],
        "du" => &["-d", "--max-depth"],
        "diff" => &["-U", "-C", "-x", "-I"],
        _ => &[],
    };
    if call.name == "sort" && call.arguments.iter().any(|word| word.text.starts_with("-o")) {
        return absorbing(Part::run(), call.input);
    }
    let flags = Flags::of(call.arguments, with_value);
    let skipped = match call.name {
        // What comes first is a program or a set of letters, no file.
        "jq" | "yq" if !flags.has("-f") => 1,
        "tr" => flags.files.len(),
        _ => 0,
    };
    let files = flags.files.get(skipped..).unwrap_or_default();
    derived(shell, files, call.input)
}

fn derived(shell: &mut Shell, files: &[Word], input: Option<Part>) -> Part {
    if files.is_empty() {
        let mut part = input.unwrap_or_default();
        searched(&mut part);
        return part;
    }
    let mut part = source(shell, files, input);
    searched(&mut part);
    part
}

/// What was read is only looked through: its files become scopes.
pub(super) fn searched(part: &mut Part) {
    forget(part);
    part.scopes.retain(|scope| !scope.is_empty());
    if part.kind == Kind::Read {
        part.kind = Kind::Search;
    }
    part.stdout = vec![Item::Unknown];
}

/// What came in and is not passed on: only more than looking matters.
pub(super) fn unread(input: Part) -> Part {
    let kind = if input.kind.looks_only() { Kind::Nothing } else { input.kind };
    Part { kind, ..input }
}
