//! Forbidden parts of writable folders, protected with and without bubblewrap.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Instant;

use foveal_sandbox::{
    CompletedCommand, Confinement, GuardProgram, OutputWait, Sandbox, ShellCommand, ShellProgram,
    TerminalCommand, TerminalLimits, TerminalPool, TerminalSize, WaitControl, WriteProtection,
    WriteRule,
};

use crate::command::{PATIENCE, command, environment, run};
use crate::missing_features::{LANDLOCK_CALLS, without_calls, without_confinement};
use crate::sandbox::{can_confine, can_isolate};

use WriteRule::{Allowed, Forbidden, ForbiddenRenamable};

fn guard() -> Option<GuardProgram> {
    Some(GuardProgram::from_path(PathBuf::from(env!("CARGO_BIN_EXE_foveal-test-guard"))))
}

/// Creates `<folder>/root` with files in it, beside `<folder>/outside`.
struct World {
    folder: tempfile::TempDir,
}

const FILES: [&str; 9] = [
    "root/docs/old",
    "root/docs/in/old",
    "root/docs/made/old",
    "root/Cargo.lock",
    "root/src/old",
    "root/src/deep/gen/old",
    "root/src/deep/old",
    "root/a b/old",
    "outside/old",
];

/// Returns the write rules of its parts.
const PARTS: [(&str, WriteRule); 5] = [
    ("docs", Forbidden),
    ("docs/made", Allowed),
    ("Cargo.lock", Forbidden),
    ("src/deep/gen", Forbidden),
    ("missing", Forbidden),
];

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder of ours");
        for file in FILES {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("ours");
            fs::write(path, "old").expect("ours");
        }
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it is there").join("root")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    fn sandbox(&self) -> Sandbox {
        let parts = PARTS.map(|(path, writing)| (self.at(path), writing));
        Sandbox::from_writable([self.root()]).with_write_rules(parts)
    }

    fn command(&self, text: &str) -> ShellCommand {
        let sandbox = Some(self.sandbox());
        ShellCommand { sandbox, guard: guard(), ..command(text, &self.root()) }
    }

    /// Asserts that no forbidden file has changed.
    #[track_caller]
    fn check_forbidden(&self, why: &str) {
        for file in ["docs/old", "docs/in/old", "Cargo.lock", "src/deep/gen/old"] {
            let text = fs::read_to_string(self.at(file)).unwrap_or_default();
            assert_eq!(text, "old", "{file}: {why}");
        }
        for (folder, held) in [("docs", &["in", "made", "old"][..]), ("src/deep/gen", &["old"])] {
            let mut names: Vec<String> = fs::read_dir(self.at(folder))
                .expect("it is there")
                .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
                .collect();
            names.sort();
            assert_eq!(names, held, "{folder}: {why}");
        }
    }
}

/// Attempts to write forbidden parts, or to replace them.
const WAYS: &[&str] = &[
    "echo x >docs/old",
    "echo x >>docs/in/old",
    "echo x >docs/new",
    "echo x >Cargo.lock",
    "echo x >>Cargo.lock",
    "truncate -s 0 Cargo.lock",
    "sed -i s/old/new/ docs/old",
    "sed -i s/old/new/ Cargo.lock",
    "mv docs away",
    "mv docs/old src/old2",
    "mv docs/in src/in",
    "mv docs docs/made/docs",
    "mv Cargo.lock away",
    "mv src/old Cargo.lock",
    "mv src docs",
    "rm -rf docs",
    "rm -f Cargo.lock",
    "rm -rf src/deep",
    "rmdir src/deep/gen",
    "ln docs/old src/hard && echo x >src/hard",
    "ln Cargo.lock src/hard && echo x >src/hard",
    "ln -s src docs/link",
    "ln -sfn src docs",
    "cp -f src/old docs/old",
    "cp src/old docs/new",
    "cp -rT src docs",
    "mkdir docs/new",
    "mkfifo docs/new",
    "cd docs && echo x >old",
    "cd docs/in && echo x >old; rm old",
    "cd docs/made && echo x >../old; rm -r ../in",
    "mv src/deep src/away && mkdir -p src/deep/gen && echo x >src/deep/gen/old",
    "mv src away && mkdir -p src/deep/gen && echo x >src/deep/gen/old",
    "(cd src && mv deep/gen deep/away; mkdir -p deep/gen; echo x >deep/gen/old)",
    "ln -s docs link && echo x >link/old",
    "ln -s docs/old link && echo x >link",
    "echo x >/proc/self/cwd/docs/old",
    "cd docs && echo x >/proc/self/cwd/old",
    "exec 3<docs; echo x >/proc/self/fd/3/old",
    "exec 3<Cargo.lock; echo x >/proc/self/fd/3",
    "for one in /proc/[0-9]*; do echo x >$one/root$PWD/docs/old; echo x >$one/cwd/docs/old; done",
    "for one in /proc/[0-9]*; do for fd in $one/fd/*; do echo x >$fd/docs/old; echo x >$fd/old; done; done",
    "umount docs; umount -l docs; echo x >docs/old",
    "mount -o remount,bind,rw docs; echo x >docs/old",
    "mount --bind docs src/old; echo x >src/old/old",
    "unshare -Urm sh -c 'umount -l docs; mount -o remount,bind,rw docs; echo x >docs/old'",
    "unshare -m sh -c 'umount -l docs; mount -o remount,bind,rw docs; echo x >docs/old'",
    "nsenter -t $PPID -m sh -c \"echo x >$PWD/docs/old\"; nsenter -t 1 -m sh -c \"echo x >$PWD/docs/old\"",
    "perl -e 'rename \"src\", \"docs\"; open F, \">\", \"docs/old\"; print F \"x\"; unlink \"docs/old\"; link \"docs/old\", \"src/h\" and open F, \">\", \"src/h\"'",
    "python3 -c 'import os; os.replace(\"src/old\", \"Cargo.lock\")'",
    "python3 -c 'import os; os.utime(\"docs/old\"); os.remove(\"docs/old\")'",
    "python3 -c 'import ctypes; c = ctypes.CDLL(None); c.renameat2(-100, b\"src\", -100, b\"docs\", 2); c.mount_setattr(-100, b\"docs\", 0, b\"\", 32); open(\"docs/old\", \"w\")'",
    "python3 -c 'import ctypes, struct; c = ctypes.CDLL(None); c.syscall(442, -100, b\"docs\", 0, struct.pack(\"QQQQ\", 0, 1, 0, 0), 32); open(\"docs/old\", \"w\")'",
    "python3 -c 'import ctypes, os, struct; c = ctypes.CDLL(None); name = {\"x86_64\": 303, \"aarch64\": 264}[os.uname().machine]; h = ctypes.create_string_buffer(struct.pack(\"Ii\", 128, 0), 136); m = ctypes.c_int(); c.syscall(name, -100, b\"docs/old\", h, ctypes.byref(m), 0); os.write(c.syscall(name + 1, os.open(\".\", 0), h, 513), b\"x\")'",
    "git init -q . && git add -f docs Cargo.lock && git -c user.name=a -c user.email=b commit -qm a && git rm -rq docs; git mv Cargo.lock b; git checkout -q --orphan x; git rm -rfq docs; git clean -fdxq docs",
];

fn each_way(check: impl Fn(&World, &CompletedCommand, &str)) {
    for way in WAYS {
        let world = World::new();
        let ran = run(&world.command(&format!("({way}) 2>&1")));
        check(&world, &ran, way);
        world.check_forbidden(&format!("{way}: {}", ran.output.text()));
    }
}

#[test]
fn nothing_is_written_to_what_is_forbidden() {
    if !can_confine() || !can_isolate() {
        return;
    }
    each_way(|_, ran, way| {
        assert_eq!(ran.protection, WriteProtection::ReadOnlyMounts, "{way}");
        assert_eq!(ran.confinement, Some(Confinement::Full), "{way}");
    });
}

#[test]
fn all_beside_it_is_written_as_ever() {
    if !can_confine() || !can_isolate() {
        return;
    }
    let world = World::new();
    let text = "set -e; echo x >new; echo x >src/new; mv src/new src/newer; mkdir -p d/e; \
                mv d src/d; rm -r 'a b'; echo x >docs/made/new; rm docs/made/old; \
                mv src/deep/old src/older; echo x >src/deep/new; mkdir missing; echo x >missing/x; \
                cat docs/old Cargo.lock src/deep/gen/old; [ -O new ] && [ -O Cargo.lock ]; \
                cd docs/made";
    let ran = run(&world.command(text));
    assert_eq!(ran.outcome.to_string(), "exit code 0", "{}", ran.output.text());
    assert_eq!(ran.output.text(), "oldoldold");
    assert_eq!(ran.directory, Some(world.at("docs/made")));
    for new in ["new", "src/newer", "src/d/e", "docs/made/new", "src/older", "src/deep/new"] {
        assert!(world.at(new).exists(), "{new}");
    }
    assert!(!world.at("a b").exists());
    // Another process sees no mounts.
    fs::rename(world.at("docs"), world.at("other")).expect("nothing is mounted here");
    fs::write(world.at("other/old"), "x").expect("nothing is mounted here");
}

#[test]
fn who_runs_a_command_stays_who_it_is() {
    if !can_confine() || !can_isolate() {
        return;
    }
    let world = World::new();
    let text = "id -u; id -g; grep -E '^(CapEff|CapPrm|NoNewPrivs)' /proc/self/status | \
                tr '\\n' ' '; ulimit -n; umask; tr '\\0' ' ' </proc/$PPID/cmdline | cut -d' ' -f2-3";
    let held = run(&world.command(text));
    let free = ShellCommand {
        sandbox: Some(Sandbox::from_writable([world.root()])),
        ..world.command(text)
    };
    assert_eq!(held.protection, WriteProtection::ReadOnlyMounts);
    assert_eq!(held.output.text(), run(&free).output.text());
}

#[test]
fn a_command_with_nothing_forbidden_needs_no_protection() {
    if !can_confine() {
        return;
    }
    let world = World::new();
    let elsewhere = [(world.folder.path().join("outside"), Forbidden), (world.at("no"), Forbidden)];
    let sandbox = Sandbox::from_writable([world.root()]).with_write_rules(elsewhere);
    let ran = run(&ShellCommand { sandbox: Some(sandbox), ..world.command("true") });
    assert_eq!(ran.protection, WriteProtection::None);
}

#[test]
fn a_root_in_a_folder_that_is_written_is_not_swapped() {
    if !can_confine() || !can_isolate() {
        return;
    }
    for way in [
        "cd .. && mv root away && mkdir -p root/docs && echo x >root/docs/old",
        "cd .. && mv root away; ln -s away root; echo x >root/docs/old",
    ] {
        let world = World::new();
        let outer = world.root().parent().expect("it is in one").to_owned();
        let parts = PARTS.map(|(path, writing)| (world.at(path), writing));
        let sandbox = Sandbox::from_writable([outer.clone(), world.root()]).with_write_rules(parts);
        let ran = run(&ShellCommand { sandbox: Some(sandbox), ..world.command(way) });
        assert_eq!(ran.protection, WriteProtection::ReadOnlyMounts);
        assert!(!outer.join("away").exists(), "{way}");
        world.check_forbidden(way);
    }
    // One that somebody else moved is held where it is.
    let world = World::new();
    let command = world.command("echo x >docs/old; mv docs away; echo x >new");
    let moved = world.folder.path().canonicalize().expect("it is there").join("moved");
    fs::rename(world.root(), &moved).expect("ours");
    fs::create_dir_all(world.at("docs")).expect("ours");
    let ran = run(&ShellCommand { directory: moved.clone(), ..command });
    assert_eq!(ran.protection, WriteProtection::ReadOnlyMounts);
    assert!(moved.join("new").exists() && moved.join("docs/old").exists());
    assert_eq!(fs::read_to_string(moved.join("docs/old")).expect("it is there"), "old");
}

#[test]
fn a_link_in_place_of_what_is_forbidden_leads_nowhere() {
    if !can_confine() || !can_isolate() {
        return;
    }
    let world = World::new();
    fs::rename(world.at("docs"), world.at("real")).expect("ours");
    symlink(world.folder.path().join("outside"), world.at("docs")).expect("ours");
    let ran = run(&world.command("echo x >docs/old; echo x >real/old; echo x >Cargo.lock"));
    assert_eq!(ran.protection, WriteProtection::ReadOnlyMounts);
    let read = |path: PathBuf| fs::read_to_string(path).expect("it is there");
    assert_eq!(read(world.folder.path().join("outside/old")), "old");
    assert_eq!(
        (read(world.at("real/old")), read(world.at("Cargo.lock"))),
        ("x\n".into(), "old".into())
    );
}

#[test]
fn a_terminal_is_held_too() {
    if !can_confine() || !can_isolate() {
        return;
    }
    for is_able in [true, false] {
        let world = World::new();
        let check = || in_terminal(&world, is_able);
        if is_able { check() } else { without_calls(&[libc::SYS_mount], check) }
    }
}

fn in_terminal(world: &World, is_able: bool) {
    let terminal = TerminalCommand {
        text: "echo x >docs/old; rm Cargo.lock; mv docs away; echo x >docs/made/new; tty"
            .to_owned(),
        directory: world.root(),
        environment: environment(),
        shell: ShellProgram::find(None).expect("a shell"),
        size: TerminalSize::default(),
        sandbox: Some(world.sandbox()),
        guard: guard(),
    };
    let terminals = TerminalPool::new(TerminalLimits::default());
    let wait = OutputWait { longest: PATIENCE, pause: PATIENCE };
    let started = terminals.start_terminal(&terminal, wait, WaitControl::SILENT, Instant::now());
    let (_, reading) = started.expect("it starts");
    assert!(reading.output.text().contains("/dev/pts"), "{}", reading.output.text());
    let holding = terminals.list()[0].sandbox_status.clone().expect("it is in a sandbox");
    assert_eq!(holding.protection == WriteProtection::ReadOnlyMounts, is_able, "{holding:?}");
    world.check_forbidden("a terminal");
    assert!(world.at("docs/made/new").exists());
}

/// Without mounts, the folders above a forbidden part cannot be changed either.
#[test]
fn without_mounts_only_what_lies_beside_is_given() {
    if !can_confine() {
        return;
    }
    without_calls(&[libc::SYS_mount], || {
        each_way(|_, ran, way| {
            let WriteProtection::SiblingGrants { why } = &ran.protection else {
                panic!("{way}: {ran:?}")
            };
            assert!(why.contains("bwrap") || why.contains("bubblewrap"), "{why}");
        });
        let world = World::new();
        let text = "echo x >'a b/old'; echo x >src/old; echo x >docs/made/new; mkdir 'a b/d'; \
                    mv 'a b/d' docs/made/; cat docs/old; echo x >src/deep/old; \
                    (echo x >new; rm src/old; mv src away; mkdir src/deep/x) 2>/dev/null";
        let ran = run(&world.command(text));
        assert_eq!(ran.output.text(), "old");
        let is_there = ["docs/made/d", "docs/made/new", "src/old", "new", "src/deep/x"];
        let is_there = is_there.map(|name| world.at(name).exists());
        assert_eq!(is_there, [true, true, true, false, false]);
        for (file, text) in [("a b/old", "x\n"), ("src/old", "x\n"), ("src/deep/old", "x\n")] {
            assert_eq!(fs::read_to_string(world.at(file)).expect("it is there"), text, "{file}");
        }
    });
    // However much stands beside it.
    let world = World::new();
    for number in 0..5_000 {
        fs::write(world.at(&format!("file{number}")), "old").expect("ours");
    }
    let text = "for one in file*; do echo x >$one; done; echo x >docs/old";
    let ran = run(&ShellCommand { guard: None, ..world.command(text) });
    assert!(
        matches!(ran.protection, WriteProtection::SiblingGrants { .. }),
        "{:?}",
        ran.protection
    );
    let is_written = |number: &i32| {
        let text = fs::read_to_string(world.at(&format!("file{number}")));
        text.expect("it is there") == "x\n"
    };
    assert_eq!((0..5_000).filter(is_written).count(), 5_000);
    world.check_forbidden("many beside it");
    // Nor is anything lost where nobody guards the command.
    let world = World::new();
    let ran = run(&ShellCommand { guard: None, ..world.command("echo x >docs/old; rm -r docs") });
    assert!(
        matches!(ran.protection, WriteProtection::SiblingGrants { .. }),
        "{:?}",
        ran.protection
    );
    world.check_forbidden("no guard");
}

#[test]
fn what_is_forbidden_as_a_whole_is_not_given() {
    if !can_confine() || !can_isolate() {
        return;
    }
    let world = World::new();
    let parts =
        [("", Forbidden), ("src", Allowed), ("src/deep", ForbiddenRenamable), ("docs/x", Allowed)];
    let sandbox = Sandbox::from_writable([world.root()])
        .with_write_rules(parts.map(|(path, writing)| (world.root().join(path), writing)));
    assert_eq!(sandbox.forbidden_folders().collect::<Vec<_>>(), [world.root().join("")]);
    let text = "echo x >new; rm -r docs Cargo.lock; echo x >src/new; rm -r src/deep";
    let ran = run(&ShellCommand { sandbox: Some(sandbox), ..world.command(text) });
    assert_eq!(ran.protection, WriteProtection::ReadOnlyMounts);
    world.check_forbidden("all is");
    assert!(world.at("src/new").exists() && world.at("src/deep/old").exists());
    assert!(!world.at("new").exists());
}

#[test]
fn without_landlock_mounts_hold_it() {
    if !can_isolate() {
        return;
    }
    without_calls(&LANDLOCK_CALLS, || {
        let world = World::new();
        let mut text = "echo x >docs/old; mv docs away; rm Cargo.lock; umount -l docs; \
                        unshare -Urm umount -l docs; echo x >docs/old; echo x >../outside/new; "
            .to_owned();
        // Root reaches what other commands of root see.
        if !rustix::process::geteuid().is_root() {
            text += "for one in /proc/[0-9]*; do echo x >$one/root$PWD/docs/old; done";
        }
        let ran = run(&world.command(&text));
        assert_eq!(ran.protection, WriteProtection::ReadOnlyMounts);
        assert_eq!(ran.confinement, Some(Confinement::Full));
        world.check_forbidden("no Landlock");
        assert!(!world.folder.path().join("outside/new").exists());
    });
    without_confinement(|| {
        let ran = run(&World::new().command("true"));
        assert!(matches!(ran.confinement, Some(Confinement::Absent { .. })));
        assert!(
            matches!(ran.protection, WriteProtection::Unprotected { .. }),
            "{:?}",
            ran.protection
        );
    });
}

/// The working directory of a process may be below paths that are mounted later.
#[test]
fn a_command_that_starts_in_what_is_forbidden_is_held() {
    if !can_confine() || !can_isolate() {
        return;
    }
    for folder in ["docs", "docs/in", "src/deep/gen", "docs/made", "src/deep"] {
        let world = World::new();
        let text = "echo x >old; echo x >new; rm old; cd ..; cd -; echo x >new";
        let ran = run(&ShellCommand { directory: world.at(folder), ..world.command(text) });
        assert_eq!(ran.protection, WriteProtection::ReadOnlyMounts, "{folder}");
        assert_eq!(ran.directory, Some(world.at(folder)));
        world.check_forbidden(folder);
        let is_free = folder == "docs/made" || folder == "src/deep";
        assert_eq!(world.at(folder).join("new").exists(), is_free, "{folder}");
    }
}

/// A folder is writable only at its own path.
#[test]
fn another_mount_of_the_folder_is_no_way_around() {
    if !can_confine() || !rustix::process::geteuid().is_root() || !can_isolate() {
        return;
    }
    let alone = || {
        #[expect(deprecated, reason = "only the mounts are the thread's own")]
        rustix::thread::unshare(rustix::thread::UnshareFlags::NEWNS).expect("it is root's right");
        let here = rustix::mount::MountPropagationFlags::DOWNSTREAM
            | rustix::mount::MountPropagationFlags::REC;
        rustix::mount::mount_change("/", here).expect("it is root's right");
        let world = World::new();
        let at = |name: &str| world.folder.path().join(name);
        for (shown, place) in [("root", "all"), ("root/docs/in", "part"), ("root/src", "free")] {
            fs::create_dir(at(place)).expect("ours");
            rustix::mount::mount_bind(at(shown), at(place)).expect("it is root's right");
        }
        let text = "echo x >../all/docs/old; echo x >../all/docs/in/old; rm -r ../all/docs; \
                    echo x >../part/old; rm ../part/old; echo x >../all/Cargo.lock; \
                    echo x >../free/new; echo x >../all/new";
        let ran = run(&world.command(text));
        assert_eq!(ran.protection, WriteProtection::ReadOnlyMounts);
        world.check_forbidden("by another mount");
        assert!(!world.at("src/new").exists() && !world.at("new").exists());
    };
    std::thread::scope(|scope| scope.spawn(alone).join().expect("the test holds"));
}
