//! Properties of the whole table.

use super::*;

#[test]
fn every_name_stands_once_and_in_lower_case() {
    let mut names: Vec<&str> = Vec::new();
    for kind in TOOL_KINDS {
        assert!(kind.names.is_sorted(), "{:?}", kind.names);
        for name in kind.names {
            assert!(!names.contains(name), "{name} stands twice");
            names.push(name);
            let found = ToolKind::find_by_name(name).expect("a name of the table");
            assert!(found.names.contains(name), "{name} is another kind");
            let lower = name.to_ascii_lowercase();
            let other = ToolKind::find_by_name(&lower).map(|other| other.action);
            assert!(
                *name == lower || other.is_some_and(|action| action != kind.action),
                "{name} needs no capitals"
            );
        }
    }
    assert!(ToolKind::find_by_name("inspect").is_none());
}

/// A call that changes something may be answered from an earlier one only if its arguments state
/// the resulting content. Read-only tools use no rule that is meant for other kinds.
#[test]
fn every_kind_has_a_rule_that_fits_what_it_does() {
    for kind in TOOL_KINDS {
        let is_right = match (kind.is_read_only, kind.similarity) {
            (_, SimilarityRule::Never) => true,
            (true, rule) => rule != SimilarityRule::CONTENT && rule != SimilarityRule::EDITS,
            (false, rule) => match kind.action {
                ToolAction::Write => rule == SimilarityRule::CONTENT,
                ToolAction::Edit => rule == SimilarityRule::EDITS,
                _ => false,
            },
        };
        assert!(is_right, "{kind:?}");
        let runs = matches!(
            kind.action,
            ToolAction::Shell | ToolAction::PersistentShell | ToolAction::Run
        );
        assert!(
            !runs || (kind.similarity == SimilarityRule::Never && !kind.is_read_only),
            "{kind:?}"
        );
        let reads =
            matches!(kind.action, ToolAction::Read | ToolAction::ReadLines | ToolAction::ReadMany);
        assert_eq!(reads, kind.similarity == SimilarityRule::Lines, "{kind:?}");
    }
}
