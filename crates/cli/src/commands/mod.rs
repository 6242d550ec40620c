//! The commands, one a file.

mod changelog;
mod chat;
mod command_line;
mod config;
mod doctor;
mod expand;
mod export;
mod file_at;
mod graph;
mod grep;
mod hook;
mod index;
mod init;
mod man;
mod map;
mod mcp;
mod models;
mod one_session;
mod outline;
mod own_agent;
mod permissions;
mod read;
mod replacements;
mod replay;
mod rewind;
mod run_task;
mod search;
mod serve;
mod sessions;
mod show;
mod show_requests;
mod stats;
mod tool_savings;
mod trust;
mod wrap;

pub(crate) use self::command_line::{Cli, run};
