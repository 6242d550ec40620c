//! The table as a whole.

use super::*;

#[test]
fn every_name_stands_once_and_in_lower_case() {
    let mut names: Vec<&str> = Vec::new();
    for kind in TOOL_KINDS {
        assert!(kind.names.is_sorted(), "{:?}", kind.names);
        for name in kind.names {
            assert!(!names.contains(name), "{name} stands twice");
            names.push(name);
            let found = ToolKind::of(name).expect("a name of the table");
            assert!(found.names.contains(name), "{name} is another kind");
            let lower = name.to_ascii_lowercase();
            let other = ToolKind::of(&lower).map(|other| other.action);
            assert!(
                *name == lower || other.is_some_and(|action| action != kind.action),
                "{name} needs no capitals"
            );
        }
    }
    assert!(ToolKind::of("inspect").is_none());
}

/// What changes something is answered from an earlier call only where that says what is
/// there afterwards; what only looks has no rule that another kind needs.
#[test]
fn every_kind_has_a_rule_that_fits_what_it_does() {
    for kind in TOOL_KINDS {
        let is_right = match (kind.is_read_only, kind.similarity) {
            (_, Same::Never) => true,
            (_, Same::Generic) => false,
            (true, rule) => rule != Same::CONTENT && rule != Same::EDITS,
            (false, rule) => match kind.action {
                Action::Write => rule == Same::CONTENT,
                Action::Edit => rule == Same::EDITS,
                _ => false,
            },
        };
        assert!(is_right, "{kind:?}");
        let runs = matches!(kind.action, Action::Shell | Action::LastingShell | Action::Run);
        assert!(!runs || (kind.similarity == Same::Never && !kind.is_read_only), "{kind:?}");
        let reads = matches!(kind.action, Action::Read | Action::ReadLines | Action::ReadMany);
        assert_eq!(reads, kind.similarity == Same::Lines, "{kind:?}");
    }
}
