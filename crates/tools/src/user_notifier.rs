//! Messages to the user at the machine about events that a model may not pass on.

use std::fmt;

type NotifyFn = Box<dyn Fn(&str) + Send + Sync>;

/// Sends one-line messages to the user, from any thread.
#[derive(Default)]
pub struct UserNotifier(Option<NotifyFn>);

impl UserNotifier {
    /// Creates a notifier that calls `tell` with each message.
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(tell)))
    }

    pub(crate) fn notify(&self, text: &str) {
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
