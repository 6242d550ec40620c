//! Programs in Python that look at what foveal does through official packages.

use std::process::{Command, Output};

/// What they end with where their package is missing.
pub(crate) const NO_PACKAGE: i32 = 77;

/// Runs the program at `path`, below the folder of these tests, whose packages the requirements
/// beside it name. Where there is no Python or no package it says so, and gives `None`.
pub(crate) fn run(path: &str, arrange: impl FnOnce(&mut Command)) -> Option<Output> {
    let mut command = program(path);
    arrange(&mut command);
    let Ok(ran) = command.output() else {
        eprintln!("skipped: there is no Python");
        return None;
    };
    if ran.status.code() == Some(NO_PACKAGE) {
        let (folder, _) = path.split_once('/').expect("each is in a folder");
        eprintln!(
            "skipped: {}(pip install -r crates/cli/tests/{folder}/requirements.txt; \
             FOVEAL_TEST_PYTHON names another Python)",
            String::from_utf8_lossy(&ran.stdout)
        );
        return None;
    }
    Some(ran)
}

/// The program at `path`, below the folder of these tests, to be started.
pub(crate) fn program(path: &str) -> Command {
    let python = std::env::var_os("FOVEAL_TEST_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    command.arg(format!("{}/tests/{path}", env!("CARGO_MANIFEST_DIR")));
    // What it imports stays as it is in the repository.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
