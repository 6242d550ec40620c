//! What a failure of SQLite says: that the file cannot be reached, that the machine is at its
//! end, or, where it is neither, something of the file itself.

use rusqlite::ErrorCode;

/// Whether the folder or the file refuses to be read or written, so that a database can only be
/// kept in memory.
pub fn is_of_place(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::CannotOpen
                | ErrorCode::DiskFull
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::PermissionDenied
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure
        )
    )
}

/// Whether another process writes the file, or holds it, for longer than is waited for.
pub fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Whether it is the machine's doing, or that of others who use the file, and says nothing of
/// what the file holds.
pub fn is_of_machine(error: &rusqlite::Error) -> bool {
    is_of_place(error)
        || is_busy(error)
        || matches!(
            error.sqlite_error_code(),
            Some(
                ErrorCode::NoLargeFileSupport
                    | ErrorCode::OperationInterrupted
                    | ErrorCode::OutOfMemory
            )
        )
}
