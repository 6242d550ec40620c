//! Ways down into JSON text: some members of an object, the elements of an array. As the readers
//! of decoded bodies have it, the last of several members with one name counts.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::Cursor;
use super::error::BodyError;

/// Where a value stands.
pub(super) type Place = Range<usize>;

/// Where the value stands that all of the bytes are.
pub(super) fn value(bytes: &[u8]) -> Result<Place, BodyError> {
    Cursor::new(bytes, 0).skip()
}

/// The values of these members of the object at `place`; none where it is no object.
pub(super) fn members<const N: usize>(
    bytes: &[u8],
    place: &Place,
    names: [&str; N],
) -> Result<[Option<Place>; N], BodyError> {
    let mut found = [const { None }; N];
    Cursor::new(bytes, place.start).object(|cursor, key| {
        let value = cursor.skip()?;
        let name = key.name();
        if let Some(at) = names.iter().position(|wanted| wanted.as_bytes() == &*name) {
            found[at] = Some(value);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The elements of the array at `place`; `None` where it is no array.
pub(super) fn elements(bytes: &[u8], place: &Place) -> Result<Option<Vec<Place>>, BodyError> {
    if bytes[place.start] != b'[' {
        return Ok(None);
    }
    let mut found = Vec::new();
    Cursor::new(bytes, place.start).array(|cursor| {
        found.push(cursor.skip()?);
        Ok(())
    })?;
    Ok(Some(found))
}

/// Whether a string stands here.
pub(super) fn is_string(bytes: &[u8], place: &Place) -> bool {
    bytes[place.start] == b'"'
}

/// The string that stands here; `None` where there is something else, or no valid string.
pub(super) fn text<'a>(bytes: &'a [u8], place: &Place) -> Option<Cow<'a, str>> {
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

/// The only member of the object at `place`; `None` where there are none or more, or no object.
pub(super) fn lone_member(bytes: &[u8], place: &Place) -> Result<Option<Place>, BodyError> {
    let mut found = Vec::new();
    Cursor::new(bytes, place.start).object(|cursor, _| {
        found.push(cursor.skip()?);
        Ok(())
    })?;
    Ok(found.pop().filter(|_| found.is_empty()))
}
