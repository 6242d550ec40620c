//! Readers over hand-written samples, recorded sessions and arbitrary bytes.

mod answered;
mod answers;
mod body;
mod broken;
mod corpora;
mod detection;
mod export;
mod gemini_histories;
mod prompt;
mod properties;
mod recorded;
mod said;
mod samples;
mod sessions;
mod twins;
