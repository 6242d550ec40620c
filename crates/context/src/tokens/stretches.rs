//! Long stretches without a break, cut in parts: a vocabulary merges each as a whole, which takes
//! ten times as long for each byte as words do.

/// Bytes of a stretch that is cut.
const LONG_BYTES: usize = 4_096;

/// Bytes of a part. A stretch of one sign again and again has the same tokens cut or whole, as
/// its tokens' lengths are divisors of this.
const PART_BYTES: usize = 1_024;

/// What a stretch consists of: pieces of every vocabulary end where it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letters,
    Blanks,
    Signs,
    /// Never in long pieces.
    Digits,
}

/// The parts of `text`, in order; all of it in one if there is no long stretch.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(part_len(rest));
        rest = after;
        Some(part)
    })
}

/// Bytes up to the first long stretch, or those of a part of it if it begins here.
fn part_len(text: &str) -> usize {
    if text.len() < LONG_BYTES {
        return text.len();
    }
    let (mut start, mut class) = (0, Class::Digits);
    for (at, sign) in text.char_indices() {
        let next = class_of(sign);
        if next != class {
            (start, class) = (at, next);
        }
        if class != Class::Digits && at + sign.len_utf8() - start >= LONG_BYTES {
            return match start {
                0 => text.floor_char_boundary(PART_BYTES),
                start => start,
            };
        }
    }
    text.len()
}

fn class_of(sign: char) -> Class {
    match sign {
        'a'..='z' | 'A'..='Z' => Class::Letters,
        '0'..='9' => Class::Digits,
        _ if sign.is_whitespace() => Class::Blanks,
        _ if sign.is_ascii() => Class::Signs,
        _ if sign.is_alphabetic() => Class::Letters,
        _ => Class::Signs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::Tokenizer;

    fn whole(text: &str) -> u64 {
        let encoding = tiktoken::get_encoding("o200k_base").expect("it is compiled in");
        encoding.count(text) as u64
    }

    #[test]
    fn short_stretches_stay_whole() {
        for text in ["", "a", "one two\n", &"word and 17 more; ".repeat(1_000), &"17".repeat(9_000)]
        {
            assert!(parts(text).count() <= 1, "{text:.20}");
        }
    }

    #[test]
    fn long_stretches_are_cut_without_loss() {
        for stretch in ["x", "\n", " ", "=", "ab", "語", "é", "-+", "\u{1b}["] {
            let run = stretch.repeat(9_000 / stretch.len());
            let text = format!("one two\n{run}3 four\n{run}\n");
            assert_eq!(parts(&text).collect::<String>(), text);
            assert!(parts(&text).all(|part| part.len() < LONG_BYTES + PART_BYTES), "{stretch:?}");
            assert!(parts(&text).count() > 8, "{stretch:?}");
            let (cut, whole) = (Tokenizer::O200k.count(&text).0, whole(&text));
            let most = 4 * parts(&text).count() as u64;
            assert!(cut.abs_diff(whole) <= most, "{stretch:?}: {cut}, {whole}");
        }
    }

    #[test]
    fn one_sign_again_and_again_has_as_many_tokens() {
        for stretch in ["x", " ", "=", "-", "#", "*", "a", "\n", "_"] {
            for bytes in [4_096, 5_000, 8_191, 20_000] {
                let run = stretch.repeat(bytes);
                assert_eq!(Tokenizer::O200k.count(&run).0, whole(&run), "{stretch:?} {bytes}");
            }
        }
    }

    #[test]
    fn work_does_not_grow_with_the_square() {
        // Stretches just long enough, one after another.
        let text = format!("{} ", "x".repeat(LONG_BYTES)).repeat(200);
        assert_eq!(parts(&text).collect::<String>(), text);
        assert!(parts(&text).count() <= 200 * 8);
    }
}
