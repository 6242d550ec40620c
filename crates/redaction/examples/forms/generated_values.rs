//! Texts with made-up values from a seed, so that the repository contains no value.
//!
//! A template writes each value as `<<SORT:LENGTH>>`, and a secret one as `<<!SORT:LENGTH>>`; `\n`
//! is a line feed, and `=====` are the dashes around names of keys.

/// A text and its secrets.
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) secrets: Vec<String>,
}

/// A pseudo-random number generator with a seed (SplitMix64).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most as u64).expect("it is below a length")
    }

    fn signs(&mut self, of: &str, length: usize) -> String {
        (0..length).map(|_| char::from(of.as_bytes()[self.below(of.len())])).collect()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// Returns a random value of a sort.
    fn value(&mut self, sort: &str, length: usize) -> String {
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const DIGITS: &str = "0123456789";
        let alnum = [LOWER, UPPER, DIGITS].concat();
        match sort {
            "alnum" => self.signs(&alnum, length),
            "b64" => self.signs(&format!("{alnum}+/"), length),
            "url" => self.signs(&format!("{alnum}-_"), length),
            "hex" => self.signs("0123456789abcdef", length),
            "lower" => self.signs(LOWER, length),
            "low" => self.signs(&format!("{LOWER}{DIGITS}"), length),
            "cap" => self.signs(&format!("{UPPER}{DIGITS}"), length),
            "b32" => self.signs(&format!("{UPPER}234567"), length),
            "digit" => self.signs("123456789", length),
            "uuid" => [8, 4, 4, 4, 12].map(|length| self.value("hex", length)).join("-"),
            // As people choose them: words with a number and a symbol.
            "pw" => {
                let first =
                    self.one(&["horse", "Summer", "dragon", "Winter", "monkey", "Berlin", "tiger"]);
                let (number, sign) =
                    (self.signs(DIGITS, 3), self.one(&["!", "?", "#", "@", "-", "_"]));
                format!(
                    "{first}{number}{sign}{}",
                    self.one(&["Rain", "bike", "Moon", "x7", "Stone"])
                )
            }
            // A word and a number.
            "word" => format!(
                "{}{}",
                self.one(&["hunter", "sunshine", "falcon", "matrix"]),
                self.signs(DIGITS, 2 + length)
            ),
            "base64" => {
                // Of a name and a password.
                let plain = format!(
                    "{}:{}",
                    self.one(&["deploy", "robot", "ci"]),
                    self.value("alnum", length)
                );
                encoded(plain.as_bytes())
            }
            "encoded" => {
                let plain = self.value("alnum", length);
                encoded(plain.as_bytes())
            }
            other => panic!("there is no sort `{other}`"),
        }
    }

    /// Fills in a template.
    pub(crate) fn text(&mut self, template: &str) -> Text {
        let template = template.replace("\\n", "\n").replace("\\t", "\t").replace("=====", "-----");
        let mut parts = template.split("<<");
        let mut made =
            Text { text: parts.next().unwrap_or_default().to_owned(), secrets: Vec::new() };
        for part in parts {
            let (name, rest) = part.split_once(">>").expect("a value is closed");
            let (is_secret, name) = (name.starts_with('!'), name.trim_start_matches('!'));
            let (sort, length) = name.split_once(':').unwrap_or((name, "0"));
            let value = self.value(sort, length.parse().expect("a length"));
            made.text.push_str(&value);
            made.text.push_str(rest);
            if is_secret {
                made.secrets.push(value);
            }
        }
        made
    }
}

fn encoded(bytes: &[u8]) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let bits = part.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - part.len()));
        for at in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * at)) as usize & 63];
            text.push(if at <= part.len() { char::from(sign) } else { '=' });
        }
    }
    text
}
