//! The commands, one module each.

mod changelog;
mod chat;
mod command_groups;
mod command_line;
#[cfg(test)]
mod command_reference;
mod config;
mod doctor;
mod expand;
mod export;
mod file_at;
mod gateway_request_view;
mod graph;
mod grep;
mod hook;
mod index;
mod init;
mod man;
mod map;
mod mcp;
mod models;
mod outline;
mod own_agent;
mod permissions;
mod read;
mod replaced_results;
mod replay;
mod rewind;
mod run_task;
mod search;
mod serve;
mod session_selection;
mod sessions;
mod show_session;
mod stats;
mod tool_savings;
mod trust;
mod wrap;

pub(crate) use self::command_line::{Cli, run};
