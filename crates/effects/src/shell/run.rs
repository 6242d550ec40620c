//! What a command line does as a whole: its commands' parts, joined over pipes, sequences and
//! redirections.

use super::parse::Parsed;
use super::part::{Item, Kind, Part, absorbing, unsure, written};
use super::programs;
use super::read::chain_of;
use super::starters::{Started, started};
use super::state::{Directory, Invocation, Shell};
use super::tree::{Chain, Redirect, Simple, Step};
use super::word::{Word, name_of};
use crate::effect::{Change, Effect, WriteTarget};

/// `xargs` within `xargs` is followed this far.
const HANDED_ON_MAX: u8 = 16;

/// The effect of the command line `command` started in `directory`.
pub(crate) fn effect(command: &str, directory: Option<&str>) -> Effect {
    let mut shell = Shell {
        directory: Directory::Known(directory.map(str::to_owned)),
        first_directory: None,
        shells: 0,
        handed_on: 0,
        prints_ours: false,
        prints_others: false,
    };
    let part = shell.script(command);
    let mut effect = part.into_effect();
    let after = shell.directory.known().map(str::to_owned);
    if after.as_deref() != directory {
        effect.directory_after = after;
    }
    effect.directory = shell.first_directory.or_else(|| directory.map(str::to_owned));
    effect.command = Some(command.to_owned());
    effect.verbatim = shell.prints_ours && !shell.prints_others;
    effect
}

impl Shell {
    fn script(&mut self, command: &str) -> Part {
        let Some(parsed) = Parsed::of(command, self.shells) else { return Part::run() };
        let chain = chain_of(&parsed);
        self.chain(chain)
    }

    fn chain(&mut self, chain: Chain) -> Part {
        let mut whole = Part::default();
        for (connection, step) in chain {
            let part = self.step(step, None);
            whole.follow(connection, part);
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
            Step::Silent(chains) => {
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
        let mut part =
            if words.is_empty() { input.unwrap_or_default() } else { self.program(&words, input) };
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

    /// The program that the first of `words` names, with the others as its arguments.
    fn program(&mut self, words: &[Word], input: Option<Part>) -> Part {
        let (mut words, mut input) = (words, input);
        let mut is_known = true;
        // A line may be nothing but programs that start one another.
        let part = loop {
            let Some((name, arguments)) = words.split_first() else {
                break absorbing(Part::of(Kind::Harmless, vec![Item::Unknown]), input);
            };
            let Some(name) = name.known().map(name_of) else {
                break absorbing(Part::run(), input);
            };
            match started(self, Invocation { name, arguments, input }) {
                Started::Nothing(call) => break programs::part(self, call),
                Started::Program { words: next, input: given, is_same } => {
                    (words, input) = (next, given);
                    is_known &= is_same;
                }
                Started::Script { line, input } => break self.nested(line, input),
                Started::ForEach { names, commands } => {
                    break commands.iter().fold(names, |names, words| self.for_each(names, words));
                }
            }
        };
        if is_known { part } else { Part { kind: Kind::Run, stdout: vec![Item::Unknown], ..part } }
    }

    fn nested(&mut self, line: &Word, input: Option<Part>) -> Part {
        let before = self.directory.clone();
        self.shells += 1;
        let part = self.script(&line.text);
        self.shells -= 1;
        self.directory = before;
        absorbing(part.fragile(line.expands), input)
    }

    /// The command `words` runs on each name that `names` found.
    fn for_each(&mut self, names: Part, words: &[Word]) -> Part {
        if words.is_empty() {
            return names;
        }
        self.handed_on += 1;
        let mut part =
            if self.handed_on > HANDED_ON_MAX { Part::run() } else { self.program(words, None) };
        self.handed_on -= 1;
        if !part.writes.is_empty() || part.kind > Kind::Read {
            part.kind = Kind::Run;
        }
        // The names are not in the command line.
        part.stdout = vec![Item::Unknown];
        part.fragile = names.fragile || part.kind == Kind::Read;
        let kind = part.kind;
        let mut names = names;
        part.absorb(&mut names);
        if kind.looks_only() && names.kind.looks_only() && kind >= Kind::List {
            part.kind = kind;
        }
        part
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
}
