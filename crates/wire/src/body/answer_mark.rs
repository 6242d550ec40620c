//! Where one more `cache_control` mark keeps a prompt of Messages up to the latest answer in it.
//!
//! Clients mark the end of a prompt. Where the results there are changed in the next request, what
//! is kept up to that mark is not found again; what is kept up to the answer before them is.

use super::error::BodyError;
use super::marks::{CacheMark, MarkPlace};
use super::scan::Body;
use super::walk;
use crate::protocol::Protocol;

/// As many as a request may have (platform.claude.com/docs/en/build-with-claude/prompt-caching).
pub(super) const MARKS_MAX: usize = 4;

/// Messages behind an answer: results, what the user says, reminders.
const BEHIND_MAX: usize = 16;

/// How a prompt can be kept up to its latest answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerMark {
    /// The message that the answer is.
    pub message: usize,
    /// Where a mark is missing for that; `None` where the client sets it.
    pub missing: Option<FreePlace>,
}

/// A place that a mark can be put at, and how long it has to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreePlace {
    /// Where in the body, as [`Markable`](super::Markable) has it.
    pub at: usize,
    /// Whether for an hour: as long as the mark behind it.
    pub is_hour: bool,
}

impl Body {
    /// How the prompt can be kept up to the latest answer before what the user's side says last;
    /// `None` where it cannot: the client has nothing kept behind the answer, there may be four
    /// marks already, the answer's last block may have none, or marks would be out of order.
    ///
    /// # Errors
    /// If a message at the end is no valid JSON.
    pub fn answer_mark(&self, bytes: &[u8]) -> Result<Option<AnswerMark>, BodyError> {
        if self.protocol != Protocol::Messages {
            return Ok(None);
        }
        let Some(message) = self.latest_answer(bytes)? else { return Ok(None) };
        if self.is_marked_at_end(bytes, message)? {
            return Ok(Some(AnswerMark { message, missing: None }));
        }
        let is_behind = |mark: &&CacheMark| match mark.place {
            MarkPlace::Message(at) => at > message,
            // It ends the prompt.
            MarkPlace::Request => true,
            MarkPlace::Tools | MarkPlace::System => false,
        };
        let behind = self.marks.iter().find(is_behind);
        let Some(is_hour) = behind.and_then(|mark| for_an_hour(bytes, mark)) else {
            return Ok(None);
        };
        // How long messages are kept is one thing for all of them, and longest comes first.
        let is_ordered = self.marks.iter().all(|mark| match mark.place {
            MarkPlace::Message(_) | MarkPlace::Request => mark.is_hour == is_hour,
            MarkPlace::Tools | MarkPlace::System => mark.is_hour || !is_hour,
        });
        if !is_ordered || self.marks_max() >= MARKS_MAX {
            return Ok(None);
        }
        let place = self.markable_message(bytes, message)?.place;
        let missing = place.map(|at| FreePlace { at, is_hour });
        Ok(missing.map(|free| AnswerMark { message, missing: Some(free) }))
    }

    /// The last message that is the model's, if there is one behind it.
    fn latest_answer(&self, bytes: &[u8]) -> Result<Option<usize>, BodyError> {
        let last = self.messages.len().saturating_sub(1);
        for at in (last.saturating_sub(BEHIND_MAX)..=last).rev() {
            let Some(message) = self.messages.get(at) else { break };
            let [role] = walk::members(bytes, message, ["role"])?;
            if role.is_some_and(|role| walk::text(bytes, &role).as_deref() == Some("assistant")) {
                return Ok((at < last).then_some(at));
            }
        }
        Ok(None)
    }

    /// Whether the last block of a message has a mark of its own.
    fn is_marked_at_end(&self, bytes: &[u8], message: usize) -> Result<bool, BodyError> {
        let [content] = walk::members(bytes, &self.messages[message], ["content"])?;
        let Some(content) = content else { return Ok(false) };
        let blocks = walk::elements(bytes, &content)?.unwrap_or_default();
        let Some(last) = blocks.last() else { return Ok(false) };
        let [mark] = walk::members(bytes, last, ["cache_control"])?;
        let known = self.marks.iter().find(|known| Some(&known.value) == mark.as_ref());
        Ok(known.is_some_and(|known| for_an_hour(bytes, known).is_some()))
    }
}

/// Whether a mark asks for an hour; `None` where it asks for something that is not known.
fn for_an_hour(bytes: &[u8], mark: &CacheMark) -> Option<bool> {
    let [kind, ttl] = walk::members(bytes, &mark.value, ["type", "ttl"]).ok()?;
    if walk::text(bytes, &kind?).as_deref() != Some("ephemeral") {
        return None;
    }
    match ttl.map(|ttl| walk::text(bytes, &ttl).map(|ttl| ttl.into_owned())) {
        None => Some(false),
        Some(Some(ttl)) if ttl == "5m" => Some(false),
        Some(Some(ttl)) if ttl == "1h" => Some(true),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests;
