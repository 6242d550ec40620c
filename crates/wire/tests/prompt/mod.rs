//! Conversations as bodies of requests: what is encoded is read back, and grows at its end.

mod examples;
pub(crate) mod generated;
mod wish;
