//! The groups of `foveal --help`: clap groups options, but not subcommands.

use std::fmt::Write as _;

use clap::Command;

/// A group of commands.
struct CommandGroup {
    title: &'static str,
    names: &'static [&'static str],
}

/// The groups, in the order of help. Each visible command is in one of them.
const COMMAND_GROUPS: [CommandGroup; 5] = [
    CommandGroup { title: "Save tokens in your agent", names: &["wrap", "serve", "mcp", "stats"] },
    CommandGroup {
        title: "Look back at sessions",
        names: &["replay", "sessions", "show", "changelog", "file-at", "expand", "export"],
    },
    CommandGroup {
        title: "Search and read code",
        names: &["search", "grep", "read", "outline", "graph", "map", "index"],
    },
    CommandGroup { title: "foveal's own agent", names: &["chat", "run", "rewind", "models"] },
    CommandGroup {
        title: "Set up",
        names: &["init", "doctor", "config", "trust", "permissions", "completions", "man"],
    },
];

/// The help around the groups.
const HELP_HEAD: &str = "{about-with-newline}\n{usage-heading} {usage}\n\n";
const HELP_TAIL: &str = "\
Options:
{options}

`foveal COMMAND --help` describes a command. To begin, see what your recorded sessions would have
cost (`foveal replay`), or set up your agents (`foveal init`).";

/// Returns the command line whose help shows its commands in groups.
pub(super) fn group_commands(command: Command) -> Command {
    let header = command.get_styles().get_header();
    let tail = HELP_TAIL.replace("Options:", &format!("{header}Options:{header:#}"));
    let commands = render_groups(&command);
    command.help_template(format!("{HELP_HEAD}{commands}{tail}"))
}

/// Returns the position of a command in help.
#[cfg(test)]
pub(super) fn command_position(name: &str) -> Option<usize> {
    COMMAND_GROUPS.iter().flat_map(|group| group.names).position(|known| *known == name)
}

fn render_groups(command: &Command) -> String {
    let names = COMMAND_GROUPS.iter().flat_map(|group| group.names);
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let (header, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let mut text = String::new();
    for CommandGroup { title, names } in &COMMAND_GROUPS {
        writeln!(text, "{header}{title}:{header:#}").expect("writing to a string cannot fail");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            writeln!(text, "  {literal}{name:width$}{literal:#}  {about}")
                .expect("writing to a string cannot fail");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::commands::Cli;

    #[test]
    fn each_visible_command_is_in_one_group() {
        let mut grouped: Vec<&str> =
            COMMAND_GROUPS.iter().flat_map(|group| group.names).copied().collect();
        grouped.sort_unstable();
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
        let mut visible: Vec<&str> = visible.map(Command::get_name).collect();
        visible.sort_unstable();
        assert_eq!(grouped, visible);
    }
}
