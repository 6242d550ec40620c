//! Input that makes no sense: refused or run, in bounds, and never a panic.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use foveal_processes::{
    Command, Ending, KeepBytes, Limits, Outcome, Sandbox, Shell, Size, TerminalCommand,
    TerminalLimits, Terminals, Wait, Waiting,
};
use proptest::prelude::*;

use crate::command::{PATIENCE, command, folder, run};

/// Texts that a model may send, and whether a shell can be given them.
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
        let ran = command(text, &path).run(&mut |_| (), &Cancel::NEVER);
        assert_eq!(ran.is_ok(), *can_run, "{text:?}");
        if let Ok(ran) = ran {
            assert!(matches!(ran.outcome, Outcome::Ended(Ending::Code(_))), "{text:?}: {ran:?}");
        }
    }
}

#[test]
fn terminals_with_texts_that_make_no_sense() {
    let (_folder, path) = folder();
    let terminals = Terminals::new(TerminalLimits::default());
    let wait = Wait { longest: PATIENCE, pause: PATIENCE };
    // A shell in a terminal would wait for more of some of them at its own prompt; with `-c` it
    // does not.
    for (text, can_run) in TEXTS {
        let one = terminal_command(text, &path);
        let started = terminals.exec(&one, wait, Waiting::QUIET, Instant::now());
        assert_eq!(started.is_ok(), *can_run, "{text:?}");
        if let Ok((id, reading)) = started {
            assert!(reading.ending.is_some(), "{text:?}: {reading:?}");
            terminals.close(id).expect("it is there");
        }
    }
}

fn terminal_command(text: &str, directory: &Path) -> TerminalCommand {
    let Command { text, directory, environment, shell, .. } = command(text, directory);
    let size = Size { rows: u16::MAX, columns: u16::MAX };
    TerminalCommand { text, directory, environment, shell, size, sandbox: None, guard: None }
}

#[test]
fn places_that_make_no_sense() {
    let (_folder, path) = folder();
    std::fs::write(path.join("file"), "").expect("a folder of ours");
    let long = "x/".repeat(5000);
    for place in ["", "\0", "missing", "file", "file/x", "missing/../..", &long] {
        let place = path.join("sub").join(place);
        assert!(command("true", &place).run(&mut |_| (), &Cancel::NEVER).is_err(), "{place:?}");
        let terminals = Terminals::new(TerminalLimits::default());
        let one = terminal_command("true", &place);
        assert!(
            terminals.exec(&one, Wait::NONE, Waiting::QUIET, Instant::now()).is_err(),
            "{place:?}"
        );
    }
    for shell in ["", "\0", "/", "/dev/null", "missing"] {
        let mut command = command("true", &path);
        command.shell = Shell::at(PathBuf::from(shell));
        assert!(command.run(&mut |_| (), &Cancel::NEVER).is_err(), "{shell:?}");
    }
}

#[test]
fn variables_that_make_no_sense() {
    let (_folder, path) = folder();
    for (name, value) in [("", "x"), ("=", "x"), ("A=B", "x"), ("A B", ""), ("A", "\u{1}\n=")] {
        let mut command = command("true", &path);
        command.environment = command.environment.with(name, value);
        assert!(run(&command).outcome.is_success(), "{name:?}");
    }
    for (name, value) in [("A\0", "x"), ("A", "\0")] {
        let mut command = command("true", &path);
        command.environment = command.environment.with(name, value);
        assert!(command.run(&mut |_| (), &Cancel::NEVER).is_err(), "{name:?}");
    }
}

#[test]
fn limits_that_make_no_sense() {
    let (_folder, path) = folder();
    let nothing = Limits {
        time_out: Duration::ZERO,
        grace: Duration::ZERO,
        drain: Duration::ZERO,
        keep: KeepBytes { head: 0, tail: 0 },
        output_bytes_max: Some(0),
    };
    let mut command = command("yes", &path);
    command.limits = nothing;
    assert!(matches!(
        run(&command).outcome,
        Outcome::TimedOut { .. } | Outcome::TooMuchOutput { .. }
    ));
    command.text = "seq 1 1000".to_owned();
    command.limits = Limits {
        time_out: Duration::MAX,
        grace: Duration::MAX,
        drain: Duration::MAX,
        keep: KeepBytes { head: usize::MAX, tail: usize::MAX },
        output_bytes_max: Some(u64::MAX),
    };
    let ran = run(&command);
    assert_eq!((ran.output.bytes, ran.output.left_out), (3893, None));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Without programs to be found, and confined where that is possible, any text is harmless.
    #[test]
    fn any_text_comes_to_an_end(text in "[-x1 \t\n'\"`$()<>&;{}\\[\\]!#*?~=%:\\\\\0é😀]{0,40}") {
        let (_folder, path) = folder();
        let mut command = command(&text, &path);
        command.environment = command.environment.with("PATH", "/nowhere");
        command.sandbox = Some(Sandbox::hold([path]));
        let mut streamed = String::new();
        match command.run(&mut |piece| streamed.push_str(piece), &Cancel::NEVER) {
            Err(_) => prop_assert!(text.contains('\0')),
            Ok(ran) => {
                prop_assert!(matches!(ran.outcome, Outcome::Ended(_)), "{:?}", ran);
                prop_assert_eq!(streamed, ran.output.text());
            }
        }
    }
}
