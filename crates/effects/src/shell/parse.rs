//! The one place where the grammar of bash is asked.

use foveal_parser_runtime::{Node, Parser, Tree};

/// Longer command lines are not parsed.
const COMMAND_BYTES_MAX: usize = 64 * 1024;
/// `bash -c` within `bash -c` is followed this far.
const SHELLS_MAX: u8 = 3;

/// A command line and the grammar's tree of it, which tells by its nodes where anything was
/// not understood.
pub(super) struct Parsed<'a> {
    pub(super) source: &'a str,
    tree: Tree,
}

impl<'a> Parsed<'a> {
    /// Parses `source`, a script within so many others; `None` if it is too long or too deep.
    pub(super) fn of(source: &'a str, shells: u8) -> Option<Self> {
        if source.len() > COMMAND_BYTES_MAX || shells > SHELLS_MAX {
            return None;
        }
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
        let tree = parser.parse(masked(source), None)?;
        Some(Self { source, tree })
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }
}

/// `command` with every byte that is not plain ASCII text replaced by a letter.
///
/// To a shell such a byte is a letter like any other, and the grammar's hand-written scanner
/// is not safe with all of them. Lengths stay, so places in the tree are places in `command`.
fn masked(command: &str) -> Vec<u8> {
    let plain = |byte: u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    command.bytes().map(|byte| if plain(byte) { byte } else { b'_' }).collect()
}

/// The text of `source` that a node of its tree stands for.
pub(super) fn text_of<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The operator of a redirection (`>`, `<&`, …) and the words after it; a shell takes all but
/// the first for words of the command.
pub(super) fn redirection<'t, 'a>(node: Node<'t>, source: &'a str) -> (&'a str, Vec<Node<'t>>) {
    let mut cursor = node.walk();
    let operator = node.children(&mut cursor).find(|child| !child.is_named());
    let operator = operator.map_or("", |child| text_of(child, source));
    (operator, node.children_by_field_name("destination", &mut cursor).collect())
}
