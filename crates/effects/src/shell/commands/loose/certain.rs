//! Whether a variable was set by the line before it is used, whatever commands before it do.

use tree_sitter::Node;

use crate::shell::parse::text_of;

/// So far out of a word it is looked; finding what a node stands in takes as long as that is deep.
const DEPTH_MAX: usize = 48;

/// Words with which a line may take a value away, or set it out of sight.
const HIDING: &[&str] = &["unset", "source", "eval", "trap", "read", "local", "nameref"];

/// Whether the shell that gets to the node has set the variable before: by an assignment of its own
/// that stands before on every way, or as the variable of a loop around it.
pub(super) fn is_set_before(node: Node<'_>, name: &str, source: &str) -> bool {
    let mut words = source.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    // `cd` sets two.
    let is_set_by_shell = matches!(name, "PWD" | "OLDPWD");
    if is_set_by_shell || words.any(|word| HIDING.contains(&word)) || source.contains(". ") {
        return false;
    }
    let mut inner = node;
    for _ in 0..DEPTH_MAX {
        let Some(outer) = inner.parent() else { return false };
        let is_set = match outer.kind() {
            "program" | "do_group" | "compound_statement" | "subshell" => {
                is_set_by_earlier(inner, name, source)
            }
            "list" => {
                let left = outer.named_child(0).filter(|left| left.id() != inner.id());
                left.is_some_and(|left| sets(left, is_and(outer), name, source))
            }
            "for_statement" => {
                let variable = outer.child_by_field_name("variable");
                let is_body =
                    outer.child_by_field_name("body").is_some_and(|it| it.id() == inner.id());
                let has_words = outer.child_by_field_name("value").is_some();
                is_body && has_words && variable.is_some_and(|it| text_of(it, source) == name)
            }
            _ => false,
        };
        if is_set {
            return true;
        }
        inner = outer;
    }
    false
}

/// Whether a statement before this one, in the same shell, sets it.
fn is_set_by_earlier(node: Node<'_>, name: &str, source: &str) -> bool {
    let mut before = node.prev_named_sibling();
    while let Some(statement) = before {
        // Behind `&` it runs in a shell of its own.
        let is_beside = statement.next_sibling().is_some_and(|sign| sign.kind() == "&");
        if !is_beside && sets(statement, false, name, source) {
            return true;
        }
        before = statement.prev_named_sibling();
    }
    false
}

/// Whether a statement that has run has set the variable; that it succeeded is known or not.
fn sets(statement: Node<'_>, succeeded: bool, name: &str, source: &str) -> bool {
    let mut statement = statement;
    for _ in 0..DEPTH_MAX {
        match statement.kind() {
            "variable_assignment" => return assigns(statement, name, source),
            "variable_assignments" => {
                let mut cursor = statement.walk();
                return statement
                    .named_children(&mut cursor)
                    .any(|assignment| assigns(assignment, name, source));
            }
            "list" => {
                let (Some(left), Some(right)) =
                    (statement.named_child(0), statement.named_child(1))
                else {
                    return false;
                };
                let is_and = is_and(statement);
                if succeeded && is_and && sets_alone(right, name, source) {
                    return true;
                }
                if !is_and && succeeded {
                    // Either side may be what succeeded.
                    return sets_alone(leftmost(left), name, source);
                }
                statement = left;
            }
            _ => return false,
        }
    }
    false
}

fn sets_alone(statement: Node<'_>, name: &str, source: &str) -> bool {
    statement.kind() == "variable_assignment" && assigns(statement, name, source)
}

/// The statement of a chain that runs whatever else does.
fn leftmost(statement: Node<'_>) -> Node<'_> {
    let mut statement = statement;
    for _ in 0..DEPTH_MAX {
        match statement.named_child(0).filter(|_| statement.kind() == "list") {
            Some(left) => statement = left,
            None => break,
        }
    }
    statement
}

fn assigns(assignment: Node<'_>, name: &str, source: &str) -> bool {
    text_of(assignment, source).split_once('=').is_some_and(|(assigned, _)| assigned == name)
}

fn is_and(list: Node<'_>) -> bool {
    let mut cursor = list.walk();
    list.children(&mut cursor).any(|sign| sign.kind() == "&&")
}
