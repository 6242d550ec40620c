//! The page `docs/cli.md`: the help of every command, in the order of `foveal --help`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Command;

use super::Cli;
use super::command_groups::command_position;

const INTRODUCTION: &str = "\
<!-- Generated from the command line by `cargo test -p foveal rewrite_command_reference -- --ignored`. Do not edit. -->

# Commands

This page holds the help of every command, as `foveal COMMAND --help` prints it. All commands also take `--color WHEN` and `--help`.
";

/// Returns the page.
fn command_reference() -> String {
    let mut root = Cli::grouped_command();
    root.build();
    let mut page = INTRODUCTION.to_owned();
    append_sections(&mut page, root, "##");
    page
}

/// Appends a section for `command`, and one level lower those of its subcommands.
fn append_sections(page: &mut String, command: Command, heading: &str) {
    let name = command.get_bin_name().unwrap_or("foveal").to_owned();
    let is_root = name == "foveal";
    let mut subcommands: Vec<Command> = command.get_subcommands().cloned().collect();
    if is_root {
        subcommands.sort_by_key(|subcommand| command_position(subcommand.get_name()));
    }
    // Options of all commands are shown once.
    let mut command = command.mut_args(|argument| {
        let is_shared = argument.is_global_set() || argument.get_id() == "help";
        argument.hide(is_shared && !is_root)
    });
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    write!(page, "\n{heading} {name}\n\n```text\n{}\n```\n", lines.join("\n"))
        .expect("writing to a string cannot fail");
    let is_shown = |one: &Command| !one.is_hide_set() && one.get_name() != "help";
    for subcommand in subcommands.into_iter().filter(is_shown) {
        append_sections(page, subcommand, if is_root { "##" } else { "###" });
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md")
}

#[test]
fn the_page_of_commands_is_current() {
    let page = fs::read_to_string(path()).unwrap_or_default();
    assert!(
        page == command_reference(),
        "docs/cli.md is stale: run `cargo test -p foveal rewrite_command_reference -- --ignored`"
    );
}

#[test]
#[ignore = "writes docs/cli.md"]
fn rewrite_command_reference() {
    fs::write(path(), command_reference()).expect("docs can be written");
}
