//! The redactor: replaces what looks like a secret by a note before a text is stored.
//!
//! The store, the index and all other code that writes texts to disk use this one redactor. It is
//! pure and linear. One pass finds the words that secrets begin with or are assigned to, and tries
//! patterns only there; a second pass finds long random words, a third the bodies of keys. Lines
//! that tools show with numbers or marks in front are also read without these, and strings with
//! escapes also unescaped. Secrets that are encoded, encrypted or split are not found, except
//! base64 in a known context.

mod assignment;
mod bytes_regex;
mod diff_sides;
mod escapes;
mod gutters;
mod json_values;
mod mapped_text;
mod random_words;
mod redaction;
mod scanner;
mod secret;
mod secret_rules;
mod secret_tables;
mod tool_output;
mod utf16;
mod value_shape;

pub use json_values::redact_json;
pub use redaction::{RedactedBytes, find_secrets, redact, redact_text};
pub use secret::Secret;
