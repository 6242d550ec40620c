//! `foveal chat`: foveal's own agent, interactive on a full screen.

mod agent_commands;
mod approval_dialog;
mod chat_app;
mod chat_event;
mod colour_choice;
mod command;
mod completion;
mod screen;
mod symbols;
mod terminal_input;

pub(crate) use command::{ChatArguments, run};
