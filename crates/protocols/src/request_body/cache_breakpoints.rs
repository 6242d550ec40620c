//! `cache_control` marks: their positions, and messages without them. Clients move the marks from
//! request to request, so they are no part of a message's identity.

use std::ops::Range;

use super::error::BodyError;
use super::json_cursor::JsonCursor;
use super::json_lookup::{self, ByteRange};

const CACHE_CONTROL: &[u8] = b"cache_control";

/// A member name in the raw bytes. Inside of a text its quotes are escaped.
const QUOTED_CACHE_CONTROL: &[u8] = br#""cache_control""#;

/// Counts the occurrences of `"cache_control"` that may be the name of a member.
pub(super) fn count_cache_control(bytes: &[u8]) -> usize {
    memchr::memmem::find_iter(bytes, QUOTED_CACHE_CONTROL).count()
}

/// Maximum depth at which parts are searched: a message, a result in it, and one more level.
const PART_LEVELS_MAX: usize = 3;

/// A `cache_control` member of a request body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyBreakpoint {
    /// The marked part of the body.
    pub target: BreakpointTarget,
    /// Range of the value in the body, such as `{"type":"ephemeral"}`.
    pub value: Range<usize>,
    /// Whether the mark asks for one hour. Such marks must come before the others.
    pub lasts_one_hour: bool,
}

/// The part of a body that a [`BodyBreakpoint`] marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BreakpointTarget {
    /// The body itself: the provider chooses the position.
    Request,
    /// One of the tools.
    Tools,
    /// The system prompt.
    System,
    /// A message, by its index in the body.
    Message(usize),
}

/// A mark on a part of a message.
struct PartBreakpoint {
    value: ByteRange,
    /// The range whose removal leaves valid JSON.
    cut: ByteRange,
}

/// Returns the ranges that do not count for a message's identity, in order: its marks, and the list
/// around a content that is a single text.
pub(super) fn ignored_ranges(message: &[u8]) -> Vec<ByteRange> {
    let marks = match memchr::memmem::find(message, CACHE_CONTROL) {
        Some(_) => message_breakpoints(message, &(0..message.len())).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut cuts: Vec<ByteRange> = marks.into_iter().map(|mark| mark.cut).collect();
    if let Some((list, text)) = single_text_list(message) {
        cuts.retain(|cut| cut.end <= list.start || list.end <= cut.start);
        cuts.extend([list.start..text.start, text.end..list.end]);
        cuts.sort_by_key(|cut| cut.start);
    }
    cuts
}

/// Returns the ranges of the list and of the text's string if a message's content is a list of one
/// text. Claude Code sends a marked content this way, and an unmarked one as a plain string.
fn single_text_list(message: &[u8]) -> Option<(ByteRange, ByteRange)> {
    let mut found = None;
    // Any other form ends the search with an error.
    let searched = JsonCursor::new(message, 0).for_each_member(|cursor, key| {
        if *key.name() != *b"content" {
            return cursor.skip_value().map(drop);
        }
        if cursor.peek_byte()? != b'[' || found.is_some() {
            return Err(cursor.unexpected_byte());
        }
        let mut texts = Vec::new();
        let list = cursor.for_each_element(|cursor| {
            texts.push(single_text_part(cursor)?);
            if texts.len() > 1 { Err(cursor.unexpected_byte()) } else { Ok(()) }
        })?;
        found = texts.pop().map(|text| (list, text));
        Ok(())
    });
    searched.ok().and(found)
}

/// Returns the string of a part that has only a text and marks.
fn single_text_part(cursor: &mut JsonCursor<'_>) -> Result<ByteRange, BodyError> {
    let mut text = None;
    let mut is_text = false;
    cursor.for_each_member(|cursor, key| {
        let is_string = cursor.peek_byte()? == b'"';
        match &*key.name() {
            b"type" if !is_text => is_text = cursor.skip_prefix(b"\"text\""),
            b"text" if text.is_none() && is_string => text = Some(cursor.skip_value()?),
            CACHE_CONTROL => return cursor.skip_value().map(drop),
            _ => return Err(cursor.unexpected_byte()),
        }
        if is_text || text.is_some() { Ok(()) } else { Err(cursor.unexpected_byte()) }
    })?;
    text.filter(|_| is_text).ok_or_else(|| cursor.unexpected_byte())
}

/// Returns the mark of the body itself.
pub(super) fn request_breakpoint(bytes: &[u8], value: ByteRange) -> Option<BodyBreakpoint> {
    let is_mark = bytes[value.start] == b'{';
    is_mark.then(|| parse_breakpoint(bytes, BreakpointTarget::Request, value))
}

/// Returns the marks of these parts of a body within a range that cuts none of them. Parts without
/// the word are skipped.
pub(super) fn part_breakpoints(
    bytes: &[u8],
    within: ByteRange,
    parts: &[(BreakpointTarget, ByteRange)],
) -> Vec<BodyBreakpoint> {
    let finder = memchr::memmem::Finder::new(CACHE_CONTROL);
    let bytes = &bytes[..within.end];
    let mut marks = Vec::new();
    let mut at = within.start;
    while let Some(found) = finder.find(&bytes[at..]) {
        let found = at + found;
        let part = parts.partition_point(|(_, place)| place.end <= found);
        let Some((place, range)) = parts.get(part) else { break };
        if range.start > found {
            // The word stands between two parts.
            at = range.start;
            continue;
        }
        let inside = match place {
            BreakpointTarget::Message(_) => message_breakpoints(bytes, range),
            BreakpointTarget::System | BreakpointTarget::Tools | BreakpointTarget::Request => {
                list_breakpoints(bytes, range, 1)
            }
        };
        let inside = inside.unwrap_or_default().into_iter();
        marks.extend(inside.map(|found| parse_breakpoint(bytes, *place, found.value)));
        at = range.end;
    }
    marks
}

fn parse_breakpoint(bytes: &[u8], place: BreakpointTarget, value: ByteRange) -> BodyBreakpoint {
    let ttl = json_lookup::find_members(bytes, &value, ["ttl"]).ok().and_then(|[ttl]| ttl);
    let is_hour =
        ttl.is_some_and(|ttl| json_lookup::string_text(bytes, &ttl).as_deref() == Some("1h"));
    BodyBreakpoint { target: place, value, lasts_one_hour: is_hour }
}

/// Returns the marks of a message and of its parts, in order.
fn message_breakpoints(
    bytes: &[u8],
    message: &ByteRange,
) -> Result<Vec<PartBreakpoint>, BodyError> {
    let mut marks = Vec::new();
    collect_object_breakpoints(bytes, message, PART_LEVELS_MAX, &mut marks)?;
    marks.sort_by_key(|mark| mark.cut.start);
    Ok(marks)
}

/// Returns the marks of the elements of a list.
fn list_breakpoints(
    bytes: &[u8],
    list: &ByteRange,
    levels: usize,
) -> Result<Vec<PartBreakpoint>, BodyError> {
    let mut marks = Vec::new();
    for element in json_lookup::array_elements(bytes, list)?.unwrap_or_default() {
        collect_object_breakpoints(bytes, &element, levels, &mut marks)?;
    }
    Ok(marks)
}

/// Collects the marks of an object and of the objects in its lists of parts. The arguments of tool
/// calls are no such lists.
fn collect_object_breakpoints(
    bytes: &[u8],
    object: &ByteRange,
    levels: usize,
    marks: &mut Vec<PartBreakpoint>,
) -> Result<(), BodyError> {
    let mut members = Vec::new();
    let mut lists = Vec::new();
    JsonCursor::new(bytes, object.start).for_each_member(|cursor, key| {
        let value = cursor.skip_value()?;
        let name = key.name();
        if matches!(&*name, b"content" | b"output") {
            lists.push(value.clone());
        }
        members.push(ObjectMember { start: key.start, value, is_mark: *name == *CACHE_CONTROL });
        Ok(())
    })?;
    let first_kept = members.iter().position(|member| !member.is_mark).unwrap_or(members.len());
    for (at, member) in members.iter().enumerate().filter(|(_, member)| member.is_mark) {
        let value = member.value.clone();
        let cut = if at > first_kept {
            members[at - 1].value.end..value.end
        } else {
            member.start..members.get(at + 1).map_or(value.end, |next| next.start)
        };
        marks.push(PartBreakpoint { value, cut });
    }
    if levels > 1 {
        for list in lists {
            marks.extend(list_breakpoints(bytes, &list, levels - 1)?);
        }
    }
    Ok(())
}

/// A member of an object.
struct ObjectMember {
    start: usize,
    value: ByteRange,
    is_mark: bool,
}
