//! An estimate from above that needs no vocabulary.

use super::Tokens;

/// Letters of a word that one token holds, about; of long runs of letters, which are no words,
/// fewer.
const LETTERS: usize = 6;
const LETTERS_NO_WORD: usize = 3;
const WORD_MAX: usize = 20;

/// Digits that one token holds, in both vocabularies of OpenAI.
const DIGITS: usize = 3;

/// What a run of characters is to a tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Blank,
    Break,
    Sign,
    Other,
}

impl Class {
    fn of(byte: u8) -> Self {
        match byte {
            b'A'..=b'Z' => Self::Upper,
            b'a'..=b'z' => Self::Lower,
            b'0'..=b'9' => Self::Digit,
            b' ' | b'\t' => Self::Blank,
            b'\n' | b'\r' => Self::Break,
            0x80.. => Self::Other,
            _ => Self::Sign,
        }
    }
}

/// Tokens of `text`, by the runs of characters in it: words (cut at a capital within one),
/// numbers, signs and white space, as the vocabularies of OpenAI cut them. Of source code in
/// several languages, data and prose with line numbers it gave 0.95 to 1.35 times the o200k
/// count, 1.13 in the middle.
pub fn estimate(text: &str) -> Tokens {
    let bytes = text.as_bytes();
    let mut tokens = 0;
    let mut at = 0;
    let mut class = Class::Break;
    while at < bytes.len() {
        let before = std::mem::replace(&mut class, Class::of(bytes[at]));
        let start = at;
        while at < bytes.len() && Class::of(bytes[at]) == class {
            at += 1;
        }
        let mut run = at - start;
        if class == Class::Upper && at < bytes.len() && Class::of(bytes[at]) == Class::Lower {
            // The capital begins the word that follows.
            while at < bytes.len() && Class::of(bytes[at]) == Class::Lower {
                at += 1;
            }
            tokens += letters(run - 1);
            run = at - start - (run - 1);
            tokens += letters(run);
            continue;
        }
        tokens += match class {
            Class::Upper | Class::Lower => letters(run),
            Class::Digit => run.div_ceil(DIGITS),
            // One blank goes with the word behind it, but not with a number.
            Class::Blank => {
                let is_number = bytes.get(at).is_some_and(u8::is_ascii_digit);
                usize::from(run > 1) + usize::from(is_number)
            }
            // Line breaks go with the signs before them.
            Class::Break => usize::from(before != Class::Sign),
            Class::Sign => run.div_ceil(2),
            // Two or three bytes are a letter of most scripts.
            Class::Other => run.div_ceil(3),
        };
    }
    Tokens(tokens as u64)
}

fn letters(count: usize) -> usize {
    count.div_ceil(if count > WORD_MAX { LETTERS_NO_WORD } else { LETTERS })
}
