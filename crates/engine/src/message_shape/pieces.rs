//! The serialized form of a shape's pieces. A file with thinned line numbers has a piece per line,
//! so consecutive kept pieces are written compactly as one row of numbers: bytes skipped and bytes
//! kept, in turn. The older form, piece by piece, is still read.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::ShapePiece;

/// A row of kept pieces, or another piece.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum SerializedRow<'p> {
    Kept(Vec<u32>),
    Other(&'p ShapePiece),
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum DeserializedRow {
    Kept(Vec<u32>),
    Other(ShapePiece),
}

pub(super) fn serialize<S: Serializer>(pieces: &[ShapePiece], to: S) -> Result<S::Ok, S::Error> {
    let mut rows: Vec<SerializedRow<'_>> = Vec::new();
    let mut end = 0;
    for piece in pieces {
        let next = match piece {
            ShapePiece::Keep(range) => {
                range.start.checked_sub(end).zip(range.end.checked_sub(range.start))
            }
            ShapePiece::Break | ShapePiece::Note(..) => None,
        };
        match (next, rows.last_mut()) {
            (Some((passed, kept)), Some(SerializedRow::Kept(row))) => row.extend([passed, kept]),
            (Some((passed, kept)), _) => rows.push(SerializedRow::Kept(vec![passed, kept])),
            (None, _) => rows.push(SerializedRow::Other(piece)),
        }
        end = match piece {
            ShapePiece::Keep(range) => range.end,
            ShapePiece::Break => end,
            ShapePiece::Note(to, _) => *to,
        };
    }
    rows.serialize(to)
}

pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<ShapePiece>, D::Error> {
    let mut pieces = Vec::new();
    let mut end: u32 = 0;
    for row in Vec::<DeserializedRow>::deserialize(from)? {
        match row {
            DeserializedRow::Kept(row) => {
                for pair in row.chunks(2) {
                    let range = match pair {
                        [passed, kept] => end
                            .checked_add(*passed)
                            .and_then(|start| Some(start..start.checked_add(*kept)?)),
                        _ => None,
                    };
                    let range = range.ok_or_else(|| D::Error::custom("pieces out of range"))?;
                    end = range.end;
                    pieces.push(ShapePiece::Keep(range));
                }
            }
            DeserializedRow::Other(piece) => {
                end = match &piece {
                    ShapePiece::Keep(range) => range.end,
                    ShapePiece::Break => end,
                    ShapePiece::Note(to, _) => *to,
                };
                pieces.push(piece);
            }
        }
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use foveal_transcript::Handle;

    use crate::message_shape::{MessageShape, ShapeKind, ShapePiece};
    use crate::note::{Note, NoteKind};

    fn shape(pieces: Vec<ShapePiece>) -> MessageShape {
        let (kind, rule) = (ShapeKind::Summary, "view".to_owned());
        MessageShape { kind, rule, pieces, handle: Handle::from_content(b"") }
    }

    fn note() -> Arc<Note> {
        Arc::new(Note::new(NoteKind::EveryNumbered(10)))
    }

    #[test]
    fn what_is_written_is_read_whatever_the_order() {
        let keep = |start, end| ShapePiece::Keep(start..end);
        for pieces in [
            vec![],
            vec![keep(0, 4), keep(9, 20), keep(20, 20)],
            vec![ShapePiece::Note(7, note()), keep(7, 9), ShapePiece::Break, keep(12, 13)],
            // What no rule makes.
            vec![keep(9, 12), keep(3, 5), keep(5, 6), ShapePiece::Note(2, note()), keep(4, 8)],
            vec![keep(0, u32::MAX), keep(u32::MAX, u32::MAX)],
        ] {
            let shape = shape(pieces);
            let text = serde_json::to_string(&shape).expect("JSON");
            assert_eq!(serde_json::from_str::<MessageShape>(&text).expect(&text), shape, "{text}");
        }
    }

    #[test]
    fn a_line_that_is_kept_is_two_numbers() {
        let pieces = vec![ShapePiece::Keep(7..20), ShapePiece::Keep(27..60), ShapePiece::Break];
        let text = serde_json::to_string(&shape(pieces)).expect("JSON");
        assert!(text.contains(r#""pieces":[[7,13,7,33],"Break"]"#), "{text}");
    }

    #[test]
    fn what_was_written_piece_by_piece_is_read_and_what_is_broken_is_not() {
        let read = |pieces: &str| {
            let text = serde_json::to_string(&shape(Vec::new())).expect("JSON");
            serde_json::from_str::<MessageShape>(&text.replace("\"pieces\":[]", pieces))
        };
        let old = read(r#""pieces":[{"Keep":{"start":3,"end":5}},"Break",[2,4]]"#).expect("read");
        assert_eq!(
            old.pieces,
            [ShapePiece::Keep(3..5), ShapePiece::Break, ShapePiece::Keep(7..11)]
        );
        for broken in ["[[1]]", "[[4294967295,1]]", "[[1,4294967295]]", "[[-1,2]]", "[7]"] {
            assert!(read(&format!("\"pieces\":{broken}")).is_err(), "{broken}");
        }
    }
}
