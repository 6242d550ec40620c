//! The only user of the bash grammar.

use foveal_parser_runtime::{Node, Parser, Tree};

/// Longer command lines are not parsed.
const COMMAND_BYTES_MAX: usize = 64 * 1024;
/// The deepest nesting of `bash -c` that is followed.
const SCRIPT_DEPTH_MAX: u8 = 3;

/// A command line and its syntax tree, whose error nodes mark the parts that could not be parsed.
pub(super) struct ParsedScript<'a> {
    pub(super) source: &'a str,
    tree: Tree,
}

impl<'a> ParsedScript<'a> {
    /// Parses `source`, a script nested in `shells` others; `None` if it is too long or nested too
    /// deep.
    pub(super) fn parse(source: &'a str, shells: u8) -> Option<Self> {
        if source.len() > COMMAND_BYTES_MAX || shells > SCRIPT_DEPTH_MAX {
            return None;
        }
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
        let tree = parser.parse(mask_special_bytes(source), None)?;
        Some(Self { source, tree })
    }

    pub(super) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }
}

/// Returns `command` with every byte that is not plain ASCII text replaced by a letter.
///
/// A shell treats such a byte like a letter, and the hand-written scanner of the grammar is not
/// safe with all of them. The length stays, so positions in the tree are positions in `command`.
fn mask_special_bytes(command: &str) -> Vec<u8> {
    let plain = |byte: u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    command.bytes().map(|byte| if plain(byte) { byte } else { b'_' }).collect()
}

/// Returns the text of a node in `source`.
pub(super) fn node_text<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Returns the operator of a redirection (`>`, `<&`, …) and the words after it. A shell takes all
/// but the first as words of the command.
pub(super) fn split_redirection<'t, 'a>(
    node: Node<'t>,
    source: &'a str,
) -> (&'a str, Vec<Node<'t>>) {
    let mut cursor = node.walk();
    let operator = node.children(&mut cursor).find(|child| !child.is_named());
    let operator = operator.map_or("", |child| node_text(child, source));
    (operator, node.children_by_field_name("destination", &mut cursor).collect())
}
