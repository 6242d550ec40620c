//! Rules for parts of the folders that commands may write: forbidden parts, and allowed parts
//! within these.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// Whether a part of a folder, that is a file or a folder with everything below it, may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteRule {
    /// It may not be written or replaced: the folders above it cannot be renamed.
    Forbidden,
    /// It may not be written. The folders above it may be renamed, and it with them.
    ForbiddenRenamable,
    /// It may be written although it lies in a forbidden part.
    Allowed,
}

impl WriteRule {
    pub(crate) fn is_forbidden(self) -> bool {
        self != Self::Allowed
    }
}

/// Write rules by absolute path, without links. For a path, the rule of the nearest part at or
/// above it applies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WriteRules(BTreeMap<PathBuf, WriteRule>);

impl WriteRules {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Path, WriteRule)> {
        self.0.iter().map(|(path, writing)| (path.as_path(), *writing))
    }

    /// Returns whether `path` may not be written.
    pub(crate) fn forbids(&self, path: &Path) -> bool {
        let said = path.ancestors().find_map(|folder| self.0.get(folder));
        said.is_some_and(|writing| writing.is_forbidden())
    }

    /// Returns the rules below `folder`, parents before children.
    pub(crate) fn rules_below(&self, folder: &Path) -> impl Iterator<Item = (&Path, WriteRule)> {
        // Paths are ordered by components, so that everything in a folder follows it.
        let behind = (Bound::Excluded(folder), Bound::Unbounded);
        let parts = self.0.range::<Path, _>(behind);
        let parts = parts.map(|(path, writing)| (path.as_path(), *writing));
        parts.take_while(move |(path, _)| path.starts_with(folder))
    }
}

impl FromIterator<(PathBuf, WriteRule)> for WriteRules {
    fn from_iter<I: IntoIterator<Item = (PathBuf, WriteRule)>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_part_counts() {
        use WriteRule::{Allowed, Forbidden};
        let parts = [("/w/docs", Forbidden), ("/w/docs/made", Allowed), ("/w/docs-old", Forbidden)];
        let parts: WriteRules =
            parts.map(|(path, writing)| (PathBuf::from(path), writing)).into_iter().collect();
        for (path, is_forbidden) in [
            ("/w", false),
            ("/w/docs", true),
            ("/w/docs/a/b", true),
            ("/w/docs/made/b", false),
            ("/w/docs2", false),
            ("/w/docs-old/x", true),
        ] {
            assert_eq!(parts.forbids(Path::new(path)), is_forbidden, "{path}");
        }
        let below = |folder| parts.rules_below(Path::new(folder)).count();
        assert_eq!(
            [below("/"), below("/w"), below("/w/docs"), below("/w/docs/made")],
            [3, 3, 1, 0]
        );
    }
}
