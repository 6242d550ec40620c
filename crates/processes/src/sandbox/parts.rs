//! Parts of folders that commands may write which they may not write, and parts of those that they
//! may.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// Whether a part of a folder, a file or a folder with all that is below it, may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// It is not, and nothing takes its place: the folders on the way to it stay where they are.
    Forbidden,
    /// It is not. The folders on the way to it may be renamed, and it with them.
    ForbiddenInPlace,
    /// It is, though it lies in one that is not.
    Allowed,
}

impl Writing {
    pub(super) fn is_forbidden(self) -> bool {
        self != Self::Allowed
    }
}

/// Parts by their absolute paths, which go through no link. What holds for a path is what is said
/// of the nearest part that it is in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parts(BTreeMap<PathBuf, Writing>);

impl Parts {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Path, Writing)> {
        self.0.iter().map(|(path, writing)| (path.as_path(), *writing))
    }

    /// Whether `path` may not be written.
    pub(super) fn forbid(&self, path: &Path) -> bool {
        let said = path.ancestors().find_map(|folder| self.0.get(folder));
        said.is_some_and(|writing| writing.is_forbidden())
    }

    /// The parts in `folder` that are not itself, those on the way to others before these.
    pub(super) fn below(&self, folder: &Path) -> impl Iterator<Item = (&Path, Writing)> {
        // Paths are compared name by name, so that all that is in a folder follows it.
        let behind = (Bound::Excluded(folder), Bound::Unbounded);
        let parts = self.0.range::<Path, _>(behind);
        let parts = parts.map(|(path, writing)| (path.as_path(), *writing));
        parts.take_while(move |(path, _)| path.starts_with(folder))
    }
}

impl FromIterator<(PathBuf, Writing)> for Parts {
    fn from_iter<I: IntoIterator<Item = (PathBuf, Writing)>>(parts: I) -> Self {
        Self(parts.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_part_counts() {
        use Writing::{Allowed, Forbidden};
        let parts = [("/w/docs", Forbidden), ("/w/docs/made", Allowed), ("/w/docs-old", Forbidden)];
        let parts: Parts =
            parts.map(|(path, writing)| (PathBuf::from(path), writing)).into_iter().collect();
        for (path, is_forbidden) in [
            ("/w", false),
            ("/w/docs", true),
            ("/w/docs/a/b", true),
            ("/w/docs/made/b", false),
            ("/w/docs2", false),
            ("/w/docs-old/x", true),
        ] {
            assert_eq!(parts.forbid(Path::new(path)), is_forbidden, "{path}");
        }
        let below = |folder| parts.below(Path::new(folder)).count();
        assert_eq!(
            [below("/"), below("/w"), below("/w/docs"), below("/w/docs/made")],
            [3, 3, 1, 0]
        );
    }
}
