//! Answers in which the model calls the tool that the gateway put into the request: it answers the
//! call, asks again, and the client sees one answer.
//!
//! Nothing of this is on the way of a request that was not given the tool.

mod channel;
mod next;
mod rounds;
mod streamed;
mod whole;

pub(crate) use next::{Next, can_be_read};
pub(crate) use rounds::{Offering, Rounds};
