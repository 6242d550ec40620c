//! Bash and related shells.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::language_spec::{
    DEFAULT_SPEC, LanguageSpec, NodeContext, NodeRole, ParsedImport, RoleTable, name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("function_definition", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("declaration_command", NodeRole::Wrapper),
    ("variable_assignment", NodeRole::Contextual(assignment_role)),
    ("command", NodeRole::Contextual(command_role)),
    ("command_name", NodeRole::CallName),
    ("variable_name", NodeRole::Name),
    ("compound_statement", NodeRole::Body),
    ("do_group", NodeRole::Body),
    ("if_statement", NodeRole::Body),
    ("case_statement", NodeRole::Body),
    ("array", NodeRole::Items),
    ("string_content", NodeRole::Skip),
    ("raw_string", NodeRole::Skip),
    ("heredoc_body", NodeRole::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    crate::language_spec::body_or_value(node)
}

/// Excludes variables that are set for a single command.
fn assignment_role(site: &NodeContext<'_>) -> NodeRole {
    match site.parent_kind {
        "program" | "" | "declaration_command" => {
            NodeRole::Bind(EntityKind::Constant, name_from_field)
        }
        _ => NodeRole::Plain,
    }
}

fn command_role(site: &NodeContext<'_>) -> NodeRole {
    match site.field("name").map(|name| site.text_of(name)) {
        Some("source" | ".") => NodeRole::Import,
        _ => NodeRole::Plain,
    }
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let path = text.split_whitespace().nth(1).map(|path| path.trim_matches(['"', '\'']));
    path.map(|path| (path.to_owned(), Vec::new())).into_iter().collect()
}
