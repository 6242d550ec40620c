//! Classification of SQLite errors: inaccessible file, trouble of the machine, or damage of the
//! file itself.

use rusqlite::ErrorCode;

/// Returns whether the folder or the file cannot be read or written, so that the database can only
/// be kept in memory.
pub fn is_inaccessible(error: &rusqlite::Error) -> bool {
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

/// Returns whether another process locked the file for longer than the busy time-out.
pub fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Returns whether the cause is the machine or another user of the file. Such an error says nothing
/// about the content of the file.
pub fn is_environment_error(error: &rusqlite::Error) -> bool {
    is_inaccessible(error)
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
