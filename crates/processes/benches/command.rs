//! What running a command costs beyond starting its process, side by side.

use std::hint::black_box;
use std::process;

use criterion::{Criterion, criterion_group, criterion_main};
use foveal_cancel::Cancel;
use foveal_processes::{Command, Environment, Guard, Sandbox, Shell};

fn run_true(criterion: &mut Criterion) {
    let shell = Shell::find(std::env::var_os("PATH").as_deref()).expect("a shell to measure with");
    let directory = std::env::temp_dir();
    let environment = Environment::inherited(std::env::vars_os());
    let command = Command::new("true", &directory, environment, shell.clone());
    let sandbox = Some(Sandbox::hold([directory.clone()]));
    let confined = Command { sandbox, ..command.clone() };
    let guard = Guard::at(env!("CARGO_BIN_EXE_foveal-test-guard").into());
    let guarded = Command { guard: Some(guard), ..confined.clone() };
    let mut group = criterion.benchmark_group("true");
    group.bench_function("std::process", |bencher| {
        bencher.iter(|| {
            let mut plain = process::Command::new(shell.path());
            black_box(plain.args(["-c", "true"]).current_dir(&directory).output())
        });
    });
    group.bench_function("run", |bencher| {
        bencher.iter(|| black_box(command.run(&mut |_| (), &Cancel::NEVER)));
    });
    group.bench_function("run confined", |bencher| {
        bencher.iter(|| black_box(confined.run(&mut |_| (), &Cancel::NEVER)));
    });
    group.bench_function("run confined and guarded", |bencher| {
        bencher.iter(|| black_box(guarded.run(&mut |_| (), &Cancel::NEVER)));
    });
    group.finish();
}

criterion_group!(benches, run_true);
criterion_main!(benches);
