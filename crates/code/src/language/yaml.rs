//! YAML.

use super::json::key_name;
use crate::entity::EntityKind;
use crate::spec::{PLAIN, Role, Roles, Spec};

pub(super) const SPEC: Spec =
    Spec { grammar: || tree_sitter_yaml::LANGUAGE.into(), roles: &[ROLES], ..PLAIN };

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("block_mapping_pair", Role::Define(EntityKind::Key, key_name)),
    ("block_sequence", Role::Body),
    ("block_scalar", Role::Skip),
    ("flow_node", Role::Skip),
];
