//! Behaviour on a kernel that cannot confine.

mod kernel;

use std::time::Instant;

use foveal_sandbox::{
    CommandError, Confinement, OutputWait, Sandbox, ShellCommand, ShellProgram, TerminalCommand,
    TerminalError, TerminalLimits, TerminalPool, TerminalSize, WaitControl,
};
use foveal_transcript::CancelToken;

pub(crate) use self::kernel::{LANDLOCK_CALLS, without_calls, without_confinement};
use crate::command::{PATIENCE, command, environment, folder, run};

#[test]
fn it_is_said_and_what_must_be_confined_does_not_start() {
    without_confinement(|| {
        let available = Confinement::detect().expect("it is told, and no failure");
        assert!(matches!(available, Confinement::Absent { .. }), "{available:?}");
        let (_folder, path) = folder();
        let sandbox = Sandbox::from_writable([path.clone()]);
        let free = ShellCommand { sandbox: Some(sandbox.clone()), ..command("echo x >new", &path) };
        assert_eq!(run(&free).confinement, Some(available));
        assert!(path.join("new").exists());
        let required = Some(sandbox.with_required_confinement());
        let held = ShellCommand { sandbox: required.clone(), ..command("echo x >newer", &path) };
        let refused = held.run(&mut |_| (), &CancelToken::NEVER).expect_err("nothing is confined");
        assert!(matches!(refused, CommandError::Unconfined(_)), "{refused}");
        let terminal = TerminalCommand {
            text: "echo x >newer".to_owned(),
            directory: path.clone(),
            environment: environment(),
            shell: ShellProgram::find(None).expect("a shell"),
            size: TerminalSize::default(),
            sandbox: required,
            guard: None,
        };
        let terminals = TerminalPool::new(TerminalLimits::default());
        let wait = OutputWait { longest: PATIENCE, pause: PATIENCE };
        let refused =
            terminals.start_terminal(&terminal, wait, WaitControl::SILENT, Instant::now());
        let refused: TerminalError = refused.expect_err("nothing is confined");
        assert!(refused.to_string().contains("Landlock"), "{refused}");
        assert!(!path.join("newer").exists());
    });
}
