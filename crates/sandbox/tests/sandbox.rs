//! The files that a confined command can write. Skipped where the kernel cannot confine.

use std::path::Path;

use foveal_sandbox::{CommandError, Confinement, Sandbox, ShellCommand};
use foveal_transcript::CancelToken;
use landlock::{ABI, AccessFs, LandlockStatus, Ruleset, RulesetAttr as _, RulesetError};

use crate::command::{command, run};

/// Asks the kernel itself, so that a broken sandbox does not skip the tests.
pub(crate) fn can_confine() -> bool {
    let ask = || -> Result<_, RulesetError> {
        Ruleset::default().handle_access(AccessFs::WriteFile)?.create()?.restrict_self()
    };
    let asked = std::thread::spawn(ask).join().expect("it does not panic");
    let can = asked.is_ok_and(|status| {
        matches!(status.landlock, LandlockStatus::Available { effective_abi, .. }
            if effective_abi >= ABI::V3)
    });
    if can {
        assert_eq!(Confinement::detect().expect("it can"), Confinement::Full);
    } else {
        eprintln!("skipped: {:?}", Confinement::detect());
    }
    can
}

/// Asks bubblewrap itself whether commands can have namespaces here.
pub(crate) fn can_isolate() -> bool {
    let isolates = ["--unshare-pid", "--bind", "/", "/", "--proc", "/proc", "true"];
    let asked = std::process::Command::new("bwrap").args(isolates).output();
    let can = asked.as_ref().is_ok_and(|ran| ran.status.success());
    if !can {
        eprintln!("skipped: no bubblewrap, or it cannot make namespaces here: {asked:?}");
    }
    can
}

/// Runs `text` in `<folder>/root`, which may be written, beside `<folder>/outside`, which may not,
/// and compares the exit code and the contents of both folders afterwards.
#[track_caller]
fn check(text: &str, expected: &str) {
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let [root, outside] = ["root", "outside"].map(|name| folder.path().join(name));
    for place in [&root, &outside] {
        std::fs::create_dir(place).expect("a folder of ours");
        std::fs::write(place.join("old"), "old").expect("a folder of ours");
    }
    std::os::unix::fs::symlink("../outside", root.join("link")).expect("a folder of ours");
    let temporary = folder.path().join("temporary");
    std::fs::create_dir(&temporary).expect("a folder of ours");
    let mut command = command(&format!("({text}) 2>/dev/null"), &root);
    command.environment = command.environment.with_variable("TMPDIR", &temporary);
    command.sandbox = Some(Sandbox::from_writable([root.clone(), temporary]));
    let ran = run(&command);
    assert_eq!(ran.confinement, Some(Confinement::Full));
    let seen = format!("{} | {} | {}", ran.outcome, names(&root), names(&outside));
    assert_eq!(seen, expected, "{text}\n{}", ran.output.text());
}

/// Returns `name=content` of the files, ordered by name.
fn names(folder: &Path) -> String {
    let files = std::fs::read_dir(folder).expect("it is there").flatten();
    let mut seen: Vec<String> = files
        .filter(|file| file.file_name() != "link")
        .map(|file| {
            let content = std::fs::read_to_string(file.path()).unwrap_or_default();
            format!("{}={content}", file.file_name().display())
        })
        .collect();
    seen.sort();
    seen.join(" ")
}

#[test]
fn writes_inside_are_allowed() {
    check("printf new >new", "exit code 0 | new=new old=old | old=old");
    check("printf new >old", "exit code 0 | old=new | old=old");
    check("rm old", "exit code 0 |  | old=old");
    check("mkdir d && mv old d/old && mv d/old older", "exit code 0 | d= older=old | old=old");
    check("cat ../outside/old >/dev/null", "exit code 0 | old=old | old=old");
    check("t=$(mktemp) && echo x >$t && rm $t", "exit code 0 | old=old | old=old");
    check("cat ../outside/old >old", "exit code 0 | old=old | old=old");
}

#[test]
fn writes_outside_are_refused() {
    let refused = "exit code 1 | old=old | old=old";
    for text in [
        "cp old ../outside/new",
        "cp old link/new",
        "cp old $PWD/../outside/new",
        "tee ../outside/old <old",
        "rm -f ../outside/old",
        "rm -f link/old",
        "mv ../outside/old old",
        "mv old ../outside/new",
        "ln ../outside/old hard",
        "ln -s x ../outside/soft",
        "mkdir ../outside/d",
        "mkfifo ../outside/fifo",
        "truncate -s 0 ../outside/old",
        "sh -c 'sh -c \"cp old ../outside/new\"'",
        "(cd .. && cp outside/old outside/new)",
        "cp old /proc/self/cwd/../outside/new",
    ] {
        check(text, refused);
    }
}

#[test]
fn a_confined_command_is_followed_like_any_other() {
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let root = folder.path().canonicalize().expect("it is there");
    let sandbox = Some(Sandbox::from_writable([root.clone()]));
    let ran = run(&ShellCommand { sandbox, ..command("mkdir a; cd a; exit 3", &root) });
    assert_eq!(
        (ran.outcome.to_string(), ran.directory),
        ("exit code 3".into(), Some(root.join("a")))
    );
}

#[test]
fn nobody_gains_rights_in_there() {
    if !can_confine() {
        return;
    }
    let command = command("grep NoNewPrivs /proc/self/status", &std::env::temp_dir());
    assert_eq!(run(&command).output.text(), "NoNewPrivs:\t0\n");
    let confined = ShellCommand { sandbox: Some(Sandbox::default()), ..command };
    assert_eq!(run(&confined).output.text(), "NoNewPrivs:\t1\n");
}

#[test]
fn the_program_itself_stays_free() {
    let ((), confinement) = Sandbox::default().run_confined(|| ()).expect("a sandbox");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foveal-sandbox-free");
    std::fs::write(&file, "x").expect("this thread was not confined");
    std::fs::remove_file(&file).expect("this thread was not confined");
    eprintln!("{confinement}");
}

#[test]
fn how_far_it_holds_is_said() {
    let absent = Confinement::Absent { why: "no Landlock here".to_owned() };
    assert_eq!(Confinement::Full.to_string(), "writes and signals are confined by the kernel");
    assert_eq!(absent.to_string(), "writes are not confined: no Landlock here");
}

#[test]
fn what_takes_the_place_of_a_folder_is_not_meant() {
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let at = |name: &str| folder.path().join(name);
    for place in ["root", "outside", "cache"] {
        std::fs::create_dir(at(place)).expect("a folder of ours");
    }
    let sandbox = Some(Sandbox::from_writable([at("root"), at("cache")]));
    for place in ["root", "cache"] {
        std::fs::rename(at(place), at(&format!("moved-{place}"))).expect("a folder of ours");
        std::os::unix::fs::symlink(at("outside"), at(place)).expect("a folder of ours");
    }
    let text = "for name in root cache moved-root moved-cache; do echo x >../$name/new; done";
    let command =
        ShellCommand { sandbox, ..command(&format!("({text}) 2>/dev/null"), &at("outside")) };
    run(&command);
    // What is held is the folder, whatever it is called now.
    let seen = ["outside", "moved-root", "moved-cache"].map(|name| names(&at(name)));
    assert_eq!(seen, ["", "new=x\n", "new=x\n"]);
}

#[test]
fn a_link_that_a_command_may_have_made_is_not_followed() {
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let at = |name: &str| folder.path().join(name);
    for place in ["root", "outside", "other"] {
        std::fs::create_dir(at(place)).expect("a folder of ours");
    }
    for link in ["root/cache", "root/nested", "elsewhere"] {
        std::os::unix::fs::symlink(at("outside"), at(link)).expect("a folder of ours");
    }
    let held = Sandbox::from_writable([at("root/cache"), at("elsewhere"), at("root/missing")]);
    assert_eq!(held.skipped_folders().collect::<Vec<_>>(), [at("root/cache"), at("elsewhere")]);
    let roots = |roots: &[&str], before: &[&str]| {
        let [roots, before] =
            [roots, before].map(|names| names.iter().map(|name| at(name)).collect::<Vec<_>>());
        held.clone().with_roots(&roots, &before)
    };
    for (nested, before) in [(&["root", "root/nested"][..], &[][..]), (&["root/nested"], &["root"])]
    {
        assert_eq!(roots(nested, before).expect_err("a link"), at("root/nested"));
    }
    // A person's own link to a root is followed.
    assert!(roots(&["elsewhere"], &["root"]).is_ok());
    let sandbox = Some(roots(&["root"], &["other"]).expect("no link"));
    let text = "(echo x >cache/new; echo x >new) 2>/dev/null";
    run(&ShellCommand { sandbox, ..command(text, &at("root")) });
    assert_eq!((names(&at("outside")), at("root/new").exists()), (String::new(), true));
}

#[test]
fn writing_can_be_narrowed_to_folders_below_the_roots() {
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let root = folder.path().join("root");
    for place in ["root/docs", "root/target"] {
        std::fs::create_dir_all(folder.path().join(place)).expect("a folder of ours");
        std::fs::write(folder.path().join(place).join("old"), "old").expect("a folder of ours");
    }
    let text = "(cat docs/old >target/new; echo x >docs/old; rm docs/old; mv docs target/docs; \
                mkdir docs/new; ln target/new docs/new; echo x >new) 2>/dev/null; true";
    for (held, in_target) in [(vec![root.join("target")], "new=old old=old"), (vec![], "old=old")] {
        for reads in [None, Some(["/bin", "/lib", "/lib64", "/usr", "/etc", "/dev", "/proc"])] {
            let mut sandbox = Sandbox::from_writable(held.clone()).with_read_only_roots();
            if let Some(reads) = reads {
                sandbox = sandbox.with_readable_folders(reads.map(Into::into));
            }
            let sandbox = sandbox.with_roots(std::slice::from_ref(&root), &[]).expect("no link");
            let ran = run(&ShellCommand { sandbox: Some(sandbox), ..command(text, &root) });
            assert!(ran.outcome.is_success(), "{}", ran.output.text());
            assert_eq!(names(&root.join("docs")), "old=old");
            assert_eq!(names(&root.join("target")), in_target);
            assert!(!root.join("new").exists());
            drop(std::fs::remove_file(root.join("target/new")));
        }
    }
}

#[test]
fn nodes_of_devices_are_not_made() {
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let root = folder.path().to_owned();
    let text = "mknod character c 1 3; mknod block b 7 0; mkfifo pipe";
    let sandbox = Some(Sandbox::from_writable([root.clone()]));
    run(&ShellCommand { sandbox, ..command(&format!("({text}) 2>/dev/null"), &root) });
    let made: Vec<_> = std::fs::read_dir(&root).expect("it is there").flatten().collect();
    let made: Vec<_> = made.iter().map(std::fs::DirEntry::file_name).collect();
    assert_eq!(made, ["pipe"]);
}

/// By number: `CHOWN`, `DAC_OVERRIDE`, `FOWNER`, `FSETID`, `KILL`, `SETGID`, `SETUID`, `SETPCAP`,
/// `NET_BIND_SERVICE`, `SYS_CHROOT`, `AUDIT_WRITE`.
const KEPT_BY_ROOT: u64 = 0x2004_05fb;

#[test]
fn root_keeps_few_rights_whatever_is_inherited() {
    if !can_confine() || !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let root = folder.path().to_owned();
    let rights = |text: &str| -> Vec<u64> {
        let words = text.split_whitespace().filter(|word| word.len() == 16);
        words.map(|word| u64::from_str_radix(word, 16).expect("a set of rights")).collect()
    };
    let sandbox = Some(Sandbox::from_writable([root.clone()]));
    let inherits = move || {
        use rustix::thread::{CapabilitySets, capabilities, set_capabilities};
        let own = capabilities(None).expect("they can be asked");
        let all = CapabilitySets { inheritable: own.permitted, ..own };
        set_capabilities(None, all).expect("root may");
        run(&ShellCommand { sandbox, ..command("grep Cap /proc/self/status", &root) }).output.text()
    };
    let text = std::thread::spawn(inherits).join().expect("it runs");
    let sets = rights(&text);
    assert_eq!(sets.len(), 5, "{text}");
    assert!(sets.iter().all(|set| set & !KEPT_BY_ROOT == 0), "{text}");
    assert_eq!((sets[0], sets[4]), (0, 0), "nothing is inherited: {text}");
    assert_ne!(sets[2] & 1, 0, "owners can be changed: {text}");
}

#[test]
fn root_does_in_its_root_what_builds_and_packages_do() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let text = "mkdir d && chown 1:1 d && chmod 4755 d && chown 0:0 old && \
                setpriv --reuid 1 --clear-groups true && tar cf t.tar d && tar xpf t.tar && rm -r d t.tar";
    check(text, "exit code 0 | old=old | old=old");
}

/// The kernel nests at most sixteen sandboxes.
#[test]
fn nothing_runs_where_the_kernel_fails_to_confine() {
    type Innermost = Box<dyn FnOnce() + Send>;
    fn deeper(sandbox: &Sandbox, levels: u32, innermost: Innermost) {
        if levels == 0 {
            return innermost();
        }
        // A copy that has started nothing yet.
        let inner = sandbox.clone().with_required_confinement();
        let started = sandbox.run_confined(move || deeper(&inner, levels - 1, innermost));
        started.expect("a sandbox in a sandbox");
    }
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let root = folder.path().to_owned();
    let sandbox = Sandbox::from_writable([root.clone(), std::env::temp_dir()]);
    let innermost = Some(sandbox.clone().with_required_confinement());
    let command = ShellCommand { sandbox: innermost, ..command("echo x >new", &root) };
    let run = move || {
        let refused = command.run(&mut |_| (), &CancelToken::NEVER);
        assert!(matches!(refused, Err(CommandError::Unconfined(_))), "{refused:?}");
    };
    deeper(&sandbox, 16, Box::new(run));
    assert!(!root.join("new").exists());
}

#[test]
fn reading_can_be_confined_too() {
    if !can_confine() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder of ours");
    let at = |name: &str| folder.path().join(name);
    for place in ["root", "outside", "named"] {
        std::fs::create_dir(at(place)).expect("a folder of ours");
        std::fs::write(at(place).join("file"), place).expect("a folder of ours");
    }
    let system = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/proc"].map(Into::into);
    let readable = system.into_iter().chain([at("named")]);
    let sandbox = Some(Sandbox::from_writable([at("root")]).with_readable_folders(readable));
    let text = "cat file; cat ../named/file; cat ../outside/file || ls ../outside; \
                echo x >../named/new || echo y >new; cat new";
    let ran =
        run(&ShellCommand { sandbox, ..command(&format!("({text}) 2>/dev/null"), &at("root")) });
    assert_eq!(ran.output.text(), "rootnamedy\n");
}

#[test]
fn the_network_can_be_taken() {
    if !can_confine() {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let folder = tempfile::tempdir().expect("a folder of ours");
    let root = folder.path().to_owned();
    let held = Sandbox::from_writable([root.clone()]);
    let tcp = format!("(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo connected");
    let udp = format!("(echo x >/dev/udp/127.0.0.1/{port}) 2>/dev/null && echo sent");
    let text = format!("{tcp}; {udp}; true");
    for (sandbox, expected) in [(held.clone(), "connected\nsent\n"), (held.without_network(), "")] {
        let mut command = ShellCommand { sandbox: Some(sandbox), ..command(&text, &root) };
        command.shell = foveal_sandbox::ShellProgram::from_path("/bin/bash".into());
        assert_eq!(run(&command).output.text(), expected);
    }
}
