//! Hooks of agents: what their own tools answer is shaped before the model is sent it.
//!
//! What counts as shown is what stands in the session's transcript, for that is what the model
//! is sent: entries that a compaction or a rewind took away are not pointed at. Where a result
//! was shaped here, what was sent of it counts, whatever the transcript kept. The same call made
//! again at once is answered in full. In doubt nothing is answered, and the result stays as it
//! is.

mod answer;
mod event;
mod expand;
mod failure;
mod host;
mod output;
mod own_edit;
mod past;
mod reply;
mod shaped;
mod transcript;

#[cfg(test)]
mod corpora;
#[cfg(test)]
mod fuzzed;

pub(crate) use self::answer::answer;
pub(crate) use self::host::{Host, is_host};
pub(crate) use self::past::{SentResult, kept_call, sent_result};
