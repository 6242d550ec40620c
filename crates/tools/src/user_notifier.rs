//! Messages to the user at the machine about events that a model may not pass on.

use std::fmt;
use std::sync::Arc;

type NotifyFn = Arc<dyn Fn(&str) + Send + Sync>;

/// Sends one-line messages to the user, from any thread.
#[derive(Clone, Default)]
pub struct UserNotifier(Option<NotifyFn>);

impl UserNotifier {
    /// Creates a notifier that calls `tell` with each message.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    /// Sends a message.
    pub fn notify(&self, text: &str) {
        if let Some(tell) = &self.0 {
            tell(text);
        }
    }
}

impl fmt::Debug for UserNotifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UserNotifier").field(&self.0.is_some()).finish()
    }
}
