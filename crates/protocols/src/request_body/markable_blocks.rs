//! Positions at which `cache_control` marks can be added to a Messages body.
//!
//! A mark is added behind the last member of an object, so no other byte changes. A content that is
//! a plain string gets no mark, since it would have to become a list.

use std::ops::Range;

use super::body_scan::RequestBody;
use super::error::BodyError;
use super::json_cursor::JsonCursor;
use super::json_lookup::{self, ByteRange};

/// The member that is added to an object to mark it, for the default lifetime.
pub const CACHE_CONTROL_MEMBER: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// The member that is added to an object to mark it for one hour.
pub const CACHE_CONTROL_MEMBER_1H: &str = r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#;

/// Types of blocks that can be marked. Other types cannot, or it is not documented
/// (platform.claude.com/docs/en/build-with-claude/prompt-caching).
const MARKABLE_TYPES: [&str; 5] = ["text", "tool_use", "tool_result", "image", "document"];

/// A group of blocks of a prompt: the tools, the system prompt or a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MarkableBlocks {
    /// The number of blocks.
    pub blocks: usize,
    /// Offset in the body at which [`CACHE_CONTROL_MEMBER`] marks the last block; `None` if that
    /// block cannot have a mark or has one.
    pub insert_at: Option<usize>,
}

impl RequestBody {
    /// Returns whether the client set no mark anywhere.
    pub fn has_no_breakpoints(&self) -> bool {
        self.breakpoint_upper_bound() == 0
    }

    /// Returns an upper bound of the number of marks: members named `cache_control` that are no
    /// marks count too.
    pub fn breakpoint_upper_bound(&self) -> usize {
        self.cache_control_count.max(self.breakpoints.len())
    }

    /// Returns the markable blocks of the tools. A tool with deferred loading is not part of the
    /// prefix, and providers refuse a mark on it.
    ///
    /// # Errors
    /// If the tools are not valid JSON.
    pub fn markable_tools(&self, bytes: &[u8]) -> Result<MarkableBlocks, BodyError> {
        markable_in_list(self, bytes, self.tools.clone(), |tool| !tool.is_deferred)
    }

    /// Returns the markable blocks of the system prompt.
    ///
    /// # Errors
    /// If the system prompt is not valid JSON.
    pub fn markable_system(&self, bytes: &[u8]) -> Result<MarkableBlocks, BodyError> {
        markable_in_list(self, bytes, self.system.clone(), InspectedBlock::is_markable)
    }

    /// Returns the markable blocks of one message.
    ///
    /// # Errors
    /// If the message is not valid JSON.
    pub fn markable_message(
        &self,
        bytes: &[u8],
        message: usize,
    ) -> Result<MarkableBlocks, BodyError> {
        let [content] = json_lookup::find_members(bytes, &self.messages[message], ["content"])?;
        markable_in_list(self, bytes, content, InspectedBlock::is_markable)
    }
}

/// The inspected members of a block.
#[derive(Default)]
struct InspectedBlock {
    /// Offset of the end of the last member.
    end: Option<usize>,
    kind: Option<String>,
    text: Option<String>,
    is_deferred: bool,
    has_mark: bool,
}

impl InspectedBlock {
    /// Returns whether the block can have a mark. An empty text cannot.
    fn is_markable(&self) -> bool {
        let kind = self.kind.as_deref().unwrap_or_default();
        let has_text = self.text.as_deref().is_some_and(|text| !text.trim().is_empty());
        MARKABLE_TYPES.contains(&kind) && (kind != "text" || has_text)
    }
}

fn markable_in_list(
    body: &RequestBody,
    bytes: &[u8],
    list: Option<Range<usize>>,
    may_be_marked: impl Fn(&InspectedBlock) -> bool,
) -> Result<MarkableBlocks, BodyError> {
    let Some(list) = list else { return Ok(MarkableBlocks::default()) };
    let Some(elements) = json_lookup::array_elements(bytes, &list)? else {
        return Ok(MarkableBlocks { blocks: 1, insert_at: None });
    };
    let mut place = None;
    if let Some(last) = elements.last().filter(|_| body.protocol.api().has_cache_control()) {
        let found = inspect_block(bytes, last)?;
        place = found.end.filter(|_| !found.has_mark && may_be_marked(&found));
    }
    Ok(MarkableBlocks { blocks: elements.len(), insert_at: place })
}

fn inspect_block(bytes: &[u8], object: &ByteRange) -> Result<InspectedBlock, BodyError> {
    let mut found = InspectedBlock::default();
    let text = |place: &ByteRange| {
        json_lookup::string_text(bytes, place).map(std::borrow::Cow::into_owned)
    };
    JsonCursor::new(bytes, object.start).for_each_member(|cursor, key| {
        let value = cursor.skip_value()?;
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
