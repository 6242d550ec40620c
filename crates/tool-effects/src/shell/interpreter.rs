//! The effect of a whole command line: the effects of its commands, combined over pipes, sequences
//! and redirections.

use super::chain_builder::build_chain;
use super::command_effect::{
    CommandEffect, CommandEffectKind, StdoutPart, absorb_input, forget_exact_output, stdout_change,
};
use super::command_tree::{CommandChain, CommandStep, Redirect, SimpleCommand};
use super::programs;
use super::shell_state::{Invocation, ShellDirectory, ShellState};
use super::shell_word::{ShellWord, program_name};
use super::syntax::ParsedScript;
use super::wrapper_programs::{WrappedCommand, wrapped_command};
use crate::effect::{Effect, WriteChange, WriteTarget};

/// The deepest nesting of `xargs` that is followed.
const FOR_EACH_DEPTH_MAX: u8 = 16;

/// Returns the effect of the command line `command`, started in `directory`.
pub(crate) fn command_line_effect(command: &str, directory: Option<&str>) -> Effect {
    let mut shell = ShellState {
        directory: ShellDirectory::Known(directory.map(str::to_owned)),
        first_directory: None,
        script_depth: 0,
        for_each_depth: 0,
        prints_own: false,
        prints_others: false,
    };
    let part = shell.run_script(command);
    let mut effect = part.into_effect();
    let after = shell.directory.known_path().map(str::to_owned);
    if after.as_deref() != directory {
        effect.directory_after = after;
    }
    effect.directory = shell.first_directory.or_else(|| directory.map(str::to_owned));
    effect.command = Some(command.to_owned());
    effect.verbatim = shell.prints_own && !shell.prints_others;
    effect
}

impl ShellState {
    fn run_script(&mut self, command: &str) -> CommandEffect {
        let Some(parsed) = ParsedScript::parse(command, self.script_depth) else {
            return CommandEffect::unknown_run();
        };
        let chain = build_chain(&parsed);
        self.run_chain(chain)
    }

    fn run_chain(&mut self, chain: CommandChain) -> CommandEffect {
        let mut whole = CommandEffect::default();
        for (connection, step) in chain {
            let part = self.run_step(step, None);
            whole.append(connection, part);
        }
        whole
    }

    fn run_step(&mut self, step: CommandStep, input: Option<CommandEffect>) -> CommandEffect {
        match step {
            CommandStep::Simple(simple) => self.run_simple_command(simple, input),
            CommandStep::Pipe(stages) => {
                let mut stream = input;
                for stage in stages {
                    // Each stage runs in its own process.
                    let before = self.directory.clone();
                    stream = Some(self.run_step(stage, stream));
                    self.directory = before;
                }
                stream.unwrap_or_default()
            }
            CommandStep::Group { chain, subshell, redirects } => {
                let before = self.directory.clone();
                let part = self.run_chain(chain);
                if subshell {
                    self.directory = before;
                }
                self.apply_redirects(absorb_input(part, input), redirects)
            }
            CommandStep::Block { chain, redirects } => {
                let before = self.directory.clone();
                let mut part = self.run_chain(chain);
                if self.directory != before {
                    self.directory = ShellDirectory::Lost;
                }
                if !part.stdout.is_empty() {
                    part.stdout.push(StdoutPart::Unknown);
                }
                for item in &mut part.stdout {
                    forget_exact_output(item);
                }
                for write in &mut part.writes {
                    write.change = WriteChange::Unknown;
                }
                self.apply_redirects(absorb_input(part, input), redirects)
            }
            CommandStep::Silent(chains) => {
                let mut part = input.unwrap_or_default();
                self.run_substitutions(chains, &mut part);
                part
            }
            CommandStep::Broken => CommandEffect::unknown_run(),
        }
    }

    fn run_simple_command(
        &mut self,
        simple: SimpleCommand,
        input: Option<CommandEffect>,
    ) -> CommandEffect {
        let SimpleCommand { words, redirects, substitutions } = simple;
        let mut input = input;
        let mut outputs = Vec::new();
        for redirect in redirects {
            match redirect {
                Redirect::Output { .. } => outputs.push(redirect),
                Redirect::Input(word) => {
                    let mut part = self.read_files(std::slice::from_ref(&word));
                    part.kind = CommandEffectKind::Read;
                    input = Some(part);
                }
                Redirect::Text { text, known } => {
                    let item = if known { StdoutPart::Text(text) } else { StdoutPart::Unknown };
                    input = Some(CommandEffect::new(CommandEffectKind::Nothing, vec![item]));
                }
            }
        }
        let mut part = if words.is_empty() {
            input.unwrap_or_default()
        } else {
            self.run_program(&words, input)
        };
        self.run_substitutions(substitutions, &mut part);
        self.apply_redirects(part, outputs)
    }

    /// Runs the commands of a word's substitutions. Read-only ones do not change the kind of the
    /// command.
    fn run_substitutions(&mut self, chains: Vec<CommandChain>, part: &mut CommandEffect) {
        for chain in chains {
            let before = self.directory.clone();
            let mut inner = self.run_chain(chain);
            self.directory = before;
            part.fragile = true;
            if inner.kind.is_read_only() {
                inner.kind = CommandEffectKind::Nothing;
            }
            inner.scopes.clear();
            part.absorb(&mut inner);
        }
    }

    /// Runs the program that the first of `words` names, with the others as its arguments.
    fn run_program(&mut self, words: &[ShellWord], input: Option<CommandEffect>) -> CommandEffect {
        let (mut words, mut input) = (words, input);
        let mut is_known = true;
        // A line may consist of programs that start one another.
        let part = loop {
            let Some((name, arguments)) = words.split_first() else {
                break absorb_input(
                    CommandEffect::new(CommandEffectKind::Harmless, vec![StdoutPart::Unknown]),
                    input,
                );
            };
            let Some(name) = name.known_text().map(program_name) else {
                break absorb_input(CommandEffect::unknown_run(), input);
            };
            match wrapped_command(self, Invocation { name, arguments, input }) {
                WrappedCommand::Nothing(call) => break programs::program_effect(self, call),
                WrappedCommand::Program { words: next, input: given, is_same } => {
                    (words, input) = (next, given);
                    is_known &= is_same;
                }
                WrappedCommand::Script { line, input } => {
                    break self.run_nested_script(line, input);
                }
                WrappedCommand::ForEach { names, commands } => {
                    break commands
                        .iter()
                        .fold(names, |names, words| self.run_for_each(names, words));
                }
            }
        };
        if is_known {
            part
        } else {
            CommandEffect {
                kind: CommandEffectKind::Run,
                stdout: vec![StdoutPart::Unknown],
                ..part
            }
        }
    }

    fn run_nested_script(
        &mut self,
        line: &ShellWord,
        input: Option<CommandEffect>,
    ) -> CommandEffect {
        let before = self.directory.clone();
        self.script_depth += 1;
        let part = self.run_script(&line.text);
        self.script_depth -= 1;
        self.directory = before;
        absorb_input(part.with_fragile(line.expands), input)
    }

    /// Runs the command `words` on each name that `names` found.
    fn run_for_each(&mut self, names: CommandEffect, words: &[ShellWord]) -> CommandEffect {
        if words.is_empty() {
            return names;
        }
        self.for_each_depth += 1;
        let mut part = if self.for_each_depth > FOR_EACH_DEPTH_MAX {
            CommandEffect::unknown_run()
        } else {
            self.run_program(words, None)
        };
        self.for_each_depth -= 1;
        if !part.writes.is_empty() || part.kind > CommandEffectKind::Read {
            part.kind = CommandEffectKind::Run;
        }
        // The names are not in the command line.
        part.stdout = vec![StdoutPart::Unknown];
        part.fragile = names.fragile || part.kind == CommandEffectKind::Read;
        let kind = part.kind;
        let mut names = names;
        part.absorb(&mut names);
        if kind.is_read_only() && names.kind.is_read_only() && kind >= CommandEffectKind::List {
            part.kind = kind;
        }
        part
    }

    fn apply_redirects(
        &mut self,
        mut part: CommandEffect,
        redirects: Vec<Redirect>,
    ) -> CommandEffect {
        for redirect in redirects {
            let Redirect::Output { to, append, errors_only } = redirect else { continue };
            if to.known_text() == Some("/dev/null") {
                part.stdout.clear();
                continue;
            }
            let stdout = if errors_only { Vec::new() } else { std::mem::take(&mut part.stdout) };
            let change =
                if errors_only { WriteChange::Unknown } else { stdout_change(&stdout, append) };
            match self.resolve_word(&to) {
                Some(path) => {
                    part.writes.push(WriteTarget { path, change });
                    if part.kind.is_read_only() && !errors_only {
                        part.kind = CommandEffectKind::Write;
                    }
                }
                None => part.kind = CommandEffectKind::Run,
            }
        }
        part
    }
}
