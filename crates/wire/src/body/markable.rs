//! Where `cache_control` marks may be put into a body of Messages that has none.
//!
//! A mark stands behind the last member of an object, so that nothing but it is added. A content
//! that is a plain string has no object: it gets no mark, since it would have to become a list.

use std::ops::Range;

use super::cursor::Cursor;
use super::error::BodyError;
use super::scan::Body;
use super::walk::{self, Place};
use crate::protocol::Protocol;

/// What is put into an object to mark it.
pub const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// The same for an hour.
pub const MARK_FOR_AN_HOUR: &str = r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;

/// Blocks that may be marked. Others may not, or it is not documented that they may
/// (platform.claude.com/docs/en/build-with-claude/prompt-caching).
const KINDS: [&str; 5] = ["text", "tool_use", "tool_result", "image", "document"];

/// Some blocks of a prompt: tools, a system prompt, a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Markable {
    /// How many there are.
    pub blocks: usize,
    /// Where in the body [`MARK`] can be put to mark the last of them; `None` where it may not have
    /// a mark, or has one.
    pub place: Option<usize>,
}

impl Body {
    /// Whether the client set no mark, wherever one could stand.
    pub fn is_unmarked(&self) -> bool {
        self.marks_max() == 0
    }

    /// How many marks it may have, wherever one could stand: members of that name that are none
    /// count too.
    pub fn marks_max(&self) -> usize {
        self.words.max(self.marks.len())
    }

    /// The tools. One whose definition is only loaded on demand is not in the prompt's beginning,
    /// and is refused with a mark.
    ///
    /// # Errors
    /// If they are no valid JSON.
    pub fn markable_tools(&self, bytes: &[u8]) -> Result<Markable, BodyError> {
        of_list(self, bytes, self.tools.clone(), |tool| !tool.is_deferred)
    }

    /// The system prompt.
    ///
    /// # Errors
    /// If it is no valid JSON.
    pub fn markable_system(&self, bytes: &[u8]) -> Result<Markable, BodyError> {
        of_list(self, bytes, self.system.clone(), Found::is_block)
    }

    /// One message.
    ///
    /// # Errors
    /// If it is no valid JSON.
    pub fn markable_message(&self, bytes: &[u8], message: usize) -> Result<Markable, BodyError> {
        let [content] = walk::members(bytes, &self.messages[message], ["content"])?;
        of_list(self, bytes, content, Found::is_block)
    }
}

/// What is looked at of an object.
#[derive(Default)]
struct Found {
    /// Where its last member ends.
    end: Option<usize>,
    kind: Option<String>,
    text: Option<String>,
    is_deferred: bool,
    has_mark: bool,
}

impl Found {
    /// Whether it is a block that may have a mark. An empty text may not.
    fn is_block(&self) -> bool {
        let kind = self.kind.as_deref().unwrap_or_default();
        let has_text = self.text.as_deref().is_some_and(|text| !text.trim().is_empty());
        KINDS.contains(&kind) && (kind != "text" || has_text)
    }
}

fn of_list(
    body: &Body,
    bytes: &[u8],
    list: Option<Range<usize>>,
    may_be_marked: impl Fn(&Found) -> bool,
) -> Result<Markable, BodyError> {
    let Some(list) = list else { return Ok(Markable::default()) };
    let Some(elements) = walk::elements(bytes, &list)? else {
        return Ok(Markable { blocks: 1, place: None });
    };
    let mut place = None;
    if let (Protocol::Messages, Some(last)) = (body.protocol, elements.last()) {
        let found = found(bytes, last)?;
        place = found.end.filter(|_| !found.has_mark && may_be_marked(&found));
    }
    Ok(Markable { blocks: elements.len(), place })
}

fn found(bytes: &[u8], object: &Place) -> Result<Found, BodyError> {
    let mut found = Found::default();
    let text = |place: &Place| walk::text(bytes, place).map(std::borrow::Cow::into_owned);
    Cursor::new(bytes, object.start).object(|cursor, key| {
        let value = cursor.skip()?;
        match &*key.name() {
            b"type" => found.kind = text(&value),
            b"text" => found.text = text(&value),
            b"defer_loading" => found.is_deferred = true,
            b"cache_control" => found.has_mark = true,
            _ => {}
        }
        found.end = Some(value.end);
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests;
