//! Private keys without their first line: bodies that stand before a last line, and blocks of
//! lines as keys are written in, whatever stands around them.

use std::ops::Range;

/// What the last line of a key begins with.
pub(crate) const END: &str = "-----end";

/// Lines of a key that are looked at before its last one.
const LINES_MAX: usize = 400;

/// Signs of a whole line of a key: as OpenSSL and as OpenSSH write them.
const WIDTHS: [usize; 2] = [64, 70];

/// Bytes above a block in which its name may stand.
const HEAD_BYTES_MAX: usize = 400;

/// Lines that a block of them has at least.
const BLOCK_LINES_MIN: usize = 3;

/// The body before the last line of a private key at `hit`, with that line.
pub(crate) fn body_before(text: &[u8], hit: usize) -> Option<Range<usize>> {
    let head = &text[hit..text.len().min(hit + 80)];
    let close = 10 + head.get(10..)?.windows(5).position(|part| part == b"-----")?;
    if !head[..close].windows(11).any(|part| part == b"PRIVATE KEY") {
        return None;
    }
    let mut start = hit;
    let mut rest = &text[..hit];
    for _ in 0..LINES_MAX {
        let (line, before) = last_line(rest)?;
        match body(line) {
            Some(word) => start = before.len() + word.start,
            // What stands before the last line in its own one: quotes, a number.
            None if start == hit && line.len() < 24 => {}
            None => break,
        }
        let Some(shorter) = without_feed(before) else { break };
        rest = shorter;
    }
    (start < hit).then(|| start..hit + close + 5)
}

/// Lines of keys have 64 or 76 letters, and what surrounds them.
const LINE_BYTES_MAX: usize = 512;

/// The last line of a text, whose feeds may be those of a string, and what stands before it.
fn last_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if text.is_empty() {
        return None;
    }
    // A line of a key is short.
    let least = text.len().saturating_sub(LINE_BYTES_MAX);
    let feed = memchr::memrchr(b'\n', &text[least..]).map(|at| least + at + 1);
    if feed.is_none() && least > 0 && !text[least..].windows(2).any(|part| part == b"\\n") {
        return None;
    }
    let from = feed.unwrap_or(least);
    let escape = text[from..].windows(2).rposition(|part| part == b"\\n").map(|at| from + at + 2);
    let at = escape.unwrap_or(from);
    Some((&text[at..], &text[..at]))
}

fn without_feed(text: &[u8]) -> Option<&[u8]> {
    text.strip_suffix(b"\n").or_else(|| text.strip_suffix(b"\\n"))
}

/// The base64 in a line that has nothing else but what surrounds lines: quotes, numbers, blanks.
fn body(line: &[u8]) -> Option<Range<usize>> {
    let end = line.iter().rposition(|byte| is_base64(*byte)).map(|at| at + 1)?;
    let is_tail =
        |byte: &u8| matches!(byte, b'"' | b'\'' | b',' | b';' | b'\r' | b' ' | b'\\' | b')');
    let mut end = end;
    // The `r` of an escaped `\r`, and a `+` that joins strings.
    if line[..end].ends_with(b"\\r") {
        end -= 2;
    } else if line[..end].ends_with(b" +") {
        end = line[..end - 2].iter().rposition(|byte| is_base64(*byte)).map(|at| at + 1)?;
    }
    let start = line[..end].iter().rposition(|byte| !is_base64(*byte)).map_or(0, |at| at + 1);
    let tail = &line[end..];
    let is_end = tail.iter().all(|byte| is_tail(byte) || matches!(byte, b'+' | b'r'));
    let gutter = &line[..start];
    let is_gutter = gutter.len() <= 24 && !gutter.iter().any(u8::is_ascii_alphabetic);
    (is_end && is_gutter && end - start >= 4).then_some(start..end)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Blocks of lines as keys are written in that stand under no other name, such as that of a
/// certificate.
pub(crate) fn blocks(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text).chain(std::iter::once(text.len())) {
        let line = &text[start..end];
        match (whole(line), &mut open) {
            (Some(word), Some(block)) if block.width == word.len() => {
                block.lines += 1;
                block.range.end = start + word.end;
            }
            (word, before) => {
                let mut below = start;
                if let (None, Some(block)) = (&word, &mut *before) {
                    // A key ends in a shorter line.
                    if let Some(last) = body(line).filter(|last| last.len() < block.width) {
                        block.range.end = start + last.end;
                        below = text.len().min(end + 1);
                    }
                }
                found.extend(
                    open.take().filter(|block| block.is_key(text, below)).map(|it| it.range),
                );
                open = word.map(|word| Block {
                    width: word.len(),
                    lines: 1,
                    range: start + word.start..start + word.end,
                });
            }
        }
        start = end + 1;
    }
    found.extend(open.filter(|block| block.is_key(text, text.len())).map(|block| block.range));
    found
}

/// Lines of one width.
struct Block {
    width: usize,
    lines: usize,
    range: Range<usize>,
}

impl Block {
    /// Whether it may be a key: neither the lines above it nor the one at `below` say that it is
    /// something that may be known.
    fn is_key(&self, text: &[u8], below: usize) -> bool {
        if self.lines < BLOCK_LINES_MIN {
            return false;
        }
        let above = &text[self.range.start.saturating_sub(HEAD_BYTES_MAX)..self.range.start];
        let begin =
            memchr::memmem::rfind(above, b"-- BEGIN").or(memchr::memmem::rfind(above, b"--BEGIN"));
        let is_named = begin.is_some_and(|at| {
            let name = &above[at..];
            let has = |part: &[u8]| memchr::memmem::find(name, part).is_some();
            !has(b"PRIVATE") && !has(b"END ")
        });
        let rest = &text[below..];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len()).min(HEAD_BYTES_MAX)];
        let has = |part: &[u8]| memchr::memmem::find(line, part).is_some();
        let is_ended = has(b"--") && has(b"END ") && !has(b"PRIVATE");
        !is_named && !is_ended
    }
}

/// The base64 of a line that is as long as those of keys, if it looks like chance.
fn whole(line: &[u8]) -> Option<Range<usize>> {
    if !(WIDTHS[0]..WIDTHS[1] + 30).contains(&line.len()) {
        return None;
    }
    let mut word = body(line)?;
    // The mark of a line that was added.
    word.start += usize::from(line.starts_with(b"+") && WIDTHS.contains(&(word.len() - 1)));
    if !WIDTHS.contains(&word.len()) {
        return None;
    }
    let signs = &line[word.clone()];
    let has = |is: fn(&u8) -> bool| signs.iter().filter(|sign| is(sign)).count() >= 3;
    let is_mixed =
        has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    is_mixed.then_some(word)
}
