//! Messages for whoever watches the client, sent as notifications.
#![expect(deprecated, reason = "most clients speak versions of the protocol that have logging")]

use std::sync::atomic::{AtomicU8, Ordering};

use foveal_screen::in_lines;
use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::Value;

/// How much a message matters: those of the protocol's levels that are used here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// What every call did.
    Debug,
    /// What changed for all calls after.
    Info,
    /// What does not work as asked.
    Warning,
}

/// The least severity that a client wants to hear of.
#[derive(Debug)]
pub(crate) struct LogThreshold(AtomicU8);

impl LogThreshold {
    /// What is sent where the client says nothing.
    pub(crate) fn unset() -> Self {
        Self(AtomicU8::new(Severity::Warning as u8))
    }

    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(rank(level), Ordering::Relaxed);
    }

    /// Sends a message if the client wants it. One that cannot be sent is lost.
    pub(crate) async fn log(
        &self,
        context: &RequestContext<RoleServer>,
        severity: Severity,
        data: Value,
    ) {
        // From 2026-07-28 on each request says what it wants to hear, and silence is nothing.
        let per_request =
            context.protocol_version().is_some_and(|at| at >= ProtocolVersion::V_2026_07_28);
        let least = match (context.meta.log_level(), per_request) {
            (Some(level), _) => rank(level),
            (None, true) => return,
            (None, false) => self.0.load(Ordering::Relaxed),
        };
        if (severity as u8) < least {
            return;
        }
        let level = match severity {
            Severity::Debug => LoggingLevel::Debug,
            Severity::Info => LoggingLevel::Info,
            Severity::Warning => LoggingLevel::Warning,
        };
        let mut message = LoggingMessageNotificationParam::new(level, seen(data));
        message.logger = Some("foveal".to_owned());
        drop(context.peer.notify_logging_message(message).await);
    }
}

/// The same, where all of a text can be seen: many clients print messages in a terminal.
fn seen(data: Value) -> Value {
    match data {
        Value::String(text) => in_lines(&text).into(),
        Value::Array(all) => all.into_iter().map(seen).collect(),
        Value::Object(all) => all
            .into_iter()
            .map(|(name, value)| (in_lines(&name).into_owned(), seen(value)))
            .collect(),
        other => other,
    }
}

/// The least [`Severity`] that a level lets through, as a number; levels above have none.
fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => Severity::Debug as u8,
        LoggingLevel::Info => Severity::Info as u8,
        LoggingLevel::Notice | LoggingLevel::Warning => Severity::Warning as u8,
        LoggingLevel::Error
        | LoggingLevel::Critical
        | LoggingLevel::Alert
        | LoggingLevel::Emergency => Severity::Warning as u8 + 1,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::seen;

    #[test]
    fn all_of_a_message_can_be_seen() {
        let said = json!({"a\u{1b}": ["b\u{202e}\n", 1, {"c": "\u{9b}2J"}]});
        assert_eq!(seen(said), json!({"a\\u001b": ["b\\u202e\n", 1, {"c": "\\u009b2J"}]}));
    }
}
