//! Lookups in JSON text: members of an object and elements of an array. If an object has several
//! members with one name, the last one counts, as for the readers of decoded bodies.

use std::borrow::Cow;
use std::ops::Range;

use super::error::BodyError;
use super::json_cursor::JsonCursor;

/// The range of a value.
pub(crate) type ByteRange = Range<usize>;

/// Returns the range of the value that makes up the bytes.
pub(crate) fn root_value(bytes: &[u8]) -> Result<ByteRange, BodyError> {
    JsonCursor::new(bytes, 0).skip_value()
}

/// Returns the values of these members of the object at `place`; all `None` if it is no object.
pub(crate) fn find_members<const N: usize>(
    bytes: &[u8],
    place: &ByteRange,
    names: [&str; N],
) -> Result<[Option<ByteRange>; N], BodyError> {
    let mut found = [const { None }; N];
    JsonCursor::new(bytes, place.start).for_each_member(|cursor, key| {
        let value = cursor.skip_value()?;
        let name = key.name();
        if let Some(at) = names.iter().position(|wanted| wanted.as_bytes() == &*name) {
            found[at] = Some(value);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the elements of the array at `place`; `None` if it is no array.
pub(crate) fn array_elements(
    bytes: &[u8],
    place: &ByteRange,
) -> Result<Option<Vec<ByteRange>>, BodyError> {
    if bytes[place.start] != b'[' {
        return Ok(None);
    }
    let mut found = Vec::new();
    JsonCursor::new(bytes, place.start).for_each_element(|cursor| {
        found.push(cursor.skip_value()?);
        Ok(())
    })?;
    Ok(Some(found))
}

/// Returns whether the value is a string.
pub(crate) fn is_string(bytes: &[u8], place: &ByteRange) -> bool {
    bytes[place.start] == b'"'
}

/// Returns the text of the string at `place`; `None` if it is no valid string.
pub(crate) fn string_text<'a>(bytes: &'a [u8], place: &ByteRange) -> Option<Cow<'a, str>> {
    let raw = &bytes[place.clone()];
    let inner = raw.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if memchr::memchr(b'\\', inner).is_none()
        && !inner.iter().any(|byte| *byte < b' ')
        && let Ok(text) = std::str::from_utf8(inner)
    {
        return Some(Cow::Borrowed(text));
    }
    serde_json::from_slice::<String>(raw).ok().map(Cow::Owned)
}

/// Returns the only member of the object at `place`; `None` unless there is exactly one.
pub(crate) fn only_member(bytes: &[u8], place: &ByteRange) -> Result<Option<ByteRange>, BodyError> {
    let mut found = Vec::new();
    JsonCursor::new(bytes, place.start).for_each_member(|cursor, _| {
        found.push(cursor.skip_value()?);
        Ok(())
    })?;
    Ok(found.pop().filter(|_| found.is_empty()))
}

/// Returns the text of a member of the object at `place`; `None` if it is missing or no string.
pub(crate) fn member_text(
    bytes: &[u8],
    place: &ByteRange,
    name: &str,
) -> Result<Option<String>, BodyError> {
    let [value] = find_members(bytes, place, [name])?;
    Ok(value.and_then(|value| Some(string_text(bytes, &value)?.into_owned())))
}
