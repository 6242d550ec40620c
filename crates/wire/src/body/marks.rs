//! `cache_control` marks: where they stand, and messages without them. Clients move the marks from
//! request to request, so they are no part of what a message is.

use std::ops::Range;

use super::cursor::Cursor;
use super::error::BodyError;
use super::walk::{self, Place};

const NAME: &[u8] = b"cache_control";

/// How a member of this name begins, wherever it stands: in a text its quotes are escaped.
const WORD: &[u8] = br#""cache_control""#;

/// How often the word for a mark stands in some bytes, where it may be the name of a member.
pub(super) fn words(bytes: &[u8]) -> usize {
    memchr::memmem::find_iter(bytes, WORD).count()
}

/// How deep parts of a message are looked at: of a message, of a result in it, and one more.
const LEVELS_MAX: usize = 3;

/// A `cache_control` member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheMark {
    /// What it is a mark of.
    pub place: MarkPlace,
    /// Its value in the body, such as `{"type":"ephemeral"}`.
    pub value: Range<usize>,
    /// Whether it asks for an hour. Marks that do have to stand in front of those that do not.
    pub is_hour: bool,
}

/// What a [`CacheMark`] is a mark of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkPlace {
    /// The body itself: the provider chooses the place.
    Request,
    /// One of the tools.
    Tools,
    /// The system prompt.
    System,
    /// A message, by its place among the body's.
    Message(usize),
}

/// A mark of a part of a message.
struct Mark {
    value: Place,
    /// What has to go with it for the rest to be JSON.
    cut: Place,
}

/// What is no part of what a message is, in order: its marks, and what makes a list of a content
/// that is one text.
pub(super) fn cuts(message: &[u8]) -> Vec<Place> {
    let marks = match memchr::memmem::find(message, NAME) {
        Some(_) => in_parts(message, &(0..message.len())).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut cuts: Vec<Place> = marks.into_iter().map(|mark| mark.cut).collect();
    if let Some((list, text)) = single_text(message) {
        cuts.retain(|cut| cut.end <= list.start || list.end <= cut.start);
        cuts.extend([list.start..text.start, text.end..list.end]);
        cuts.sort_by_key(|cut| cut.start);
    }
    cuts
}

/// Where a message's content is a list of one text and nothing else: the list, and the text's
/// string. Claude Code sends a content with a mark so, and the same without as a plain string.
fn single_text(message: &[u8]) -> Option<(Place, Place)> {
    let mut found = None;
    // Whatever shows that it is something else ends the search as an error.
    let searched = Cursor::new(message, 0).object(|cursor, key| {
        if *key.name() != *b"content" {
            return cursor.skip().map(drop);
        }
        if cursor.peek()? != b'[' || found.is_some() {
            return Err(cursor.unexpected());
        }
        let mut texts = Vec::new();
        let list = cursor.array(|cursor| {
            texts.push(text_alone(cursor)?);
            if texts.len() > 1 { Err(cursor.unexpected()) } else { Ok(()) }
        })?;
        found = texts.pop().map(|text| (list, text));
        Ok(())
    });
    searched.ok().and(found)
}

/// The string of a part that is a text and, but for marks, nothing else.
fn text_alone(cursor: &mut Cursor<'_>) -> Result<Place, BodyError> {
    let mut text = None;
    let mut is_text = false;
    cursor.object(|cursor, key| {
        let is_string = cursor.peek()? == b'"';
        match &*key.name() {
            b"type" if !is_text => is_text = cursor.skip_if(b"\"text\""),
            b"text" if text.is_none() && is_string => text = Some(cursor.skip()?),
            NAME => return cursor.skip().map(drop),
            _ => return Err(cursor.unexpected()),
        }
        if is_text || text.is_some() { Ok(()) } else { Err(cursor.unexpected()) }
    })?;
    text.filter(|_| is_text).ok_or_else(|| cursor.unexpected())
}

/// The mark of the body itself.
pub(super) fn of_request(bytes: &[u8], value: Place) -> Option<CacheMark> {
    let is_mark = bytes[value.start] == b'{';
    is_mark.then(|| mark(bytes, MarkPlace::Request, value))
}

/// The marks of these parts of a body, as far as they stand in this range, which cuts none of
/// them. Only what has the word in it is looked at.
pub(super) fn of_parts(
    bytes: &[u8],
    within: Place,
    parts: &[(MarkPlace, Place)],
) -> Vec<CacheMark> {
    let finder = memchr::memmem::Finder::new(NAME);
    let bytes = &bytes[..within.end];
    let mut marks = Vec::new();
    let mut at = within.start;
    while let Some(found) = finder.find(&bytes[at..]) {
        let found = at + found;
        let part = parts.partition_point(|(_, place)| place.end <= found);
        let Some((place, range)) = parts.get(part) else { break };
        if range.start > found {
            // Between the parts.
            at = range.start;
            continue;
        }
        let inside = match place {
            MarkPlace::Message(_) => in_parts(bytes, range),
            MarkPlace::System | MarkPlace::Tools | MarkPlace::Request => in_list(bytes, range, 1),
        };
        let inside = inside.unwrap_or_default().into_iter();
        marks.extend(inside.map(|found| mark(bytes, *place, found.value)));
        at = range.end;
    }
    marks
}

fn mark(bytes: &[u8], place: MarkPlace, value: Place) -> CacheMark {
    let ttl = walk::members(bytes, &value, ["ttl"]).ok().and_then(|[ttl]| ttl);
    let is_hour = ttl.is_some_and(|ttl| walk::text(bytes, &ttl).as_deref() == Some("1h"));
    CacheMark { place, value, is_hour }
}

/// The marks of a message and of its parts, in order.
fn in_parts(bytes: &[u8], message: &Place) -> Result<Vec<Mark>, BodyError> {
    let mut marks = Vec::new();
    in_object(bytes, message, LEVELS_MAX, &mut marks)?;
    marks.sort_by_key(|mark| mark.cut.start);
    Ok(marks)
}

/// The marks of the elements of a list.
fn in_list(bytes: &[u8], list: &Place, levels: usize) -> Result<Vec<Mark>, BodyError> {
    let mut marks = Vec::new();
    for element in walk::elements(bytes, list)?.unwrap_or_default() {
        in_object(bytes, &element, levels, &mut marks)?;
    }
    Ok(marks)
}

/// The marks of an object, and of those in its lists of parts. What tools are called with is no
/// such list.
fn in_object(
    bytes: &[u8],
    object: &Place,
    levels: usize,
    marks: &mut Vec<Mark>,
) -> Result<(), BodyError> {
    let mut members = Vec::new();
    let mut lists = Vec::new();
    Cursor::new(bytes, object.start).object(|cursor, key| {
        let value = cursor.skip()?;
        let name = key.name();
        if matches!(&*name, b"content" | b"output") {
            lists.push(value.clone());
        }
        members.push(Member { start: key.start, value, is_mark: *name == *NAME });
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
        marks.push(Mark { value, cut });
    }
    if levels > 1 {
        for list in lists {
            marks.extend(in_list(bytes, &list, levels - 1)?);
        }
    }
    Ok(())
}

/// A member of an object that may have a mark.
struct Member {
    start: usize,
    value: Place,
    is_mark: bool,
}
