//! Machine-written files, of which a view shows little more than the ends.

use foveal_engine::note::MachineFileKind;

use foveal_syntax::{FileClass, ParsedFile};

/// Returns the kind of a machine-written file; `None` for other files.
pub(crate) fn machine_file_kind(parsed: &ParsedFile) -> Option<MachineFileKind> {
    match parsed.class {
        FileClass::Lock => Some(MachineFileKind::Lock),
        FileClass::Generated => Some(MachineFileKind::Generated),
        FileClass::Minified => Some(MachineFileKind::Minified),
        FileClass::Source | FileClass::Vendored => None,
    }
}
