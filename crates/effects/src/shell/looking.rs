//! Programs that show, search and list: as sources with files, as filters without.

use super::cuts;
use super::programs::{changed, plain_arguments};
use super::syntax::Word;
use super::{Change, Invocation, Item, Kind, Part, Shell, Span, absorbing};

/// A call's flags and the words that are none.
pub(super) struct Flags {
    flags: Vec<String>,
    pub(super) files: Vec<Word>,
}

impl Flags {
    /// Splits `arguments`; those of `with_value` take the next word.
    pub(super) fn of(arguments: &[Word], with_value: &[&str]) -> Flags {
        let mut flags = Flags { flags: Vec::new(), files: Vec::new() };
        let mut words = arguments.iter();
        let mut done = false;
        while let Some(word) = words.next() {
            if done || word.text == "-" || !word.text.starts_with('-') {
                flags.files.push(word.clone());
            } else if word.text == "--" {
                done = true;
            } else {
                if with_value.contains(&word.text.as_str()) {
                    words.next();
                }
                flags.flags.push(word.text.clone());
            }
        }
        flags
    }

    /// Whether `flag` is there, also among short flags written together.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| match flag.strip_prefix('-') {
            Some(letter) if letter.len() == 1 && !given.starts_with("--") => {
                given[1..].contains(letter)
            }
            _ => given == flag || given.split('=').next() == Some(flag),
        })
    }
}

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
        part.stdout.iter_mut().for_each(super::unsure);
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
        part.writes = changed(shell, sed.files.iter(), &Change::Unknown);
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
fn searched(part: &mut Part) {
    forget(part);
    part.scopes.retain(|scope| !scope.is_empty());
    if part.kind == Kind::Read {
        part.kind = Kind::Search;
    }
    part.stdout = vec![Item::Unknown];
}

const GREP_VALUES: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-m",
    "-d",
    "-D",
    "--include",
    "--exclude",
    "--exclude-dir",
    "--color",
    "--max-count",
    "--context",
    "--after-context",
    "--before-context",
    "--label",
];
const RG_VALUES: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-m",
    "-g",
    "--glob",
    "--iglob",
    "-t",
    "--type",
    "-T",
    "--type-not",
    "-j",
    "-M",
    "--max-columns",
    "-r",
    "--replace",
    "-d",
    "--max-depth",
    "--sort",
    "--sortr",
    "-E",
    "--max-count",
    "--context",
    "--after-context",
    "--before-context",
    "--color",
    "-G",
];

pub(super) fn grep(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let values = if matches!(call.name, "rg" | "ag" | "ack") { RG_VALUES } else { GREP_VALUES };
    // Patterns given by flag leave every other word a file.
    let mut with_pattern = values.to_vec();
    with_pattern.extend(["-e", "--regexp", "-f", "--file"]);
    let flags = Flags::of(call.arguments, &with_pattern);
    let given = ["-e", "--regexp", "-f", "--file"].iter().any(|flag| {
        flags.flags.iter().any(|had| had == flag || had.starts_with(&format!("{flag}=")))
    }) || flags.flags.iter().any(|had| had.starts_with("-e") && !had.starts_with("--"));
    if flags.flags.iter().any(|flag| flag == "--files") {
        return list(shell, call);
    }
    let skipped = usize::from(!given).min(flags.files.len());
    let files = &flags.files[skipped..];
    let mut part = match (files.is_empty(), call.input) {
        (true, Some(input)) => return filtered(input, flags.has("-n")),
        (_, input) => absorbing(Part::of(Kind::Search, vec![Item::Unknown]), input.map(unread)),
    };
    shell.look_from_here();
    part.scopes.extend(files.iter().filter_map(|word| shell.path(word)));
    part.fragile |= call.arguments.iter().any(|word| word.expands);
    if flags.has("-q") || flags.has("--quiet") {
        part.stdout.clear();
    }
    part
}

/// `grep` in a pipe.
fn filtered(mut input: Part, numbers: bool) -> Part {
    let partly = input
        .stdout
        .iter()
        .any(|item| matches!(item, Item::Lines(target) if target.span != Span::All));
    searched(&mut input);
    if numbers && partly {
        // The numbers printed count what came in, not the file's lines.
        input.scopes.clear();
        input.fragile = true;
    }
    if input.kind <= Kind::Harmless {
        input.kind = Kind::Search;
    }
    input
}

/// What came in and is not passed on: only more than looking matters.
fn unread(input: Part) -> Part {
    let kind = if input.kind.looks_only() { Kind::Nothing } else { input.kind };
    Part { kind, ..input }
}

pub(super) fn list(shell: &mut Shell, call: Invocation<'_>) -> Part {
    let mut part = Part::of(Kind::List, vec![Item::Unknown]);
    shell.look_from_here();
    let folders: Vec<&Word> = match call.name {
        // Folders come first, then tests.
        "find" => call
            .arguments
            .iter()
            .take_while(|word| !word.text.starts_with(['-', '(', '!']))
            .collect(),
        "fd" | "fdfind" => plain_arguments(call.arguments).skip(1).collect(),
        _ => plain_arguments(call.arguments).collect(),
    };
    part.scopes = folders.iter().filter_map(|word| shell.path(word)).collect();
    part.fragile = call.arguments.iter().any(|word| word.expands);
    let runs = |word: &Word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    if matches!(call.name, "fd" | "fdfind") && call.arguments.iter().any(runs) {
        part.kind = Kind::Run;
    }
    absorbing(part, call.input.map(unread))
}
