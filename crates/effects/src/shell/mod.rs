//! What a shell command line does.
//!
//! The line is parsed with a real grammar ([`syntax`]); each program's part comes from one
//! table ([`programs`]); here the parts are joined over pipes, sequences and redirections.

pub(super) mod commands;
mod cuts;
mod git;
mod looking;
mod programs;
mod syntax;

use serde_json::Value;

use self::syntax::{Chain, Joint, Redirect, Simple, Step, Word};
use super::{Change, Effect, EffectKind, Output, ReadTarget, Span, WriteTarget, path};

/// Longer command lines are runs, unread.
const COMMAND_BYTES_MAX: usize = 64 * 1024;
/// `bash -c` within `bash -c` is followed this far.
const SHELLS_MAX: u8 = 3;

/// The effect of the command line `command` started in `directory`.
pub(super) fn effect(command: &str, directory: Option<&str>) -> Effect {
    let mut shell = Shell {
        directory: Directory::Known(directory.map(str::to_owned)),
        first_directory: None,
        shells: 0,
    };
    let part = shell.script(command);
    let mut effect = part.into_effect();
    let after = shell.directory.known().map(str::to_owned);
    if after.as_deref() != directory {
        effect.directory_after = after;
    }
    effect.directory = shell.first_directory.or_else(|| directory.map(str::to_owned));
    effect.command = Some(command.to_owned());
    effect
}

/// The words of an argument list as one command line; a shell's `-c` script as it is.
pub(super) fn joined(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    if let [program, flag, script] = words[..]
        && is_shell(program)
        && flag.starts_with('-')
        && flag.ends_with('c')
    {
        return script.to_owned();
    }
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./=:,+@%".contains(&b);
        if !word.is_empty() && word.bytes().all(plain) {
            line.push_str(word);
        } else {
            line.push('\'');
            line.push_str(&word.replace('\'', r"'\''"));
            line.push('\'');
        }
    }
    line
}

/// `command` with every byte that is not plain ASCII text replaced by a letter.
///
/// To a shell such a byte is a letter like any other, and the grammar's hand-written scanner
/// is not safe with all of them. Lengths stay, so places in the tree are places in `command`.
fn masked(command: &str) -> Vec<u8> {
    let plain = |byte: u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    command.bytes().map(|byte| if plain(byte) { byte } else { b'_' }).collect()
}

/// Whether `program` takes a script after `-c`.
fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    matches!(name, "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish")
}

/// Where the shell stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Directory {
    /// Known, or the unknown one it started in (`None`), to which paths stay relative.
    Known(Option<String>),
    /// Changed to where the command line does not tell.
    Lost,
}

impl Directory {
    fn known(&self) -> Option<&str> {
        match self {
            Directory::Known(directory) => directory.as_deref(),
            Directory::Lost => None,
        }
    }
}

/// What one command does, the words for its kinds in rising order of what they mean for
/// the whole line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Kind {
    /// Neither shows nor changes anything, or passes on what it is given.
    #[default]
    Nothing,
    /// Prints something of its own that matters little (`echo`, `pwd`).
    Harmless,
    List,
    Search,
    Read,
    Fetch,
    Write,
    Edit,
    Run,
}

impl Kind {
    /// The kind of two commands one after the other.
    fn and(self, other: Kind) -> Kind {
        let high = self.max(other);
        let low = self.min(other);
        match (low, high) {
            // What was fetched may be what is then read or run.
            (Kind::List | Kind::Search | Kind::Read, Kind::Fetch) => Kind::Run,
            (Kind::Fetch, Kind::Write | Kind::Edit) => Kind::Run,
            _ => high,
        }
    }

    fn looks_only(self) -> bool {
        self <= Kind::Read
    }
}

/// A part of what is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Lines(ReadTarget),
    /// Text with its line breaks.
    Text(String),
    Unknown,
}

/// What one command, or several together, do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Part {
    kind: Kind,
    stdout: Vec<Item>,
    scopes: Vec<String>,
    writes: Vec<WriteTarget>,
    /// Depends on variables, so that the same words may mean something else next time.
    fragile: bool,
}

impl Part {
    fn of(kind: Kind, stdout: Vec<Item>) -> Part {
        Part { kind, stdout, ..Part::default() }
    }

    fn run() -> Part {
        Part::of(Kind::Run, vec![Item::Unknown])
    }

    fn fragile(mut self, fragile: bool) -> Part {
        self.fragile |= fragile;
        self
    }

    /// Takes over what `other` does, but not what it prints.
    fn absorb(&mut self, other: &mut Part) {
        self.kind = self.kind.and(other.kind);
        self.scopes.append(&mut other.scopes);
        self.writes.append(&mut other.writes);
        self.fragile |= other.fragile;
    }

    fn follow(&mut self, joint: Joint, mut other: Part) {
        self.absorb(&mut other);
        // Which of two alternatives printed, the line does not tell.
        let either = joint == Joint::Or && !other.stdout.is_empty();
        self.stdout.append(&mut other.stdout);
        if either {
            self.stdout.push(Item::Unknown);
        }
    }

    fn into_effect(self) -> Effect {
        let kind = match self.kind {
            Kind::Nothing | Kind::Harmless | Kind::Run => EffectKind::Run,
            Kind::List => EffectKind::List,
            Kind::Search => EffectKind::Search,
            Kind::Read => EffectKind::Read,
            Kind::Fetch => EffectKind::Fetch,
            Kind::Write => EffectKind::Write,
            Kind::Edit => EffectKind::Edit,
        };
        let writes = self.writes;
        let mut reads = Vec::new();
        let mut output = Vec::new();
        for item in self.stdout {
            output.push(match item {
                Item::Lines(target) => {
                    reads.push(target);
                    Output::Lines(reads.len() - 1)
                }
                Item::Text(mut text) if text.ends_with('\n') => {
                    text.pop();
                    Output::Text(text)
                }
                Item::Text(_) | Item::Unknown => Output::Unknown,
            });
        }
        let looks = matches!(kind, EffectKind::Read | EffectKind::Search | EffectKind::List);
        Effect {
            kind,
            reads,
            cacheable: looks && !self.fragile && writes.is_empty(),
            writes,
            scopes: self.scopes,
            output,
            ..Effect::default()
        }
    }
}

/// A shell at work.
struct Shell {
    directory: Directory,
    /// Where the first command that looks at something looked from.
    first_directory: Option<String>,
    shells: u8,
}

/// One program about to start.
struct Invocation<'a> {
    name: &'a str,
    arguments: &'a [Word],
    /// What comes in on standard input.
    input: Option<Part>,
}

impl Shell {
    fn script(&mut self, command: &str) -> Part {
        if command.len() > COMMAND_BYTES_MAX || self.shells > SHELLS_MAX {
            return Part::run();
        }
        let mut parser = tree_sitter::Parser::new();
        if parser.set_language(&tree_sitter_bash::LANGUAGE.into()).is_err() {
            return Part::run();
        }
        let Some(tree) = parser.parse(masked(command), None) else { return Part::run() };
        let chain = syntax::chain_of(tree.root_node(), command);
        self.chain(chain)
    }

    fn chain(&mut self, chain: Chain) -> Part {
        let mut whole = Part::default();
        for (joint, step) in chain {
            let part = self.step(step, None);
            whole.follow(joint, part);
        }
        whole
    }

    fn step(&mut self, step: Step, input: Option<Part>) -> Part {
        match step {
            Step::Simple(simple) => self.simple(simple, input),
            Step::Pipe(stages) => {
                let mut stream = input;
                for stage in stages {
                    // Each stage is a process of its own.
                    let before = self.directory.clone();
                    stream = Some(self.step(stage, stream));
                    self.directory = before;
                }
                stream.unwrap_or_default()
            }
            Step::Group { chain, subshell, redirects } => {
                let before = self.directory.clone();
                let part = self.chain(chain);
                if subshell {
                    self.directory = before;
                }
                self.redirected(absorbing(part, input), redirects)
            }
            Step::Block { chain, redirects } => {
                let before = self.directory.clone();
                let mut part = self.chain(chain);
                if self.directory != before {
                    self.directory = Directory::Lost;
                }
                if !part.stdout.is_empty() {
                    part.stdout.push(Item::Unknown);
                }
                for item in &mut part.stdout {
                    unsure(item);
                }
                for write in &mut part.writes {
                    write.change = Change::Unknown;
                }
                self.redirected(absorbing(part, input), redirects)
            }
            Step::Nothing(chains) => {
                let mut part = input.unwrap_or_default();
                self.substituted(chains, &mut part);
                part
            }
            Step::Broken => Part::run(),
        }
    }

    fn simple(&mut self, simple: Simple, input: Option<Part>) -> Part {
        let Simple { words, redirects, substitutions } = simple;
        let mut input = input;
        let mut outputs = Vec::new();
        for redirect in redirects {
            match redirect {
                Redirect::Output { .. } => outputs.push(redirect),
                Redirect::Input(word) => {
                    let mut part = self.read_words(std::slice::from_ref(&word));
                    part.kind = Kind::Read;
                    input = Some(part);
                }
                Redirect::Text { text, known } => {
                    let item = if known { Item::Text(text) } else { Item::Unknown };
                    input = Some(Part::of(Kind::Nothing, vec![item]));
                }
            }
        }
        let mut part = match words.split_first() {
            Some((name, arguments)) => self.program(name, arguments, input),
            None => input.unwrap_or_default(),
        };
        self.substituted(substitutions, &mut part);
        self.redirected(part, outputs)
    }

    /// Runs what a word's substitutions run: only what looks leaves the command's kind.
    fn substituted(&mut self, chains: Vec<Chain>, part: &mut Part) {
        for chain in chains {
            let before = self.directory.clone();
            let mut inner = self.chain(chain);
            self.directory = before;
            part.fragile = true;
            if inner.kind.looks_only() {
                inner.kind = Kind::Nothing;
            }
            inner.scopes.clear();
            part.absorb(&mut inner);
        }
    }

    fn program(&mut self, name: &Word, arguments: &[Word], input: Option<Part>) -> Part {
        let Some(full) = name.known() else {
            return absorbing(Part::run(), input);
        };
        let base = full.rsplit('/').next().unwrap_or(full);
        programs::part(self, Invocation { name: base, arguments, input })
    }

    fn redirected(&mut self, mut part: Part, redirects: Vec<Redirect>) -> Part {
        for redirect in redirects {
            let Redirect::Output { to, append, errors_only } = redirect else { continue };
            if to.known() == Some("/dev/null") {
                part.stdout.clear();
                continue;
            }
            let stdout = if errors_only { Vec::new() } else { std::mem::take(&mut part.stdout) };
            let change = if errors_only { Change::Unknown } else { written(&stdout, append) };
            match self.path(&to) {
                Some(path) => {
                    part.writes.push(WriteTarget { path, change });
                    if part.kind.looks_only() && !errors_only {
                        part.kind = Kind::Write;
                    }
                }
                None => part.kind = Kind::Run,
            }
        }
        part
    }

    /// The path a word names, if the command line tells it.
    fn path(&self, word: &Word) -> Option<String> {
        let text = word.known().filter(|text| !text.is_empty())?;
        match &self.directory {
            Directory::Known(directory) => Some(path::resolve(text, directory.as_deref())),
            Directory::Lost if path::is_rooted(text) => Some(path::resolve(text, None)),
            Directory::Lost => None,
        }
    }

    /// The files that `words` name, whole and one after the other, as `cat` prints them.
    fn read_words(&mut self, words: &[Word]) -> Part {
        self.look_from_here();
        let mut part = Part::of(Kind::Read, Vec::new());
        for word in words {
            part.stdout.push(match self.path(word) {
                Some(path) if !path.starts_with("/dev/") => {
                    Item::Lines(ReadTarget { path, span: Span::All })
                }
                _ => Item::Unknown,
            });
            // What an unknown word reads cannot be watched.
            part.fragile |= word.known().is_none() || self.directory == Directory::Lost;
        }
        part
    }

    fn look_from_here(&mut self) {
        if self.first_directory.is_none() {
            self.first_directory = self.directory.known().map(str::to_owned);
        }
    }

    fn change_directory(&mut self, to: Option<&Word>) {
        let to = match to {
            None => Some("~"),
            Some(word) => word.known().filter(|text| *text != "-" && !text.starts_with('+')),
        };
        self.directory = match (to, &self.directory) {
            (Some(to), Directory::Known(directory)) => {
                Directory::Known(Some(path::resolve(to, directory.as_deref())))
            }
            (Some(to), Directory::Lost) if path::is_rooted(to) => {
                Directory::Known(Some(path::resolve(to, None)))
            }
            _ => Directory::Lost,
        };
    }
}

/// `part`, which does not pass on what came in but may depend on it.
fn absorbing(mut part: Part, input: Option<Part>) -> Part {
    let Some(mut input) = input else { return part };
    for item in &mut input.stdout {
        if let Item::Lines(target) = item {
            input.scopes.push(std::mem::take(&mut target.path));
        }
    }
    part.absorb(&mut input);
    part
}

/// Which lines are printed is not known any more.
fn unsure(item: &mut Item) {
    match item {
        Item::Lines(target) => target.span = Span::Unknown,
        Item::Text(_) => *item = Item::Unknown,
        Item::Unknown => {}
    }
}

fn written(stdout: &[Item], append: bool) -> Change {
    let mut text = String::new();
    for item in stdout {
        match item {
            Item::Text(part) => text.push_str(part),
            Item::Lines(_) | Item::Unknown => return Change::Unknown,
        }
    }
    if append { Change::Append(text) } else { Change::Content(text) }
}
