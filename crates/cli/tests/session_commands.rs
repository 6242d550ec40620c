//! Commands about one session.

use crate::world::{World, session};

fn world(test: &str) -> World {
    let world = World::new(test);
    world.write("one.json", session("one"));
    world
}

#[test]
fn show_marks_what_was_replaced() {
    let world = world("show_prompt");
    let short = world.output("replay one.json --profile lossless --show 6 --short");
    let lines: Vec<&str> = short.lines().collect();
    assert!(
        lines[0].starts_with("request 6 of 6 with `lossless`: 11 messages in one, "),
        "{short}"
    );
    assert_eq!(lines[1], "+ not read from the cache   ~ foveal's words in place of the original");
    assert!(lines[2].starts_with("  01 user make the third value larger "), "{short}");
    assert!(lines[4].starts_with("  03 tool_result read: Read"), "{short}");
    assert!(lines[12].starts_with("+ 11 tool_result read: Read"), "{short}");
    assert!(lines[12].contains("t -> pointer to 03, 07 (rule shown, "), "{short}");
    assert!(lines[12].contains(", handle "), "{short}");
    assert_eq!(lines.len(), 13, "{short}");

    let full = world.output("replay one.json --profile lossless --show 6");
    assert!(full.lines().any(|line| line.starts_with("~ ")), "{full}");
    assert!(!full.contains('\u{1b}'), "no colour without a terminal");
    let diff = world.output("replay one.json --profile lossless --show 6 --diff");
    assert!(diff.contains("  --- original\n  +++ projected\n"), "{diff}");
}

#[test]
fn show_lists_turns_and_shows_one() {
    let world = world("show_session");
    let all = world.output("show one.json");
    assert!(
        all.starts_with("one, agent Claude Code: 6 turns, 12 messages\n  01 user make"),
        "{all}"
    );
    assert!(all.contains("turn 2\n  04 assistant "), "{all}");
    assert!(all.contains("\nhelper, agent Claude Code, of one: 2 turns"), "{all}");
    let turn = world.output("show one.json --turn 2");
    assert!(turn.contains("  [call Edit]\n  {\n    \"file_path\": \"/r/a.rs\""), "{turn}");
    assert!(turn.ends_with("\n  The file was updated.\n"), "{turn}");
    assert_eq!(
        world.run("show one.json --turn 9").err,
        "error: there is no turn 9: `one` has turns 1 to 6\n"
    );
}

#[test]
fn changes_are_listed_by_turn() {
    let world = world("changelog");
    let text = world.output("changelog one.json");
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(lines, [vec!["one"], vec!["turn", "file"], vec!["2", "/r/a.rs"]], "{text}");
}

#[test]
fn files_are_shown_as_they_were() {
    let world = world("file_at");
    let third = |turn: u32| {
        let ran = world.run(&format!("file-at one.json a.rs --turn {turn}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.starts_with(&format!("`/r/a.rs` at turn {turn}: ")), "{}", ran.err);
        ran.out.lines().nth(2).expect("a third line").to_owned()
    };
    assert_eq!(third(1), "    let a_3 = compute_a(3);");
    assert_eq!(third(2), "    let a_3 = compute_a(33);");
    let unknown = world.run("file-at one.json b.rs");
    assert_eq!(unknown.code, Some(2));
    assert_eq!(
        unknown.err,
        "error: no file `b.rs` is read or changed in this session; the known files are\n  /r/a.rs\n"
    );
}

#[test]
fn the_program_tells_its_version_and_how_it_is_used() {
    let world = World::new("usage");
    assert_eq!(world.output("--version"), format!("foveal {}\n", env!("CARGO_PKG_VERSION")));
    let bare = world.run("");
    assert_eq!(bare.code, Some(2));
    assert!(bare.err.contains("Usage: foveal [OPTIONS] <COMMAND>"), "{}", bare.err);
    assert!(world.output("completions bash").contains("_foveal"));
}

#[test]
fn every_command_that_help_lists_has_a_man_page() {
    let world = World::new("man");
    assert!(world.output("man pages/man1").starts_with("wrote the man pages into pages/man1"));
    let help = world.output("--help");
    let commands = help.lines().take_while(|line| *line != "Options:");
    let names = commands.filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty() && name != "help").then_some(name)
    });
    let mut count = 0;
    for name in names {
        let page = world.read(&format!("pages/man1/foveal-{name}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{name}: {page}");
        count += 1;
    }
    assert!(count > 15, "{help}");
    assert!(world.read("pages/man1/foveal.1").contains("foveal\\-replay(1)"));
    assert!(!world.folder.join("pages/man1/foveal-hook.1").exists());
}
