//! The engine over written and generated conversations.

mod retention;
