//! The cancellation token of the workspace: one type for all work that may take long.
//!
//! Running work calls [`CancelToken::is_cancelled`] often and ends early once it returns true. The
//! caller that starts the work holds the flag, or passes a closure.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A token that tells running work whether to end early.
#[derive(Clone)]
pub struct CancelToken<'a>(CancelSource<'a>);

#[derive(Clone)]
enum CancelSource<'a> {
    Never,
    Flag(Arc<AtomicBool>),
    Closure(&'a (dyn Fn() -> bool + Sync)),
}

impl CancelToken<'static> {
    /// A token that is never cancelled.
    pub const NEVER: Self = Self(CancelSource::Never);
}

impl<'a> CancelToken<'a> {
    /// Creates a token that is cancelled as soon as `asked` returns true. Several threads may call
    /// `asked` at once.
    pub const fn from_fn(asked: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self(CancelSource::Closure(asked))
    }

    /// Returns whether the work should end now.
    pub fn is_cancelled(&self) -> bool {
        match &self.0 {
            CancelSource::Never => false,
            CancelSource::Flag(flag) => flag.load(Ordering::SeqCst),
            CancelSource::Closure(asked) => asked(),
        }
    }
}

/// Is cancelled once the flag is true.
impl From<Arc<AtomicBool>> for CancelToken<'static> {
    /// Creates a token that is cancelled once the flag is true.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(CancelSource::Flag(flag))
    }
}

impl fmt::Debug for CancelToken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancelToken").field(&self.is_cancelled()).finish()
    }
}
