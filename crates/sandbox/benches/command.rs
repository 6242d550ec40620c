//! Compares the cost of running a command with that of starting its process.

use std::hint::black_box;
use std::process;

use criterion::{Criterion, criterion_group, criterion_main};
use foveal_sandbox::{
    CommandEnvironment, GuardProgram, Sandbox, ShellCommand, ShellProgram, WriteRule,
};
use foveal_transcript::CancelToken;

fn run_true(criterion: &mut Criterion) {
    let shell =
        ShellProgram::find(std::env::var_os("PATH").as_deref()).expect("a shell to measure with");
    let directory = std::env::temp_dir();
    let environment = CommandEnvironment::from_inherited(std::env::vars_os());
    let command = ShellCommand::new("true", &directory, environment, shell.clone());
    let sandbox = Some(Sandbox::from_writable([directory.clone()]));
    let confined = ShellCommand { sandbox, ..command.clone() };
    let guard = GuardProgram::from_path(env!("CARGO_BIN_EXE_foveal-test-guard").into());
    let guarded = ShellCommand { guard: Some(guard), ..confined.clone() };
    // What rules forbid to write: a folder, a file, and one two folders deep.
    let project = tempfile::tempdir().expect("a folder of ours");
    let root = project.path().canonicalize().expect("it is there");
    let names = ["docs", "Cargo.lock", "src/made"];
    std::fs::create_dir_all(root.join("src/made")).expect("a folder of ours");
    std::fs::create_dir(root.join("docs")).expect("a folder of ours");
    std::fs::write(root.join("Cargo.lock"), "").expect("a folder of ours");
    let parts = names.map(|name| (root.join(name), WriteRule::Forbidden));
    let forbidding = Some(Sandbox::from_writable([root.clone()]).with_write_rules(parts));
    let forbidding = ShellCommand { sandbox: forbidding, directory: root, ..guarded.clone() };
    let held = forbidding.run(&mut |_| (), &CancelToken::NEVER).map(|ran| ran.protection);
    println!("parts are held by {held:?}");
    let mut group = criterion.benchmark_group("true");
    group.bench_function("std::process", |bencher| {
        bencher.iter(|| {
            let mut plain = process::Command::new(shell.path());
            black_box(plain.args(["-c", "true"]).current_dir(&directory).output())
        });
    });
    group.bench_function("run", |bencher| {
        bencher.iter(|| black_box(command.run(&mut |_| (), &CancelToken::NEVER)));
    });
    group.bench_function("run confined", |bencher| {
        bencher.iter(|| black_box(confined.run(&mut |_| (), &CancelToken::NEVER)));
    });
    group.bench_function("run confined and guarded", |bencher| {
        bencher.iter(|| black_box(guarded.run(&mut |_| (), &CancelToken::NEVER)));
    });
    group.bench_function("run confined and guarded, parts forbidden", |bencher| {
        bencher.iter(|| black_box(forbidding.run(&mut |_| (), &CancelToken::NEVER)));
    });
    group.finish();
}

/// Makes a million system calls that Landlock does not check, so that their additional time when
/// confined is that of the seccomp filter, which checks each.
fn call_the_system(criterion: &mut Criterion) {
    let shell =
        ShellProgram::find(std::env::var_os("PATH").as_deref()).expect("a shell to measure with");
    let directory = std::env::temp_dir();
    let environment = CommandEnvironment::from_inherited(std::env::vars_os());
    let bytes = "dd if=/dev/zero of=/dev/null bs=1 count=500000 2>&1";
    let command = ShellCommand::new(bytes, &directory, environment, shell);
    let sandbox = Some(Sandbox::from_writable([directory]));
    let confined = ShellCommand { sandbox, ..command.clone() };
    let mut group = criterion.benchmark_group("a million system calls");
    group.sample_size(20);
    for (name, command) in [("run", command), ("run confined", confined)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(command.run(&mut |_| (), &CancelToken::NEVER)));
        });
    }
    group.finish();
}

criterion_group!(benches, run_true, call_the_system);
criterion_main!(benches);
