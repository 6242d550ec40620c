//! Commands of an agent cache where nothing is run by others.

use std::process::Command;

use foveal_sandbox::Confinement;
use serde_json::json;

use crate::mcp::called;
use crate::process_cleanup::can_isolate;
use crate::sandbox_absence::kernel::without_calls;
use crate::world::World;

/// What a server says that runs `command`.
fn asked(server: Command, command: &str) -> String {
    called(server, "bash", &json!({ "command": command }), || {})
}

#[test]
fn with_writes_confined_commands_write_only_to_named_folders() {
    for (named, expected) in [("--writable work/target", "target temporary "), ("", "temporary ")] {
        let world = World::new(if named.is_empty() { "writes_nothing" } else { "writes_only" });
        for folder in ["work/docs", "work/target", "home"] {
            world.write(&format!("{folder}/old"), "old");
        }
        let command = "for folder in docs target .; do \
                       echo x 2>&- >$folder/new && echo -n $folder' '; done; \
                       cat >$(mktemp) <<<x && echo -n 'temporary '";
        let arguments = format!("mcp --root work --confine-writes {named}");
        let mut server = world.command(arguments.trim());
        server.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // As where a root lies in the folder for temporary files.
        server.env("TMPDIR", world.folder.join("work"));
        let out = asked(server, command);
        if matches!(Confinement::detect(), Ok(Confinement::Absent { .. })) {
            assert!(out.contains("Landlock"), "{out}");
            continue;
        }
        assert!(out.contains(expected), "{out}");
        assert!(world.folder.join("work/docs/old").exists(), "{out}");
        let is_new = |folder: &str| world.folder.join(folder).join("new").exists();
        let new: Vec<_> = ["work/docs", "work/target", "work"].map(is_new).into();
        assert_eq!(new, [false, !named.is_empty(), false], "{out}");
    }
}

/// What rules forbid to write holds for what commands start too, in whatever way they write.
#[test]
fn rules_about_writing_hold_for_commands() {
    if matches!(Confinement::detect(), Ok(Confinement::Absent { .. })) {
        return;
    }
    // As where the system gives no process mounts of its own.
    without_calls(&[libc::SYS_mount], || rules_hold(false));
    if can_isolate() {
        rules_hold(true);
    }
}

fn rules_hold(is_able: bool) {
    let rule = |subject: &str, verdict: &str| {
        format!(
            "[[permissions]]\ntool = \"*_*\"\nsubject = \"{subject}\"\nverdict = \"{verdict}\"\n\n"
        )
    };
    let forbidden = rule("docs/**", "deny") + &rule("*.lock", "deny");
    let made = forbidden.clone() + &rule("docs/made/**", "allow");
    let named = "--confine-writes --writable work/target --writable work/docs/made";
    // Of `target`, `docs` and `docs/made`, which are written.
    for (test, rules, options, expected) in [
        ("forbidden", &forbidden, "", [true, false, false]),
        ("forbidden_but_a_part", &made, "", [true, false, true]),
        ("forbidden_beside", &forbidden, named, [true, false, false]),
        ("forbidden_around", &made, named, [true, false, true]),
        ("forbidden_in", &made, "--confine-writes --writable work", [true, false, true]),
        ("nothing_forbidden", &String::new(), "", [true, true, true]),
    ] {
        let world = World::new(&format!("{test}_{is_able}"));
        world.write("home/.config/foveal/config.toml", rules);
        for file in ["target/old", "docs/old", "docs/made/old", "a.lock"] {
            world.write(&format!("work/{file}"), "old");
        }
        let command = "d=do; for folder in target ${d}cs ${d}cs/made; do \
                       sh -c 'echo x >$0/new; ln $0/old target/link$$ && echo x >target/link$$; \
                       ln -s ../$0 target/soft$$ && echo x >target/soft$$/new' $folder; \
                       python3 -c 'import sys; open(sys.argv[1] + \"/old\", \"w\")' $folder; \
                       done; mv ${d}cs away; rm *.lo*; echo done";
        let program = world.command("").get_program().to_owned();
        let server = format!("exec \"$0\" mcp --root work {options} 2>said");
        let mut shell = Command::new("sh");
        shell.args(["-c", &server]).arg(program).current_dir(&world.folder).env_clear();
        shell.env("HOME", world.folder.join("home"));
        shell.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let out = asked(shell, command);
        assert!(out.contains("done"), "{out}");
        let said = world.read("said");
        let folder = |name: &str| world.folder.join("work").join(name);
        if rules.is_empty() {
            assert_eq!(said, "");
            assert!(folder("away/new").exists() && !folder("a.lock").exists(), "{out}");
            continue;
        }
        let old = |name: &str| std::fs::read_to_string(folder(name)).unwrap_or_default();
        let is_new = |name: &str| folder(name).join("new").exists();
        assert_eq!(["target", "docs", "docs/made"].map(is_new), expected, "{test}: {out}");
        assert_eq!([old("docs/old"), old("a.lock")], ["old", "old"], "{test}: {out}");
        if !expected[2] {
            assert_eq!(old("docs/made/old"), "old", "{test}: {out}");
        }
        let told = "permission rule 1 (\"*_*\" \"docs/**\") forbids";
        let is_whole = test == "forbidden_beside";
        let is_beside = options != named && !is_able;
        assert_eq!(said.contains(told), is_whole, "{test}: {said}");
        for told in [&said, &out] {
            assert_eq!(told.contains("have mounts of their own here"), is_beside, "{test}: {told}");
        }
    }
}

#[test]
fn commands_write_to_caches_of_their_own_and_not_to_the_users() {
    let world = World::new("caches");
    let folders = [
        "work",
        "home/.cache/pre-commit",
        "home/.cache/uv",
        "home/.npm/_npx",
        "home/.cargo/bin",
        "home/.cargo/registry/src",
        "home/.gradle/wrapper/dists",
        "home/.rustup/toolchains",
        "home/go/pkg/mod/golang.org/toolchain",
        "home/.m2/repository",
    ];
    for folder in folders {
        world.write(&format!("{folder}/own"), "");
    }
    let homes: Vec<String> = folders[1..].iter().map(|path| path.replace("home", "~")).collect();
    let command = format!(
        "for variable in XDG_CACHE_HOME CARGO_HOME npm_config_cache GOMODCACHE GRADLE_USER_HOME \
         PIP_CACHE_DIR UV_CACHE_DIR PRE_COMMIT_HOME; do \
         echo x > ${{!variable}}/new && echo $variable can; done; \
         for folder in {} ~/.cache; do echo x > $folder/new || echo $folder cannot; done 2>&-",
        homes.join(" ")
    );
    let mut server = world.command("mcp --root work");
    server.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    // The folder for temporary files may hold the home folder of this test.
    server.env("TMPDIR", world.folder.join("work"));
    let out = asked(server, &command);
    assert_eq!(out.matches(" can\\n").count(), 8, "{out}");
    if matches!(Confinement::detect(), Ok(Confinement::Absent { .. })) {
        return;
    }
    assert_eq!(out.matches(" cannot\\n").count(), folders.len(), "{out}");
    for folder in &folders[1..] {
        assert!(!world.folder.join(folder).join("new").exists(), "{folder}");
    }
}
