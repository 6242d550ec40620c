//! `foveal bench`: measures on the user's own repositories and sessions.

mod about;
mod cases;
mod command;
mod curation;
mod evaluate;
mod groups;
mod history;
mod json;
mod measure;
mod outputs;
mod page;
mod reads;
mod text;

pub(crate) use self::command::{Bench, run};
