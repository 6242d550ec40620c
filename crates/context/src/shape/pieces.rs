//! The pieces of a shape as they are written down. Of a file whose numbers are thinned each line is
//! one, so that those that keep text are written as few numbers: in a row of them, how many bytes
//! are passed over and how many are kept, in turn. What was written piece by piece is read, too.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::Piece;

/// Pieces in a row.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Written<'p> {
    Kept(Vec<u32>),
    Other(&'p Piece),
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Read {
    Kept(Vec<u32>),
    Other(Piece),
}

pub(super) fn serialize<S: Serializer>(pieces: &[Piece], to: S) -> Result<S::Ok, S::Error> {
    let mut rows: Vec<Written<'_>> = Vec::new();
    let mut end = 0;
    for piece in pieces {
        let next = match piece {
            Piece::Keep(range) => {
                range.start.checked_sub(end).zip(range.end.checked_sub(range.start))
            }
            Piece::Break | Piece::Note(..) => None,
        };
        match (next, rows.last_mut()) {
            (Some((passed, kept)), Some(Written::Kept(row))) => row.extend([passed, kept]),
            (Some((passed, kept)), _) => rows.push(Written::Kept(vec![passed, kept])),
            (None, _) => rows.push(Written::Other(piece)),
        }
        end = match piece {
            Piece::Keep(range) => range.end,
            Piece::Break => end,
            Piece::Note(to, _) => *to,
        };
    }
    rows.serialize(to)
}

pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Piece>, D::Error> {
    let mut pieces = Vec::new();
    let mut end: u32 = 0;
    for row in Vec::<Read>::deserialize(from)? {
        match row {
            Read::Kept(row) => {
                for pair in row.chunks(2) {
                    let range = match pair {
                        [passed, kept] => end
                            .checked_add(*passed)
                            .and_then(|start| Some(start..start.checked_add(*kept)?)),
                        _ => None,
                    };
                    let range = range.ok_or_else(|| D::Error::custom("pieces out of range"))?;
                    end = range.end;
                    pieces.push(Piece::Keep(range));
                }
            }
            Read::Other(piece) => {
                end = match &piece {
                    Piece::Keep(range) => range.end,
                    Piece::Break => end,
                    Piece::Note(to, _) => *to,
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

    use crate::note::{Note, NoteKind};
    use crate::shape::{Piece, Shape, ShapeKind};

    fn shape(pieces: Vec<Piece>) -> Shape {
        let (kind, rule) = (ShapeKind::Summary, "view".to_owned());
        Shape { kind, rule, pieces, handle: Handle::of(b"") }
    }

    fn note() -> Arc<Note> {
        Arc::new(Note::new(NoteKind::EveryNumbered(10)))
    }

    #[test]
    fn what_is_written_is_read_whatever_the_order() {
        let keep = |start, end| Piece::Keep(start..end);
        for pieces in [
            vec![],
            vec![keep(0, 4), keep(9, 20), keep(20, 20)],
            vec![Piece::Note(7, note()), keep(7, 9), Piece::Break, keep(12, 13)],
            // What no rule makes.
            vec![keep(9, 12), keep(3, 5), keep(5, 6), Piece::Note(2, note()), keep(4, 8)],
            vec![keep(0, u32::MAX), keep(u32::MAX, u32::MAX)],
        ] {
            let shape = shape(pieces);
            let text = serde_json::to_string(&shape).expect("JSON");
            assert_eq!(serde_json::from_str::<Shape>(&text).expect(&text), shape, "{text}");
        }
    }

    #[test]
    fn a_line_that_is_kept_is_two_numbers() {
        let pieces = vec![Piece::Keep(7..20), Piece::Keep(27..60), Piece::Break];
        let text = serde_json::to_string(&shape(pieces)).expect("JSON");
        assert!(text.contains(r#""pieces":[[7,13,7,33],"Break"]"#), "{text}");
    }

    #[test]
    fn what_was_written_piece_by_piece_is_read_and_what_is_broken_is_not() {
        let read = |pieces: &str| {
            let text = serde_json::to_string(&shape(Vec::new())).expect("JSON");
            serde_json::from_str::<Shape>(&text.replace("\"pieces\":[]", pieces))
        };
        let old = read(r#""pieces":[{"Keep":{"start":3,"end":5}},"Break",[2,4]]"#).expect("read");
        assert_eq!(old.pieces, [Piece::Keep(3..5), Piece::Break, Piece::Keep(7..11)]);
        for broken in ["[[1]]", "[[4294967295,1]]", "[[1,4294967295]]", "[[-1,2]]", "[7]"] {
            assert!(read(&format!("\"pieces\":{broken}")).is_err(), "{broken}");
        }
    }
}
