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
    /// How many numbers of words there are before those of each part of `heads`.
    ranks: Vec<u16>,
    /// Where the words of each number begin, in the order of the numbers; last, where all end.
    starts: Vec<u16>,
    /// By the number of their first three signs.
    words: Vec<(&'static str, T)>,
}

impl Dictionary<()> {
    /// Words that stand for nothing but themselves.
    pub(crate) fn of(words: &[&'static str]) -> Self {
        Self::new(words.iter().map(|word| (*word, ())))
    }
}

impl<T: Copy> Dictionary<T> {
    /// Words of three signs or more.
    pub(crate) fn new(words: impl Iterator<Item = (&'static str, T)>) -> Self {
        let head = |word: &str| word.bytes().take(HEAD).fold(0, number);
        let mut words: Vec<(u32, &'static str, T)> =
            words.map(|(word, value)| (head(word), word, value)).collect();
        words.sort_by_key(|(head, ..)| *head);
        let mut heads: Vec<u64> = vec![0; HEADS / 64];
        let mut starts = Vec::new();
        for (at, (head, ..)) in (0..).zip(&words) {
            let part = &mut heads[*head as usize / 64];
            if *part >> (head % 64) & 1 == 0 {
                starts.push(at);
            }
            *part |= 1 << (head % 64);
        }
        starts.push(u16::try_from(words.len()).expect("there are a few hundred words"));
        let mut rank = 0;
        let before = |part: &u64| {
            rank += part.count_ones() as u16;
            rank - part.count_ones() as u16
        };
        let ranks = heads.iter().map(before).collect();
        let words = words.into_iter().map(|(_, word, value)| (word, value)).collect();
        Self { heads, ranks, starts, words }
    }

    /// Whether one of the words is in `text`.
    pub(crate) fn is_in(&self, text: &[u8]) -> bool {
        let mut is_in = false;
        self.each(text, |_, _, _| {
            is_in = true;
            false
        });
        is_in
    }

    /// The words that begin with the signs of a number.
    fn words(&self, head: u32) -> &[(&'static str, T)] {
        let (part, bit) = (head as usize / 64, head % 64);
        if self.heads[part] >> bit & 1 == 0 {
            return &[];
        }
        let below = self.heads[part] & ((1 << bit) - 1);
        let at = usize::from(self.ranks[part]) + below.count_ones() as usize;
        &self.words[usize::from(self.starts[at])..usize::from(self.starts[at + 1])]
    }

    /// Calls `found` with the place of each word in `text` in order, and with what the word
    /// stands for, until it says that it has enough.
    pub(crate) fn each(&self, text: &[u8], mut found: impl FnMut(usize, &'static str, T) -> bool) {
        let mut head = text.iter().take(HEAD - 1).fold(0, |head, sign| number(head, *sign));
        for (start, sign) in text.iter().skip(HEAD - 1).enumerate() {
            head = number(head, *sign);
            for (word, value) in self.words(head) {
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
