//! `foveal config`: the available settings, their values, and changes.

mod command;
mod panel;
mod settings;

pub(crate) use self::command::{ConfigArguments, run};
pub(crate) use self::panel::{SettingsPanel, refusal_message};
