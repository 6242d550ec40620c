//! Log messages for the client's user, sent as notifications.
#![expect(deprecated, reason = "most clients speak versions of the protocol that have logging")]

use std::sync::atomic::{AtomicU8, Ordering};

use foveal_screen::escape_lines;
use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::Value;

/// The levels of the protocol that are used here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    /// The outcome of each call.
    Debug,
    /// A change for all later calls.
    Info,
    /// Something does not work as configured.
    Warning,
}

/// The lowest severity that the client wants.
#[derive(Debug)]
pub(crate) struct LogThreshold(AtomicU8);

impl LogThreshold {
    /// Starts at [`Severity::Warning`].
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(Severity::Warning as u8))
    }

    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(severity_rank(level), Ordering::Relaxed);
    }

    /// Sends a message if the client wants it. A failure to send is ignored.
    pub(crate) async fn log(
        &self,
        context: &RequestContext<RoleServer>,
        severity: Severity,
        data: Value,
    ) {
        // From 2026-07-28 on each request states its level; without one, nothing is sent.
        let per_request =
            context.protocol_version().is_some_and(|at| at >= ProtocolVersion::V_2026_07_28);
        let least = match (context.meta.log_level(), per_request) {
            (Some(level), _) => severity_rank(level),
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
        let mut message =
            LoggingMessageNotificationParam::new(level, escape_control_characters(data));
        message.logger = Some("foveal".to_owned());
        drop(context.peer.notify_logging_message(message).await);
    }
}

/// Escapes control characters, since many clients print messages to a terminal.
fn escape_control_characters(data: Value) -> Value {
    match data {
        Value::String(text) => escape_lines(&text).into(),
        Value::Array(all) => all.into_iter().map(escape_control_characters).collect(),
        Value::Object(all) => all
            .into_iter()
            .map(|(name, value)| {
                (escape_lines(&name).into_owned(), escape_control_characters(value))
            })
            .collect(),
        other => other,
    }
}

/// Maps a protocol level to the lowest [`Severity`] that it admits, as a number; higher levels
/// admit none.
fn severity_rank(level: LoggingLevel) -> u8 {
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

    use super::escape_control_characters;

    #[test]
    fn all_of_a_message_can_be_seen() {
        let said = json!({"a\u{1b}": ["b\u{202e}\n", 1, {"c": "\u{9b}2J"}]});
        assert_eq!(
            escape_control_characters(said),
            json!({"a\\u001b": ["b\\u202e\n", 1, {"c": "\\u009b2J"}]})
        );
    }
}
