//! Outputs that pages show are those of the program.

use super::page::{Page, repository};
use crate::world::World;

/// A page, a command, and how the code block with its output begins.
const OUTPUTS: [(&str, &str, &str); 3] = [
    ("README.md", "replay examples/sessions", "profile "),
    (
        "docs/replay.md",
        "replay examples/sessions --profile balanced",
        "$ foveal replay examples/sessions --profile balanced\n",
    ),
    (
        "docs/how-it-works.md",
        "replay examples/sessions/handle-prefix.json --profile balanced --show 10 --short",
        "04 ",
    ),
];

#[test]
fn replays_print_what_pages_show() {
    for (path, command, start) in OUTPUTS {
        let world = World::new("documentation_outputs");
        let mut program = world.command(command);
        let ran = world.ran(program.current_dir(repository()));
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.err);
        let blocks = Page::read(path).code_blocks();
        let shown = blocks.iter().find(|block| block.text.starts_with(start));
        let shown = shown.unwrap_or_else(|| panic!("{path} has no block that begins `{start}`"));
        for line in shown.text.lines().filter(|line| !line.starts_with(['$', '…'])) {
            assert!(
                ran.out.lines().any(|printed| printed.trim() == line.trim()),
                "{path}: `foveal {command}` does not print\n{line}\nbut\n{}",
                ran.out
            );
        }
    }
}
