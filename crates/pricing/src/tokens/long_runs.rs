//! Splits long runs of one character class into parts. A vocabulary merges such a run as a whole,
//! which takes ten times as long per byte as words do.

/// Shortest run that is split, in bytes.
const LONG_RUN_BYTES_MIN: usize = 4_096;

/// Bytes of a part. A run of one repeated character has the same tokens split or whole, since the
/// lengths of its tokens divide this.
const PART_BYTES: usize = 1_024;

/// The class of a run. Pieces of every vocabulary end where it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunClass {
    Letters,
    Blanks,
    Signs,
    /// Never in long pieces.
    Digits,
}

/// Returns the parts of `text`, in order; the whole text if it has no long run.
pub(super) fn split_long_runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(next_part_len(rest));
        rest = after;
        Some(part)
    })
}

/// Returns the length up to the first long run, or of one part of it if the run begins here.
fn next_part_len(text: &str) -> usize {
    if text.len() < LONG_RUN_BYTES_MIN {
        return text.len();
    }
    let (mut start, mut class) = (0, RunClass::Digits);
    for (at, sign) in text.char_indices() {
        let next = run_class(sign);
        if next != class {
            (start, class) = (at, next);
        }
        if class != RunClass::Digits && at + sign.len_utf8() - start >= LONG_RUN_BYTES_MIN {
            return match start {
                0 => text.floor_char_boundary(PART_BYTES),
                start => start,
            };
        }
    }
    text.len()
}

fn run_class(sign: char) -> RunClass {
    match sign {
        'a'..='z' | 'A'..='Z' => RunClass::Letters,
        '0'..='9' => RunClass::Digits,
        _ if sign.is_whitespace() => RunClass::Blanks,
        _ if sign.is_ascii() => RunClass::Signs,
        _ if sign.is_alphabetic() => RunClass::Letters,
        _ => RunClass::Signs,
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
            assert!(split_long_runs(text).count() <= 1, "{text:.20}");
        }
    }

    #[test]
    fn long_stretches_are_cut_without_loss() {
        for stretch in ["x", "\n", " ", "=", "ab", "語", "é", "-+", "\u{1b}["] {
            let run = stretch.repeat(9_000 / stretch.len());
            let text = format!("one two\n{run}3 four\n{run}\n");
            assert_eq!(split_long_runs(&text).collect::<String>(), text);
            assert!(
                split_long_runs(&text).all(|part| part.len() < LONG_RUN_BYTES_MIN + PART_BYTES),
                "{stretch:?}"
            );
            assert!(split_long_runs(&text).count() > 8, "{stretch:?}");
            let (cut, whole) = (Tokenizer::O200k.count(&text).0, whole(&text));
            let most = 4 * split_long_runs(&text).count() as u64;
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
        let text = format!("{} ", "x".repeat(LONG_RUN_BYTES_MIN)).repeat(200);
        assert_eq!(split_long_runs(&text).collect::<String>(), text);
        assert!(split_long_runs(&text).count() <= 200 * 8);
    }
}
