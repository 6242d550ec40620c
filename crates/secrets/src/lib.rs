//! Secrets in texts: what looks like one is replaced by a note before the text is kept.
//!
//! One redactor for the store, the index and whatever else writes texts to disk. It is pure and
//! linear: one pass finds the words that secrets begin with or are assigned to, and only there
//! forms are tried; a second pass looks for long words of chance, a third for the bodies of keys.
//! Lines that tools show with numbers or marks in front are read without these too, and strings
//! with escapes as what they mean.
//! Secrets that were encoded, encrypted or split are not found, except base64 where its meaning
//! is known.

mod assigned;
mod base64;
mod chance;
mod dictionary;
mod escapes;
mod forms;
mod gutters;
mod keys;
mod manifest;
mod named;
mod names;
mod options;
mod patterns;
mod pgpass;
mod redact;
mod runs;
mod scanner;
mod secret;
mod sides;
mod tables;
mod value;
mod view;
mod views;
mod wide;
mod words;

pub use redact::{Redacted, find, redact, without};
pub use secret::Secret;
pub use value::without_in;
