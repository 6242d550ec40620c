//! Line diffs, and their text form with line numbers.

use std::fmt::Write as _;

use foveal_screen::numbers::PlainCount;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

/// Changed lines that are compared; longer changes between the equal lines at both ends count as
/// one replacement.
const LINES_COMPARED_MAX: usize = 4000;
/// Bytes of a line that are shown.
const LINE_BYTES_MAX: usize = 200;

/// Returns the operations that turn `old` into `new`, in bounded time.
pub(super) fn diff_operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tail.take_while(|(old, new)| old == new).count();
    let (old_len, new_len) = (old_rest.len() - tail, new_rest.len() - tail);
    let mut operations = Vec::new();
    if head > 0 {
        operations.push(DiffOp::Equal { old_index: 0, new_index: 0, len: head });
    }
    if old_len.max(new_len) > LINES_COMPARED_MAX && old_len.min(new_len) > 0 {
        operations.push(DiffOp::Replace { old_index: head, old_len, new_index: head, new_len });
    } else {
        let found =
            capture_diff_slices(Algorithm::Myers, &old_rest[..old_len], &new_rest[..new_len]);
        operations.extend(found.into_iter().map(|op| offset_operation(op, head)));
    }
    if tail > 0 {
        operations.push(DiffOp::Equal {
            old_index: head + old_len,
            new_index: head + new_len,
            len: tail,
        });
    }
    operations
}

fn offset_operation(op: DiffOp, by: usize) -> DiffOp {
    let (tag, old, new) = op.as_tag_tuple();
    let (old_index, new_index) = (old.start + by, new.start + by);
    match tag {
        DiffTag::Equal => DiffOp::Equal { old_index, new_index, len: old.len() },
        DiffTag::Delete => DiffOp::Delete { old_index, old_len: old.len(), new_index },
        DiffTag::Insert => DiffOp::Insert { old_index, new_index, new_len: new.len() },
        DiffTag::Replace => {
            DiffOp::Replace { old_index, old_len: old.len(), new_index, new_len: new.len() }
        }
    }
}

/// One line of a diff as text.
pub(super) struct DiffLine<'t> {
    /// The line number, if it is meaningful to the reader.
    pub(super) number: Option<usize>,
    /// ` `, `-` or `+`.
    pub(super) sign: char,
    pub(super) text: &'t str,
}

/// Writes lines as `  12 + text`, at most `lines_max` of them, and the number of omitted ones.
pub(super) fn write_diff_lines(out: &mut String, lines: &[DiffLine<'_>], lines_max: usize) {
    for line in lines.iter().take(lines_max) {
        let number = line.number.map(|number| number.to_string()).unwrap_or_default();
        let cut = line.text.floor_char_boundary(LINE_BYTES_MAX.min(line.text.len()));
        let (text, rest) = line.text.split_at(cut);
        let more = match rest.len() {
            0 => String::new(),
            more => format!(" [{}]", PlainCount::new(more, "more byte")),
        };
        let full = format!("{number:>5} {} {text}{more}", line.sign);
        writeln!(out, "{}", full.trim_end()).expect("writing to a string does not fail");
    }
    if lines.len() > lines_max {
        let more = PlainCount::new(lines.len() - lines_max, "more line");
        writeln!(out, "[{more} of the difference]").expect("writing to a string does not fail");
    }
}
