//! What is read of the answers of model APIs. By a gateway, while their bytes pass by untouched:
//! the events of streams, what was billed, and how the answer ended. By who asks a model itself:
//! all that it says.

mod answer;
mod billed;
mod draft;
mod overflow;
mod pick;
mod protocols;
mod reader;
mod said;
mod sse;
mod usage;

pub use answer::{Answer, AnswerError, ERROR_BYTES_MAX, End, TEXT_BYTES_MAX};
pub use billed::Billed;
pub use overflow::ContextOverflow;
pub use reader::{AnswerReader, DOCUMENT_BYTES_MAX};
pub use said::{
    SAID_BYTES_MAX, SAID_PARTS_MAX, Said, SaidEvent, SaidReader, StopReason, read_arguments,
};
pub use sse::{EVENT_BYTES_MAX, Event, EventSplitter};
pub use usage::billed;
