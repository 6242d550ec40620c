//! Permission rules at a person's shell.

use crate::world::{Ran, World};

const CONFIG: &str = "home/.config/foveal/config.toml";

fn repository(test: &str) -> World {
    let world = World::new(test);
    world.write("work/.git/HEAD", "");
    world.write("work/src/a.rs", "pub fn kept() {}\n\npub fn caller() {\n    kept()\n}\n");
    world.write("work/src/private.rs", "pub fn hidden() {\n    kept()\n}\n");
    world.write("work/src/.env", "KEY=1\n");
    world.write("other/b.rs", "pub fn far() {}\n");
    world
}

fn run(world: &World, arguments: &str) -> Ran {
    let mut command = world.command(arguments);
    world.ran(command.current_dir(world.folder.join("work")))
}

/// A rule as a refusal prints it.
fn rule(tool: &str, subject: &str) -> String {
    format!("[[permissions]]\ntool = \"{tool}\"\nsubject = \"{subject}\"\nverdict = \"allow\"\n")
}

/// What is refused says which lines would allow it, and they do.
#[test]
fn the_lines_of_a_refusal_allow_what_was_refused() {
    let world = repository("rules_lines");
    let other = format!("{}/other/b.rs", world.folder.display());
    for (arguments, tool, subject, shown) in [
        ("read src/.env", "read_file", "src/.env", "src/.env"),
        ("read src/.env --lines 1", "read_lines", "src/.env", "src/.env"),
        ("outline src/.env", "outline", "src/.env", "src/.env"),
        ("read ../other/b.rs", "read_file", &other, "other/b.rs"),
        ("outline ../other/b.rs", "outline", &other, "other/b.rs"),
        ("grep far ../other/b.rs", "grep", &other, "other/b.rs"),
    ] {
        world.write(CONFIG, "");
        let Ran { code, out, err } = run(&world, arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}: {err}");
        let lines = rule(tool, shown);
        assert!(err.contains("it needs the user's permission"), "{arguments}: {err}");
        assert!(err.ends_with(&format!("add to `{CONFIG}`:\n{lines}")), "{arguments}: {err}");
        world.write(CONFIG, rule(tool, subject));
        let allowed = run(&world, arguments);
        assert_eq!(allowed.code, Some(0), "{arguments}: {}", allowed.err);
        // The last rule counts.
        world.write(CONFIG, rule(tool, subject).replace("allow", "deny"));
        let denied = run(&world, arguments);
        assert_eq!(denied.code, Some(2), "{arguments}");
        let why =
            format!("a permission rule forbids it (no. 1: \"{tool}\" \"{shown}\"); to allow it");
        assert!(denied.err.contains(&why), "{arguments}: {}", denied.err);
        world.write(CONFIG, rule(tool, subject).replace("allow", "deny") + &rule(tool, subject));
        assert_eq!(run(&world, arguments).code, Some(0), "{arguments}");
    }
}

#[test]
fn a_file_of_the_system_is_not_read_unasked() {
    let world = repository("rules_system");
    for arguments in ["read /etc/passwd", "grep root /etc/passwd", "outline /etc/passwd"] {
        let ran = run(&world, arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments}");
        assert!(ran.err.contains("outside of the folder that you work in"), "{}", ran.err);
    }
    // A rule for everything does not open other folders; one for a folder does.
    world.write(CONFIG, rule("*", "*"));
    assert_eq!(run(&world, "read /etc/passwd").code, Some(2));
    world.write(CONFIG, rule("read_file", "/etc/**"));
    assert_eq!(run(&world, "read /etc/passwd").code, Some(0));
    // Passwords are more than a file of another folder, also from within that folder.
    let shadow = run(&world, "read /etc/shadow");
    assert!(shadow.err.contains("(it may hold passwords or tokens)"), "{}", shadow.err);
    world.write(CONFIG, "");
    let mut within = world.command("read shadow");
    let within = world.ran(within.current_dir("/etc"));
    assert!(within.err.contains("(it may hold passwords or tokens)"), "{}", within.err);
}

/// Within the working copy rules name paths from its top on, wherever the shell is.
#[test]
fn rules_are_about_paths_from_the_top() {
    let world = repository("rules_top");
    world.write(CONFIG, rule("read_*", "src/private*").replace("allow", "deny"));
    for (folder, arguments) in [("work", "read src/private.rs"), ("work/src", "read private.rs")] {
        let mut command = world.command(arguments);
        let ran = world.ran(command.current_dir(world.folder.join(folder)));
        assert!(ran.err.contains("a permission rule forbids it"), "{arguments}: {}", ran.err);
    }
    let mut command = world.command("read ../src/a.rs");
    let ran = world.ran(command.current_dir(world.folder.join("work/.git")));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

/// What the rules hide from a model, commands that read the index do not show either.
#[test]
fn searches_maps_and_graphs_obey() {
    let world = repository("rules_index");
    let hidden = |tool: &str| rule(tool, "src/private*").replace("allow", "deny");
    world.write(CONFIG, hidden("search_code") + &hidden("map") + &hidden("graph"));
    for arguments in ["search hidden", "map", "graph kept", "graph kept --json"] {
        let ran = run(&world, arguments);
        assert!(!ran.out.contains("hidden"), "{arguments}: {}", ran.out);
    }
    assert!(run(&world, "graph hidden").err.contains("nothing is called `hidden`"));
    for (tool, arguments) in [
        ("search_code", "search kept"),
        ("map", "map"),
        ("graph", "graph kept"),
        ("expand", "expand 0123456789ab"),
    ] {
        world.write(CONFIG, rule(tool, "*").replace("allow", "deny"));
        let ran = run(&world, arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments}");
        assert!(ran.err.contains("a permission rule forbids it"), "{arguments}: {}", ran.err);
    }
}
