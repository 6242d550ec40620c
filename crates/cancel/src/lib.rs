//! The cancellation token: one value with one sense for all work that may take long.
//!
//! Work asks [`Cancel::is_cancelled`] often and ends early once it is true. Whoever started
//! the work holds the flag, or gives a closure to ask.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells running work whether to end early.
#[derive(Clone)]
pub struct Cancel<'a>(Source<'a>);

#[derive(Clone)]
enum Source<'a> {
    Never,
    Flag(Arc<AtomicBool>),
    Closure(&'a (dyn Fn() -> bool + Sync)),
}

impl Cancel<'static> {
    /// Is never cancelled.
    pub const NEVER: Self = Self(Source::Never);
}

impl<'a> Cancel<'a> {
    /// Is cancelled as soon as `asked` returns true. Many threads may ask at once.
    pub const fn when(asked: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self(Source::Closure(asked))
    }

    /// Whether the work is to end now.
    pub fn is_cancelled(&self) -> bool {
        match &self.0 {
            Source::Never => false,
            Source::Flag(flag) => flag.load(Ordering::SeqCst),
            Source::Closure(asked) => asked(),
        }
    }
}

/// Is cancelled once the flag is true.
impl From<Arc<AtomicBool>> for Cancel<'static> {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(Source::Flag(flag))
    }
}

impl fmt::Debug for Cancel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}
