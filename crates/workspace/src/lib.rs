//! Files below the roots of a workspace: path resolution, text decoding, edit plans, search, and
//! replacement without data loss.

mod approval_paths;
pub mod atomic_write;
pub mod edit;
pub mod file_content;
pub mod file_search;
pub mod file_version;
mod freshness;
pub mod line_range;
pub mod open_file;
pub mod regular_file;
pub mod roots;
pub mod sensitive_files;
pub mod text;

pub use self::approval_paths::{ApprovalReason, approval_reason};
pub use self::atomic_write::{
    FileReplacement, FileWriter, Journal, RecoveredWrite, RecoveryOutcome, WriteError, WriteNotice,
    WriteOutcome,
};
pub use self::file_content::{FileContent, FileSnapshot, ReadLimits, read_file};
pub use self::file_version::{FileStamp, FileVersion};
pub use self::freshness::FileFreshness;
pub use self::line_range::{LineBatch, LineLimits, LineRangeReader, RangeLine};
pub use self::open_file::{FileReadError, OpenFile, ReadSizeLimit, SpecialFile};
pub use self::roots::{NameEquivalence, PathError, PathKey, ResolvedPath, Root, WorkspaceRoots};
pub use self::sensitive_files::{Sensitivity, sensitivity};
pub use self::text::{EncodeError, NewlineStyle, NotText, TextEncoding, TextFile};
