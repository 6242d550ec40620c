//! Placement of one more `cache_control` mark that caches a Messages prompt up to its latest
//! answer.
//!
//! Clients mark the end of a prompt. If the next request changes the results at the end, the cache
//! entry of that mark is lost, but an entry up to the answer before them is found.

use super::body_scan::RequestBody;
use super::cache_breakpoints::{BodyBreakpoint, BreakpointTarget};
use super::error::BodyError;
use super::json_lookup;

/// Maximum number of marks in a request
/// (platform.claude.com/docs/en/build-with-claude/prompt-caching).
pub(super) const BREAKPOINTS_MAX: usize = 4;

/// Maximum number of messages behind an answer: results, user messages, reminders.
const MESSAGES_AFTER_ANSWER_MAX: usize = 16;

/// The breakpoint that caches a prompt up to its latest answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatestAnswerBreakpoint {
    /// Index of the answer's message.
    pub message: usize,
    /// The mark to add; `None` if the client has set it.
    pub missing: Option<MissingBreakpoint>,
}

/// A position for a new mark, and the lifetime that it has to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingBreakpoint {
    /// Byte offset in the body, as in [`MarkableBlocks`](super::MarkableBlocks).
    pub at: usize,
    /// Whether the lifetime is one hour, as that of the mark behind it.
    pub lasts_one_hour: bool,
}

impl RequestBody {
    /// Returns the breakpoint at the latest answer that has messages behind it. Returns `None` if
    /// the client caches nothing behind the answer, the request may have four marks already, the
    /// answer's last block cannot be marked, or the lifetimes would be out of order.
    ///
    /// # Errors
    /// If a message at the end is not valid JSON.
    pub fn latest_answer_breakpoint(
        &self,
        bytes: &[u8],
    ) -> Result<Option<LatestAnswerBreakpoint>, BodyError> {
        if !self.protocol.api().has_cache_control() {
            return Ok(None);
        }
        let Some(message) = self.latest_answer(bytes)? else { return Ok(None) };
        if self.ends_with_breakpoint(bytes, message)? {
            return Ok(Some(LatestAnswerBreakpoint { message, missing: None }));
        }
        let is_behind = |mark: &&BodyBreakpoint| match mark.target {
            BreakpointTarget::Message(at) => at > message,
            // It marks the end of the prompt.
            BreakpointTarget::Request => true,
            BreakpointTarget::Tools | BreakpointTarget::System => false,
        };
        let behind = self.breakpoints.iter().find(is_behind);
        let Some(is_hour) = behind.and_then(|mark| asks_for_one_hour(bytes, mark)) else {
            return Ok(None);
        };
        // All messages share one lifetime, and longer lifetimes come first.
        let is_ordered = self.breakpoints.iter().all(|mark| match mark.target {
            BreakpointTarget::Message(_) | BreakpointTarget::Request => {
                mark.lasts_one_hour == is_hour
            }
            BreakpointTarget::Tools | BreakpointTarget::System => mark.lasts_one_hour || !is_hour,
        });
        if !is_ordered || self.breakpoint_upper_bound() >= BREAKPOINTS_MAX {
            return Ok(None);
        }
        let place = self.markable_message(bytes, message)?.insert_at;
        let missing = place.map(|at| MissingBreakpoint { at, lasts_one_hour: is_hour });
        Ok(missing.map(|free| LatestAnswerBreakpoint { message, missing: Some(free) }))
    }

    /// Returns the latest message of the model, if another message follows it.
    fn latest_answer(&self, bytes: &[u8]) -> Result<Option<usize>, BodyError> {
        let last = self.messages.len().saturating_sub(1);
        for at in (last.saturating_sub(MESSAGES_AFTER_ANSWER_MAX)..=last).rev() {
            let Some(message) = self.messages.get(at) else { break };
            let [role] = json_lookup::find_members(bytes, message, ["role"])?;
            if role.is_some_and(|role| {
                json_lookup::string_text(bytes, &role).as_deref() == Some("assistant")
            }) {
                return Ok((at < last).then_some(at));
            }
        }
        Ok(None)
    }

    /// Returns whether the last block of a message has a mark of its own.
    fn ends_with_breakpoint(&self, bytes: &[u8], message: usize) -> Result<bool, BodyError> {
        let [content] = json_lookup::find_members(bytes, &self.messages[message], ["content"])?;
        let Some(content) = content else { return Ok(false) };
        let blocks = json_lookup::array_elements(bytes, &content)?.unwrap_or_default();
        let Some(last) = blocks.last() else { return Ok(false) };
        let [mark] = json_lookup::find_members(bytes, last, ["cache_control"])?;
        let known = self.breakpoints.iter().find(|known| Some(&known.value) == mark.as_ref());
        Ok(known.is_some_and(|known| asks_for_one_hour(bytes, known).is_some()))
    }
}

/// Returns whether a mark asks for one hour; `None` for unknown types and lifetimes.
fn asks_for_one_hour(bytes: &[u8], mark: &BodyBreakpoint) -> Option<bool> {
    let [kind, ttl] = json_lookup::find_members(bytes, &mark.value, ["type", "ttl"]).ok()?;
    if json_lookup::string_text(bytes, &kind?).as_deref() != Some("ephemeral") {
        return None;
    }
    match ttl.map(|ttl| json_lookup::string_text(bytes, &ttl).map(|ttl| ttl.into_owned())) {
        None => Some(false),
        Some(Some(ttl)) if ttl == "5m" => Some(false),
        Some(Some(ttl)) if ttl == "1h" => Some(true),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests;
