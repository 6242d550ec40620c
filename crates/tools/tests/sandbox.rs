//! What commands can write and how much they can print.

use std::fs;
use std::sync::Arc;

use foveal_index::Index;
use foveal_sandbox::{CommandEnvironment, Confinement, Sandbox, ShellProgram};
use foveal_store::SqliteStore;
use foveal_tools::settings::ToolSettings;
use foveal_tools::toolbox::CommandRuntime;
use foveal_tools::{CallControl, ToolRequest, ToolSession, Toolbox};
use foveal_transcript::CancelToken;
use foveal_workspace::WorkspaceRoots;
use serde_json::json;

use crate::world::World;

#[test]
fn commands_write_in_the_workspace_alone() {
    let available = Confinement::detect();
    if !matches!(available, Ok(Confinement::Full)) {
        eprintln!("skipped: {available:?}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (work, outside) = (folder.path().join("work"), folder.path().join("outside"));
    for place in [&work, &outside] {
        fs::create_dir(place).unwrap();
        fs::write(place.join("old"), "old").unwrap();
    }
    std::os::unix::fs::symlink(&outside, work.join("link")).unwrap();
    let path = std::env::var_os("PATH");
    let host = CommandRuntime {
        environment: CommandEnvironment::from_inherited(
            path.clone().map(|path| ("PATH".into(), path)),
        ),
        shell: ShellProgram::find(path.as_deref()).unwrap(),
        sandbox: Some(
            Sandbox::default()
                .with_required_confinement()
                .with_roots(std::slice::from_ref(&work), &[])
                .unwrap(),
        ),
        guard: None,
    };
    let (roots, base) = (WorkspaceRoots::open(&[&work]).unwrap(), work.clone());
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let open = Box::new(move || Index::in_memory(&work, None));
    let toolbox = Arc::new(Toolbox::new(roots, store, open, host, ToolSettings::default()));
    let session = ToolSession::new(&toolbox, "confined");
    let run = |tool: &str, command: &str| {
        session.call(&ToolRequest::new(tool, json!({ "command": command })), &CallControl::NONE)
    };
    let refused = [
        "echo x > ../outside/new",
        "echo x >> ../outside/old",
        "echo x > link/new",
        "rm ../outside/old",
        "rm -rf ../outside",
        "mv ../outside/old .",
        "mkdir ../outside/folder",
        "ln -s x ../outside/symbolic",
        "ln old ../outside/hard",
        "truncate -s 0 ../outside/old",
        "cd .. && echo x > outside/new",
        "sh -c 'sh -c \"echo x > ../outside/new\"'",
        "(echo x > ../outside/new) & wait $!",
    ];
    for command in refused {
        let answer = run("bash", command);
        let names: Vec<_> =
            fs::read_dir(&outside).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["old"], "{command}: {}", answer.text);
        assert_eq!(fs::read_to_string(outside.join("old")).unwrap(), "old", "{command}");
        assert!(answer.is_error, "{command}: {}", answer.text);
    }
    run("exec", "echo x > ../outside/new; echo done");
    assert!(!outside.join("new").exists());
    let answer = run("bash", "echo y > new && cat new ../outside/old");
    assert_eq!(answer.text, "y\nold");

    // Whoever puts another folder in the place of the root ends the right to run.
    fs::rename(&base, folder.path().join("moved")).unwrap();
    std::os::unix::fs::symlink(&outside, &base).unwrap();
    for tool in ["bash", "exec"] {
        let answer = run(tool, "echo x > new");
        assert!(answer.is_error && answer.text.contains("replaced"), "{}", answer.text);
    }
    assert!(!outside.join("new").exists());
}

#[test]
fn endless_output_is_stopped() {
    let world = World::new();
    for command in ["yes", "cat /dev/zero", "tr '\\0' x < /dev/zero", "yes 1>&2"] {
        let answer = world.ask("bash", json!({ "command": command, "timeout": 2 }));
        assert!(answer.is_error, "{command}");
        assert!(answer.text.contains("the process group was killed"), "{command}");
        assert!(answer.text.len() < 100_000, "{command}: {} bytes", answer.text.len());
    }
}

#[test]
fn a_stopped_call_ends() {
    let world = World::new();
    for (tool, arguments) in [
        ("bash", json!({"command": "sleep 600"})),
        ("bash", json!({"command": "trap '' TERM INT HUP; sleep 600 & wait; sleep 600"})),
        ("exec", json!({"command": "sleep 600", "wait_ms": 300_000})),
    ] {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let is_over = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 5;
        let control = CallControl { cancel: &CancelToken::from_fn(&is_over), ..CallControl::NONE };
        let answer = world.session.call(&ToolRequest::new(tool, arguments.clone()), &control);
        assert!(!answer.text.is_empty(), "{arguments}");
    }
}
