//! Secrets in texts: what looks like one is replaced by a note before the text is kept.
//!
//! One redactor for the store, the index and whatever else writes texts to disk. It is pure and
//! linear: one pass finds the words that secrets begin with or are assigned to, and only there
//! forms are tried; a second pass looks for long words of chance, a third for the bodies of keys.
//! Lines that tools show with numbers or marks in front are read without these too, and strings
//! with escapes as what they mean.
//! Secrets that were encoded, encrypted or split are not found, except base64 where its meaning
//! is known.

mod assignment;
mod diff_sides;
mod escapes;
mod gutters;
mod pattern;
mod random_words;
mod reading;
mod readings;
mod redact;
mod rules;
mod scanner;
mod secret;
mod shape;
mod tables;
mod value;
mod wide;

pub use redact::{Redacted, find, redact, without};
pub use secret::Secret;
pub use value::without_in;
