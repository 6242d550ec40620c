//! Bash and its relatives.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::spec::{Imported, PLAIN, Role, Roles, Site, Spec, name_field};

pub(super) const SPEC: Spec =
    Spec { grammar: || tree_sitter_bash::LANGUAGE.into(), roles: &[ROLES], body, imports, ..PLAIN };

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("function_definition", Role::Define(EntityKind::Function, name_field)),
    ("declaration_command", Role::Wrap),
    ("variable_assignment", Role::Ask(assignment)),
    ("command", Role::Ask(command)),
    ("command_name", Role::CallName),
    ("variable_name", Role::Name),
    ("compound_statement", Role::Body),
    ("do_group", Role::Body),
    ("if_statement", Role::Body),
    ("case_statement", Role::Body),
    ("array", Role::Items),
    ("string_content", Role::Skip),
    ("raw_string", Role::Skip),
    ("heredoc_body", Role::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    crate::spec::body_or_value(node)
}

/// Not the variables that are set for one command.
fn assignment(site: &Site<'_>) -> Role {
    match site.parent {
        "program" | "" | "declaration_command" => Role::Bind(EntityKind::Constant, name_field),
        _ => Role::Plain,
    }
}

fn command(site: &Site<'_>) -> Role {
    match site.field("name").map(|name| site.text_of(name)) {
        Some("source" | ".") => Role::Import,
        _ => Role::Plain,
    }
}

fn imports(text: &str) -> Vec<Imported> {
    let path = text.split_whitespace().nth(1).map(|path| path.trim_matches(['"', '\'']));
    path.map(|path| (path.to_owned(), Vec::new())).into_iter().collect()
}
