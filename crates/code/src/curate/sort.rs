//! Files that nobody reads from top to end: of them the ends are shown, and little else.

use foveal_context::note::FileSort;

use crate::entity::Parsed;
use crate::file_class::FileClass;

/// What sort of such a file it is; `None` of others.
pub(crate) fn sort(parsed: &Parsed) -> Option<FileSort> {
    match parsed.class {
        FileClass::Lock => Some(FileSort::Lock),
        FileClass::Generated => Some(FileSort::Generated),
        FileClass::Minified => Some(FileSort::Minified),
        FileClass::Source | FileClass::Vendored => None,
    }
}
