//! Words that are looked for in texts, all at once and in either case.
//!
//! The first three signs of a word are a number of 18 bits. A text is read sign by sign; only
//! where the number of the next three is that of a word are words compared. Nothing else has to
//! be made ready, which takes less than searching a short text does.

/// Signs of a word by which it is found.
const HEAD: usize = 3;

/// Bits of a sign that is folded.
const SIGN_BITS: u32 = 6;

const HEADS: usize = 1 << (SIGN_BITS * HEAD as u32);

/// Words, each with what it stands for.
pub(crate) struct Dictionary<T> {
    /// Whether some word begins with the three signs of a number.
    heads: Vec<u64>,
    /// By the number of their first three signs.
    words: Vec<(u32, &'static str, T)>,
}

impl<T: Copy> Dictionary<T> {
    /// Words of three signs or more.
    pub(crate) fn new(words: impl Iterator<Item = (&'static str, T)>) -> Self {
        let head = |word: &str| word.bytes().take(HEAD).fold(0, number);
        let mut words: Vec<(u32, &'static str, T)> =
            words.map(|(word, value)| (head(word), word, value)).collect();
        words.sort_by_key(|(head, ..)| *head);
        let mut heads = vec![0; HEADS / 64];
        for (head, ..) in &words {
            heads[*head as usize / 64] |= 1 << (head % 64);
        }
        Self { heads, words }
    }

    /// Calls `found` with the place of each word in `text` in order, and with what the word
    /// stands for, until it says that it has enough.
    pub(crate) fn each(&self, text: &[u8], mut found: impl FnMut(usize, &'static str, T) -> bool) {
        let mut head = text.iter().take(HEAD - 1).fold(0, |head, sign| number(head, *sign));
        for (start, sign) in text.iter().skip(HEAD - 1).enumerate() {
            head = number(head, *sign);
            if self.heads[head as usize / 64] >> (head % 64) & 1 == 0 {
                continue;
            }
            let from = self.words.partition_point(|(other, ..)| *other < head);
            let same = self.words[from..].iter().take_while(|(other, ..)| *other == head);
            for (_, word, value) in same {
                let part = text.get(start..start + word.len());
                let is_word = part.is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()));
                if is_word && !found(start, word, *value) {
                    return;
                }
            }
        }
    }
}

/// The number of three signs, the last of which is `sign`.
fn number(before: u32, sign: u8) -> u32 {
    (before << SIGN_BITS | u32::from(FOLDED[usize::from(sign)])) & (HEADS as u32 - 1)
}

/// Signs in few bits: letters in either case are the same, those that are in no word are 0.
static FOLDED: [u8; 256] = {
    let signs = b"abcdefghijklmnopqrstuvwxyz0123456789_-.:/=\"'?&$+~{ \\!,<>@#%*(\t";
    let mut folded = [0; 256];
    let mut at = 0;
    while at < signs.len() {
        folded[signs[at] as usize] = at as u8 % 63 + 1;
        folded[signs[at].to_ascii_uppercase() as usize] = at as u8 % 63 + 1;
        at += 1;
    }
    folded
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_order_and_in_either_case() {
        let words = ["pass", "password", "_pw", "://", "word", "\"d\""];
        let dictionary = Dictionary::new(words.into_iter().map(|word| (word, word.len())));
        let mut found = Vec::new();
        dictionary.each(b"a://PassWord_pw\"D\"pas", |at, word, value| {
            assert_eq!(word.len(), value);
            found.push((at, word));
            true
        });
        found.sort_unstable();
        assert_eq!(
            found,
            [(1, "://"), (4, "pass"), (4, "password"), (8, "word"), (12, "_pw"), (15, "\"d\"")]
        );
        dictionary.each(b"pa", |_, _, _| panic!("no word is that short"));
    }
}
