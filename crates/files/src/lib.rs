//! Files under the roots of a workspace: what may be touched, what they hold as text, and how
//! they are replaced without loss.

mod approval_paths;
pub mod bounded;
pub mod edit;
mod freshness;
pub mod kind;
pub mod open;
pub mod range;
pub mod replace;
pub mod roots;
pub mod sensitive;
pub mod stamp;
pub mod text;
pub mod tree;

pub use self::approval_paths::{ApprovalReason, approval_reason};
pub use self::freshness::Freshness;
pub use self::kind::{Content, FileRead, ReadLimits, read};
pub use self::open::{Bounds, Opened, ReadError, Special};
pub use self::range::{Line, LineLimits, Lines, LinesReader};
pub use self::replace::{
    Journal, Note, Recovered, RecoveredHow, Replacement, WriteError, Writer, Written,
};
pub use self::roots::{Located, NameRule, PathError, PathKey, Root, Roots};
pub use self::sensitive::{Sensitivity, sensitivity};
pub use self::stamp::{Stamp, Version};
pub use self::text::{EncodeError, Encoding, LineEnding, NotText, TextFile};
