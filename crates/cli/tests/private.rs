//! Who may read what the program keeps.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::world::{World, file_text};

/// All files and folders below `folder`, and itself.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut all = vec![folder.to_owned()];
    let mut at = 0;
    while let Some(path) = all.get(at).cloned() {
        if let Ok(entries) = fs::read_dir(path) {
            all.extend(entries.flatten().map(|entry| entry.path()));
        }
        at += 1;
    }
    all
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// Runs the program as somebody does whose new files everybody may read and write.
fn run(world: &World, arguments: &str) {
    let whole = world.command(arguments);
    let mut command = Command::new("sh");
    command.args(["-c", "umask 000; exec \"$0\" \"$@\""]).arg(whole.get_program());
    command.args(whole.get_args()).current_dir(&world.folder).env_clear();
    command
        .env("HOME", world.folder.join("home"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let ran = world.ran(&mut command);
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.err);
}

#[test]
fn nobody_else_may_read_what_is_kept() {
    let world = World::new("private");
    world.write("src/a.rs", file_text("a", 400));
    let own = world.folder.join("home/.local/share/foveal");
    for round in ["made", "made wider by others"] {
        for arguments in ["read src/a.rs", "grep let src", "search compute", "index"] {
            run(&world, arguments);
        }
        let all = below(&own);
        assert!(all.iter().any(|path| path.ends_with("store.db")), "{all:?}");
        assert!(
            all.iter().any(|path| path.parent().is_some_and(|at| at.ends_with("index"))),
            "{all:?}"
        );
        for path in &all {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(path), expected, "{round}: {}", path.display());
        }
        for path in &all {
            let wider = if path.is_dir() { 0o755 } else { 0o644 };
            fs::set_permissions(path, fs::Permissions::from_mode(wider)).expect("it is ours");
        }
    }
}
