//! What the projection of one result means for the parts that the client sent its text in.

use std::ops::Range;

/// One piece of what stands in a content's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// These bytes of the content.
    Keep(Range<usize>),
    /// A text of ours. It stands for the bytes of the content from where the piece before it ended
    /// to this one; that may be none.
    Text(usize, &'a str),
}

/// What stands in a part of which nothing is left.
pub const LEFT_OUT: &str = "[left out, see above]";

/// The texts that take the places of a content's parts, where these `pieces` take the place of the
/// whole; `None` for a part that stays as it is. `parts` are the bytes of `content` that each part
/// is, ascending.
///
/// Kept bytes stay in their part. A text of ours goes to the part in which the bytes begin that it
/// stands for. A part of which nothing is left says so, since providers refuse empty ones, or
/// stays as it is where that is shorter. Every part stays as it is where the whole would become
/// longer, and where the pieces are none of this content.
pub fn divide(content: &str, parts: &[Range<usize>], pieces: &[Piece<'_>]) -> Vec<Option<String>> {
    let unchanged = || vec![None; parts.len()];
    let Some(mut texts) = dealt(content, parts, pieces) else { return unchanged() };
    let mut before = 0;
    let mut after = 0;
    for (text, part) in texts.iter_mut().zip(parts) {
        let original = &content[part.clone()];
        if text.trim().is_empty() && !original.trim().is_empty() {
            *text += LEFT_OUT;
            if text.len() >= original.len() {
                original.clone_into(text);
            }
        }
        before += original.len();
        after += text.len();
    }
    if after > before {
        return unchanged();
    }
    let texts = texts.into_iter().zip(parts);
    texts.map(|(text, part)| (text != content[part.clone()]).then_some(text)).collect()
}

/// What of the pieces falls to each part.
fn dealt(content: &str, parts: &[Range<usize>], pieces: &[Piece<'_>]) -> Option<Vec<String>> {
    if parts.iter().any(|part| content.get(part.clone()).is_none()) {
        return None;
    }
    let mut texts = vec![String::new(); parts.len()];
    let mut at = 0;
    for piece in pieces {
        match piece {
            Piece::Keep(range) => {
                let first = parts.partition_point(|part| part.end <= range.start);
                for (text, part) in texts.iter_mut().zip(parts).skip(first) {
                    if part.start >= range.end {
                        break;
                    }
                    *text += content.get(range.start.max(part.start)..range.end.min(part.end))?;
                }
                at = range.end;
            }
            Piece::Text(end, ours) => {
                *texts.get_mut(part_of(parts, at..*end))? += ours;
                at = *end;
            }
        }
    }
    Some(texts)
}

/// The part in which bytes of the content begin. Those that begin between two parts belong to the
/// later one, if any of them is in it.
fn part_of(parts: &[Range<usize>], bytes: Range<usize>) -> usize {
    let is_in = |part: &Range<usize>| part.start < bytes.end && bytes.start < part.end;
    let first = parts.partition_point(|part| part.end <= bytes.start);
    let found = parts[first..].iter().position(is_in);
    found.map_or_else(
        || parts.partition_point(|part| part.start <= bytes.start).saturating_sub(1),
        |found| first + found,
    )
}

#[cfg(test)]
mod tests;
