//! How many arenas of memory a gateway has.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::served::Served;
use crate::world::World;

#[test]
fn a_gateway_has_one_arena_unless_it_is_told_how_many() {
    let world = World::new("gateway_arena");
    let arenas = |variables: &[(&str, &str)]| {
        let served = Served::start_with(&world, &[], None, variables);
        // It began once more, as the same process.
        let told = fs::read(format!("/proc/{}/environ", served.process())).expect("Linux");
        served.stop();
        let told = String::from_utf8_lossy(&told).into_owned();
        let all = told.split('\0').filter_map(|told| told.strip_prefix("MALLOC_ARENA_MAX="));
        all.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(arenas(&[]), ["1"]);
    assert_eq!(arenas(&[("MALLOC_ARENA_MAX", "3")]), ["3"]);
    assert!(arenas(&[("GLIBC_TUNABLES", "glibc.malloc.arena_max=2")]).is_empty());
}

#[test]
fn a_loader_is_not_started_in_its_place() {
    let loader = Path::new("/lib64/ld-linux-x86-64.so.2");
    if !loader.exists() {
        return;
    }
    let world = World::new("gateway_loader");
    let mut command = Command::new(loader);
    command.arg(env!("CARGO_BIN_EXE_foveal")).args(["serve", "--listen", "0"]);
    command.env_clear().env("HOME", world.folder.join("home")).current_dir(&world.folder);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut said = String::new();
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    lines.read_line(&mut said).expect("text");
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    assert!(said.starts_with("listening at "), "{said}");
}
