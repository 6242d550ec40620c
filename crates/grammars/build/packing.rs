//! Tables of numbers in few bytes, in a form that `unpack.c` reads.
//!
//! All tables of a parser are one deflated text (RFC 1951). In it, for each table, over and over: how many numbers follow as they are, these numbers, how many numbers are
//! copied, and from how far back. Every number has seven bits a byte, low ones first, the top
//! bit set where more follow. A copy may overlap what it makes. No copy from nowhere ends a table.

/// Numbers that are compared before a copy is worth its bytes.
const MATCH_MIN: usize = 6;

/// Places remembered, by the numbers that begin there.
const PLACES: usize = 1 << 18;

/// `table`, packed. Its rows have `width` numbers, and neighbours are often alike.
pub(crate) fn pack(table: &[u16], width: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut places = vec![usize::MAX; PLACES];
    let (mut at, mut plain_from) = (0, 0);
    while at < table.len() {
        let (length, back) = best_copy(table, at, width, &places);
        let until = if length >= MATCH_MIN { at + length } else { at + 1 };
        if length >= MATCH_MIN {
            put_plain(&mut packed, &table[plain_from..at]);
            put(&mut packed, length);
            put(&mut packed, back);
            plain_from = until;
        }
        for place in at..until.min(at + 64) {
            if let Some(slot) = slot(table, place) {
                places[slot] = place;
            }
        }
        at = until;
    }
    put_plain(&mut packed, &table[plain_from..]);
    put(&mut packed, 0);
    put(&mut packed, 0);
    packed
}

/// The longest copy that can be made at `at`: its length, and how far back it begins.
fn best_copy(table: &[u16], at: usize, width: usize, places: &[usize]) -> (usize, usize) {
    let seen = slot(table, at).map_or(usize::MAX, |slot| places[slot]);
    let above = if width > 0 { at.checked_sub(width) } else { None };
    let before = at.checked_sub(1);
    let mut best = (0, 0);
    for from in [above, before, (seen != usize::MAX).then_some(seen)].into_iter().flatten() {
        let length = alike(&table[from..], &table[at..]);
        if length > best.0 {
            best = (length, at - from);
        }
    }
    best
}

/// Numbers that are the same from the beginnings on.
fn alike(one: &[u16], other: &[u16]) -> usize {
    let shorter = one.len().min(other.len());
    let mut length = 0;
    // Comparing slices is quick even where the build script is not optimised.
    while length + 64 <= shorter && one[length..length + 64] == other[length..length + 64] {
        length += 64;
    }
    while length < shorter && one[length] == other[length] {
        length += 1;
    }
    length
}

/// Where a place is remembered.
fn slot(table: &[u16], at: usize) -> Option<usize> {
    let [a, b, c, d] = *table.get(at..at + 4)? else { return None };
    let key = u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48;
    let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 46;
    usize::try_from(mixed).ok().map(|mixed| mixed % PLACES)
}

fn put_plain(packed: &mut Vec<u8>, numbers: &[u16]) {
    put(packed, numbers.len());
    for number in numbers {
        put(packed, usize::from(*number));
    }
}

fn put(packed: &mut Vec<u8>, mut number: usize) {
    while number >= 128 {
        packed.push((number % 128) as u8 | 128);
        number /= 128;
    }
    packed.push(number as u8);
}
