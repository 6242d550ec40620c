//! What is done where the kernel has no way to confine.

mod kernel;

use std::time::Instant;

use foveal_cancel::Cancel;
use foveal_processes::{
    Command, CommandError, Confinement, Sandbox, Shell, Size, TerminalCommand, TerminalError,
    TerminalLimits, Terminals, Wait, Waiting,
};

pub(crate) use self::kernel::{without_calls, without_landlock};
use crate::command::{PATIENCE, command, environment, folder, run};

#[test]
fn it_is_said_and_what_must_be_confined_does_not_start() {
    without_landlock(|| {
        let available = Confinement::available().expect("it is told, and no failure");
        assert!(matches!(available, Confinement::Absent { .. }), "{available:?}");
        let (_folder, path) = folder();
        let sandbox = Sandbox::hold([path.clone()]);
        let free = Command { sandbox: Some(sandbox.clone()), ..command("echo x >new", &path) };
        assert_eq!(run(&free).confinement, Some(available));
        assert!(path.join("new").exists());
        let required = Some(sandbox.required());
        let held = Command { sandbox: required.clone(), ..command("echo x >newer", &path) };
        let refused = held.run(&mut |_| (), &Cancel::NEVER).expect_err("nothing is confined");
        assert!(matches!(refused, CommandError::Unconfined(_)), "{refused}");
        let terminal = TerminalCommand {
            text: "echo x >newer".to_owned(),
            directory: path.clone(),
            environment: environment(),
            shell: Shell::find(None).expect("a shell"),
            size: Size::default(),
            sandbox: required,
            guard: None,
        };
        let terminals = Terminals::new(TerminalLimits::default());
        let wait = Wait { longest: PATIENCE, pause: PATIENCE };
        let refused = terminals.exec(&terminal, wait, Waiting::QUIET, Instant::now());
        let refused: TerminalError = refused.expect_err("nothing is confined");
        assert!(refused.to_string().contains("Landlock"), "{refused}");
        assert!(!path.join("newer").exists());
    });
}
