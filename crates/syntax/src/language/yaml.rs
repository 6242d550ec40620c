//! YAML.

use super::json::key_name;
use crate::entity::EntityKind;
use crate::language_spec::{DEFAULT_SPEC, LanguageSpec, NodeRole, RoleTable};

pub(super) const SPEC: LanguageSpec =
    LanguageSpec { grammar: || tree_sitter_yaml::LANGUAGE.into(), roles: &[ROLES], ..DEFAULT_SPEC };

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("block_mapping_pair", NodeRole::Define(EntityKind::Key, key_name)),
    ("block_sequence", NodeRole::Body),
    ("block_scalar", NodeRole::Skip),
    ("flow_node", NodeRole::Skip),
];
