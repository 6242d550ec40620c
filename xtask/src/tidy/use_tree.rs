//! Paths and use-trees, as text.

use super::source::is_word;

/// One path of a use-tree. A glob ends in `*`, a path to a module itself has no `self`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UsePath {
    pub(crate) segments: Vec<String>,
    /// The name after `as`.
    pub(crate) rename: Option<String>,
}

/// The paths that the path or use-tree at the start of `code` names:
/// `std::{fs, time::Instant as At}` gives `std::fs` and, renamed, `std::time::Instant`.
pub(crate) fn expand(code: &str) -> Vec<UsePath> {
    let code = code.trim_start();
    if let Some(group) = code.strip_prefix('{') {
        return branches(group).into_iter().flat_map(expand).collect();
    }
    let end = code.find(|c| !is_word(c)).unwrap_or(code.len());
    let (head, rest) = code.split_at(end);
    let leaf = |name: &str, rest: &str| UsePath {
        segments: if name == "self" { Vec::new() } else { vec![name.to_owned()] },
        rename: rename(rest),
    };
    if head.is_empty() {
        return if rest.starts_with('*') { vec![leaf("*", "")] } else { Vec::new() };
    }
    let Some(tail) = rest.trim_start().strip_prefix("::") else {
        return vec![leaf(head, rest)];
    };
    let mut paths = expand(tail);
    if paths.is_empty() {
        return vec![leaf(head, "")];
    }
    for path in &mut paths {
        path.segments.insert(0, head.to_owned());
    }
    paths
}

/// The name in `as name`, if `code` starts so.
fn rename(code: &str) -> Option<String> {
    let name = code.trim_start().strip_prefix("as")?;
    let name = name.strip_prefix(char::is_whitespace)?.trim_start();
    Some(name[..name.find(|c| !is_word(c)).unwrap_or(name.len())].to_owned())
}

/// The comma-separated parts of a use group, up to its closing brace.
fn branches(group: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let mut start = 0;
    let mut parts = Vec::new();
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_trees_are_spelled_out() {
        for (code, expected) in [
            ("a;", "a"),
            ("a::b::c(x)", "a::b::c"),
            ("a::{self, b as c, d::{e, f::*}};", "a a::b=c a::d::e a::d::f::*"),
            ("{a, b::c};", "a b::c"),
            ("super::X as _;", "super::X=_"),
            ("Vec::<u8>::new()", "Vec"),
        ] {
            let spelled = |path: UsePath| match path.rename {
                Some(name) => format!("{}={name}", path.segments.join("::")),
                None => path.segments.join("::"),
            };
            let found: Vec<String> = expand(code).into_iter().map(spelled).collect();
            assert_eq!(found.join(" "), expected, "{code}");
        }
    }
}
