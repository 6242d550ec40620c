//! The first commands of a new user: help, setup, and the server started by hand.

use portable_pty::CommandBuilder;

use crate::terminal::Terminal;
use crate::world::World;

fn start(world: &World, arguments: &[&str]) -> Terminal {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(arguments);
    command.env_clear();
    command.env("HOME", world.folder.join("home"));
    command.env("TERM", "xterm");
    command.cwd(&world.folder);
    Terminal::start(command, (140, 200))
}

/// Commands stand in groups, by what one wants to do.
#[test]
fn help_lists_the_commands_in_groups() {
    let world = World::new("first_help");
    for help in ["--help", "-h", "help"] {
        let shown = world.output(help);
        let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}"));
        let marks = [
            "Save tokens in your agent:\n",
            "\n  wrap ",
            "Look back at sessions:\n",
            "\n  replay ",
            "Search and read code:\n",
            "\n  search ",
            "foveal's own agent:\n",
            "\n  chat ",
            "Set up:\n",
            "\n  init ",
            "Options:\n",
            "--version",
            "`foveal COMMAND --help`",
        ];
        assert!(marks.map(at).is_sorted(), "{shown}");
        assert!(!shown.contains("\n  hook ") && !shown.contains('\x1b'), "{shown}");
    }
    let shown = world.output("serve --help");
    assert!(!shown.contains("Set up:"), "{shown}");
}

#[test]
fn the_server_says_at_a_terminal_what_it_is() {
    let world = World::new("first_mcp");
    let mut terminal = start(&world, &["mcp"]);
    terminal.shows("this is a server for coding agents").shows("run `foveal init`");
    terminal.shows("end with Ctrl+C").types("\x04");
    assert_eq!(terminal.ends(), 0, "{}", terminal.screen());
}

/// All files are summarised, and one question is asked.
#[test]
fn setup_asks_once_and_ends_with_the_next_steps() {
    let world = World::new("first_init");
    let mut terminal = start(&world, &["init", "cursor", "gemini"]);
    terminal.shows("This adds foveal to the settings of 2 agents:");
    terminal.shows("Write these 2 files? (d shows each line) [y/N/d]");
    assert!(!terminal.screen().contains("+  \"mcpServers\""), "{}", terminal.screen());
    terminal.types("d\n").shows("+  \"mcpServers\"").types("y\n");
    terminal.shows("1. restart Cursor and Gemini CLI");
    terminal.shows("2. let the model read some files, then run `foveal stats`");
    terminal.shows("foveal init gemini --allow-read-only");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(terminal.written().matches("[y/N/d]").count(), 2, "{}", terminal.written());
    for path in ["home/.cursor/mcp.json", "home/.gemini/settings.json"] {
        assert!(world.read(path).contains("foveal"), "{path}");
    }
    // What is there already needs no question, and there is nothing to do next.
    let again = world.output("init cursor gemini");
    assert!(again.contains("already set up") && !again.contains("Next:"), "{again}");
    let removed = world.output("init --remove --yes");
    assert!(removed.contains("Next: restart Cursor and Gemini CLI"), "{removed}");
}

#[test]
fn setup_that_is_declined_writes_nothing() {
    let world = World::new("first_init_no");
    let mut terminal = start(&world, &["init", "cursor", "gemini"]);
    terminal.shows("[y/N/d]").types("n\n");
    assert_eq!(terminal.ends(), 0);
    assert!(terminal.screen().contains("Nothing was changed."), "{}", terminal.screen());
    assert!(!terminal.screen().contains("  not changed"), "{}", terminal.screen());
    assert!(!terminal.screen().contains("Next:"), "{}", terminal.screen());
    for path in ["home/.cursor/mcp.json", "home/.gemini"] {
        assert!(!world.folder.join(path).exists(), "{path}");
    }
}
