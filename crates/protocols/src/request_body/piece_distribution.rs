//! Distribution of one result's projection over the text parts in which the client sent it.

use std::ops::Range;

/// A piece of the text that replaces a content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentPiece<'a> {
    /// These bytes of the content.
    Keep(Range<usize>),
    /// A new text. It replaces the bytes of the content from the end of the previous piece to this
    /// offset; the range may be empty.
    Text(usize, &'a str),
}

/// The text of a part that lost all of its content.
pub const OMITTED_PART_TEXT: &str = "[left out, see above]";

/// Returns the new texts of a content's parts when `pieces` replace the whole content; `None` for
/// parts that stay as they are. `parts` are the byte ranges of the parts in `content`, ascending.
///
/// Kept bytes stay in their part. A new text goes to the part in which the replaced bytes begin. A
/// part that loses all of its content gets [`OMITTED_PART_TEXT`], since providers refuse empty
/// parts, or stays as it is if it is shorter. All parts stay as they are if the whole would become
/// longer or the pieces do not match the content.
pub fn distribute_pieces(
    content: &str,
    parts: &[Range<usize>],
    pieces: &[ContentPiece<'_>],
) -> Vec<Option<String>> {
    let unchanged = || vec![None; parts.len()];
    let Some(mut texts) = assign_pieces(content, parts, pieces) else { return unchanged() };
    let mut before = 0;
    let mut after = 0;
    for (text, part) in texts.iter_mut().zip(parts) {
        let original = &content[part.clone()];
        if text.trim().is_empty() && !original.trim().is_empty() {
            *text += OMITTED_PART_TEXT;
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

/// Returns the text that the pieces give each part.
fn assign_pieces(
    content: &str,
    parts: &[Range<usize>],
    pieces: &[ContentPiece<'_>],
) -> Option<Vec<String>> {
    if parts.iter().any(|part| content.get(part.clone()).is_none()) {
        return None;
    }
    let mut texts = vec![String::new(); parts.len()];
    let mut at = 0;
    for piece in pieces {
        match piece {
            ContentPiece::Keep(range) => {
                let first = parts.partition_point(|part| part.end <= range.start);
                for (text, part) in texts.iter_mut().zip(parts).skip(first) {
                    if part.start >= range.end {
                        break;
                    }
                    *text += content.get(range.start.max(part.start)..range.end.min(part.end))?;
                }
                at = range.end;
            }
            ContentPiece::Text(end, ours) => {
                *texts.get_mut(part_index(parts, at..*end))? += ours;
                at = *end;
            }
        }
    }
    Some(texts)
}

/// Returns the index of the part in which these bytes of the content begin. Bytes that begin
/// between two parts belong to the later part if it contains any of them.
fn part_index(parts: &[Range<usize>], bytes: Range<usize>) -> usize {
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
