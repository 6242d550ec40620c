//! Whether a variable was set by the line before it is used, whatever commands before it do.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use crate::shell::parse::text_of;

/// Statements joined to one that are followed.
const JOINED_MAX: usize = 48;
/// Parts of a line that are noted for one variable.
const PARTS_MAX: usize = 32;

/// Words with which a line may take a value away, or set it out of sight.
const HIDING: &[&str] = &["unset", "source", "eval", "trap", "read", "local", "nameref"];

/// The parts of a line in which variables are set for sure.
#[derive(Debug, Default)]
pub(super) struct Certain {
    parts: HashMap<String, Vec<Range<usize>>>,
}

impl Certain {
    /// Those of a line: behind assignments of the same shell that stand before on every way, and in
    /// loops over a variable.
    pub(super) fn of(root: Node<'_>, source: &str) -> Certain {
        let mut certain = Certain::default();
        let mut words = source.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
        if !source.contains('$')
            || source.contains(". ")
            || words.any(|word| HIDING.contains(&word))
        {
            return certain;
        }
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            certain.note(node, source);
            let mut cursor = node.walk();
            waiting.extend(node.named_children(&mut cursor));
        }
        certain
    }

    /// Whether the variable is set for sure at a place.
    pub(super) fn has(&self, name: &str, place: usize) -> bool {
        let parts = self.parts.get(name);
        parts.is_some_and(|parts| parts.iter().any(|part| part.contains(&place)))
    }

    fn note(&mut self, node: Node<'_>, source: &str) {
        match node.kind() {
            "program" | "do_group" | "compound_statement" | "subshell" => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
                for (at, child) in children.iter().enumerate().filter(|(_, it)| it.is_named()) {
                    // Behind `&` it runs in a shell of its own.
                    let is_beside = children.get(at + 1).is_some_and(|sign| sign.kind() == "&");
                    if !is_beside {
                        self.note_set(*child, false, child.end_byte()..node.end_byte(), source);
                    }
                }
            }
            "list" => {
                if let (Some(left), Some(right)) = (node.named_child(0), node.named_child(1)) {
                    self.note_set(left, is_and(node), right.byte_range(), source);
                }
            }
            "for_statement" => {
                let variable = node.child_by_field_name("variable");
                let body = node.child_by_field_name("body");
                let has_words = node.child_by_field_name("value").is_some();
                if let (Some(variable), Some(body), true) = (variable, body, has_words) {
                    self.add(text_of(variable, source), body.byte_range());
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, name: &str, part: Range<usize>) {
        // `cd` sets two of its own.
        if matches!(name, "PWD" | "OLDPWD") {
            return;
        }
        let parts = self.parts.entry(name.to_owned()).or_default();
        let is_known = |known: &Range<usize>| known.start <= part.start && part.end <= known.end;
        if parts.len() < PARTS_MAX && !parts.iter().any(is_known) {
            parts.push(part);
        }
    }

    /// Notes what a statement has set in this part, which is run after it; that it succeeded is known
    /// or not.
    fn note_set(&mut self, statement: Node<'_>, succeeded: bool, part: Range<usize>, source: &str) {
        let (mut statement, mut succeeded) = (statement, succeeded);
        for _ in 0..JOINED_MAX {
            match statement.kind() {
                "variable_assignment" => return self.assigned(statement, part, source),
                "variable_assignments" => {
                    let mut cursor = statement.walk();
                    for assignment in statement.named_children(&mut cursor) {
                        self.assigned(assignment, part.clone(), source);
                    }
                    return;
                }
                "list" => {
                    let right = statement.named_child(1);
                    let right = right.filter(|it| it.kind() == "variable_assignment");
                    succeeded &= is_and(statement);
                    if let (Some(right), true) = (right, succeeded) {
                        self.assigned(right, part.clone(), source);
                    }
                    let Some(left) = statement.named_child(0) else { return };
                    statement = left;
                }
                _ => return,
            }
        }
    }

    fn assigned(&mut self, assignment: Node<'_>, part: Range<usize>, source: &str) {
        if let Some((name, _)) = text_of(assignment, source).split_once('=') {
            self.add(name, part);
        }
    }
}

fn is_and(list: Node<'_>) -> bool {
    list.child(1).is_some_and(|sign| sign.kind() == "&&")
}
