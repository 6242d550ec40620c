//! Places in strings of JSON.

use crate::body::walk::Place;

/// Where in a string of JSON the byte of its text stands.
pub(super) fn place_in(bytes: &[u8], string: &Place, at: usize) -> Option<usize> {
    let inner = string.start + 1..string.end - 1;
    let raw = &bytes[inner.clone()];
    let (mut read, mut place) = (0, 0);
    while read < at {
        let length = match raw.get(place)? {
            b'\\' if raw.get(place + 1) == Some(&b'u') => {
                // Two of them may be one character.
                let is_pair = matches!(
                    raw.get(place + 2..place + 4)?,
                    [b'd' | b'D', b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B']
                );
                if is_pair { 12 } else { 6 }
            }
            b'\\' => 2,
            _ => 1,
        };
        let piece = raw.get(place..place + length)?;
        read += match piece {
            [b'\\', ..] => {
                let quoted = [b"\"", piece, b"\""].concat();
                serde_json::from_slice::<String>(&quoted).ok()?.len()
            }
            _ => length,
        };
        place += length;
    }
    (read == at).then_some(inner.start + place)
}
