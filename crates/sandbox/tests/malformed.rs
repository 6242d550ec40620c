//! Invalid input: refused or run within bounds, and never a panic.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use foveal_sandbox::{
    CommandLimits, CommandOutcome, OutputRetention, OutputWait, ProcessExit, Sandbox, ShellCommand,
    ShellProgram, TerminalCommand, TerminalLimits, TerminalPool, TerminalSize, WaitControl,
};
use foveal_transcript::CancelToken;
use proptest::prelude::*;

use crate::command::{PATIENCE, command, folder, run};

/// Texts that a model may send, and whether they can be passed to a shell.
const TEXTS: &[(&str, bool)] = &[
    ("", true),
    (" ", true),
    ("\n\n\n", true),
    ("\r\n", true),
    ("\u{feff}true", true),
    ("\0", false),
    ("true\0", false),
    ("'", true),
    ("\"", true),
    ("`", true),
    ("$(", true),
    ("$((", true),
    ("${", true),
    ("${}", true),
    ("${x", true),
    ("(", true),
    (")", true),
    ("{", true),
    ("}", true),
    ("[[", true),
    ("if", true),
    ("for x in", true),
    ("case x in", true),
    ("while", true),
    ("function", true),
    ("x() {", true),
    ("|", true),
    ("||", true),
    ("&", true),
    ("&&", true),
    (";", true),
    (";;", true),
    ("<", true),
    (">", true),
    ("<<", true),
    ("<<END", true),
    ("<<<", true),
    ("2>&", true),
    (">&9", true),
    ("exec 1>&- 2>&-", true),
    ("exec <missing", true),
    ("\\", true),
    ("#", true),
    ("-c", true),
    ("--", true),
    ("--help", true),
    ("!", true),
    ("*", true),
    ("~nobody-at-all", true),
    ("return 3", true),
    ("break", true),
    ("exit x", true),
    ("exit 99999999999999999999", true),
    ("exit -1", true),
    ("shift 9", true),
    ("unset PATH; ls", true),
    ("readonly PATH; PATH=", true),
    ("cd /nowhere/at/all", true),
    ("trap - EXIT; false", true),
    ("pwd() { echo x; }; cd /", true),
    ("__foveal_directory=/nowhere/x", true),
    ("unset __foveal_directory __foveal_text", true),
    ("set -euo pipefail; echo $x", true),
    ("ulimit -n 3; echo x", true),
    ("\u{1b}[2J", true),
    ("😀", true),
];

#[test]
fn texts_that_make_no_sense() {
    let (_folder, path) = folder();
    for (text, can_run) in TEXTS {
        let ran = command(text, &path).run(&mut |_| (), &CancelToken::NEVER);
        assert_eq!(ran.is_ok(), *can_run, "{text:?}");
        if let Ok(ran) = ran {
            assert!(
                matches!(ran.outcome, CommandOutcome::Ended(ProcessExit::Code(_))),
                "{text:?}: {ran:?}"
            );
        }
    }
}

#[test]
fn terminals_with_texts_that_make_no_sense() {
    let (_folder, path) = folder();
    let terminals = TerminalPool::new(TerminalLimits::default());
    let wait = OutputWait { longest: PATIENCE, pause: PATIENCE };
    // A shell in a terminal would wait for more of some of them at its own prompt; with `-c` it
    // does not.
    for (text, can_run) in TEXTS {
        let one = terminal_command(text, &path);
        let started = terminals.start_terminal(&one, wait, WaitControl::SILENT, Instant::now());
        assert_eq!(started.is_ok(), *can_run, "{text:?}");
        if let Ok((id, reading)) = started {
            assert!(reading.ending.is_some(), "{text:?}: {reading:?}");
            terminals.close(id).expect("it is there");
        }
    }
}

fn terminal_command(text: &str, directory: &Path) -> TerminalCommand {
    let ShellCommand { text, directory, environment, shell, .. } = command(text, directory);
    let size = TerminalSize { rows: u16::MAX, columns: u16::MAX };
    TerminalCommand { text, directory, environment, shell, size, sandbox: None, guard: None }
}

#[test]
fn places_that_make_no_sense() {
    let (_folder, path) = folder();
    std::fs::write(path.join("file"), "").expect("a folder of ours");
    let long = "x/".repeat(5000);
    for place in ["", "\0", "missing", "file", "file/x", "missing/../..", &long] {
        let place = path.join("sub").join(place);
        assert!(
            command("true", &place).run(&mut |_| (), &CancelToken::NEVER).is_err(),
            "{place:?}"
        );
        let terminals = TerminalPool::new(TerminalLimits::default());
        let one = terminal_command("true", &place);
        assert!(
            terminals
                .start_terminal(&one, OutputWait::IMMEDIATE, WaitControl::SILENT, Instant::now())
                .is_err(),
            "{place:?}"
        );
    }
    for shell in ["", "\0", "/", "/dev/null", "missing"] {
        let mut command = command("true", &path);
        command.shell = ShellProgram::from_path(PathBuf::from(shell));
        assert!(command.run(&mut |_| (), &CancelToken::NEVER).is_err(), "{shell:?}");
    }
}

#[test]
fn variables_that_make_no_sense() {
    let (_folder, path) = folder();
    for (name, value) in [("", "x"), ("=", "x"), ("A=B", "x"), ("A B", ""), ("A", "\u{1}\n=")] {
        let mut command = command("true", &path);
        command.environment = command.environment.with_variable(name, value);
        assert!(run(&command).outcome.is_success(), "{name:?}");
    }
    for (name, value) in [("A\0", "x"), ("A", "\0")] {
        let mut command = command("true", &path);
        command.environment = command.environment.with_variable(name, value);
        assert!(command.run(&mut |_| (), &CancelToken::NEVER).is_err(), "{name:?}");
    }
}

#[test]
fn limits_that_make_no_sense() {
    let (_folder, path) = folder();
    let nothing = CommandLimits {
        time_out: Duration::ZERO,
        grace: Duration::ZERO,
        drain: Duration::ZERO,
        keep: OutputRetention { head: 0, tail: 0 },
        output_bytes_max: Some(0),
    };
    let mut command = command("yes", &path);
    command.limits = nothing;
    assert!(matches!(
        run(&command).outcome,
        CommandOutcome::TimedOut { .. } | CommandOutcome::TooMuchOutput { .. }
    ));
    command.text = "seq 1 1000".to_owned();
    command.limits = CommandLimits {
        time_out: Duration::MAX,
        grace: Duration::MAX,
        drain: Duration::MAX,
        keep: OutputRetention { head: usize::MAX, tail: usize::MAX },
        output_bytes_max: Some(u64::MAX),
    };
    let ran = run(&command);
    assert_eq!((ran.output.bytes, ran.output.left_out), (3893, None));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Without programs in its `PATH`, and confined where possible, any text is harmless.
    #[test]
    fn any_text_comes_to_an_end(text in "[-x1 \t\n'\"`$()<>&;{}\\[\\]!#*?~=%:\\\\\0é😀]{0,40}") {
        let (_folder, path) = folder();
        let mut command = command(&text, &path);
        command.environment = command.environment.with_variable("PATH", "/nowhere");
        command.sandbox = Some(Sandbox::from_writable([path]));
        let mut streamed = String::new();
        match command.run(&mut |piece| streamed.push_str(piece), &CancelToken::NEVER) {
            Err(_) => prop_assert!(text.contains('\0')),
            Ok(ran) => {
                prop_assert!(matches!(ran.outcome, CommandOutcome::Ended(_)), "{:?}", ran);
                prop_assert_eq!(streamed, ran.output.text());
            }
        }
    }
}
