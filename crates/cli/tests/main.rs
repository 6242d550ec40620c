//! The program as a user runs it, on small sessions written for each test.

#[cfg(unix)]
mod agent_gateways;
mod bad_input;
mod caches;
mod chat;
#[cfg(unix)]
mod config;
mod convert_page;
mod crash_recovery;
mod curator;
mod document_stories;
mod documentation;
mod documented_search;
mod embedder;
mod export;
#[cfg(unix)]
mod file_permissions;
#[cfg(unix)]
mod first_steps;
#[cfg(unix)]
mod full_disk;
#[cfg(unix)]
mod gateway;
mod gateway_bill;
#[cfg(unix)]
mod hook;
mod hook_gateway;
mod index;
#[cfg(unix)]
mod index_watch;
#[cfg(unix)]
mod indexing_model;
mod init;
#[cfg(unix)]
mod init_extras;
#[cfg(unix)]
mod init_gateway;
#[cfg(unix)]
mod interrupt;
mod locked_stores;
#[cfg(unix)]
mod losses;
mod mcp;
mod model_curation;
mod opencode;
#[cfg(unix)]
mod own_edits;
mod own_sessions;
#[cfg(unix)]
mod past_savings;
#[cfg(unix)]
mod plugins;
mod process_cleanup;
mod prompt_log;
mod python;
mod real_model;
mod replacements;
mod replay;
#[cfg(unix)]
mod rewind;
#[cfg(unix)]
mod rules;
#[cfg(unix)]
mod run_cancellation;
#[cfg(unix)]
mod run_faults;
#[cfg(unix)]
mod run_sessions;
mod run_task;
#[cfg(unix)]
mod run_window;
#[cfg(target_os = "linux")]
mod sandbox_absence;
#[cfg(unix)]
mod savings_view;
#[cfg(target_os = "linux")]
mod service;
mod session_commands;
mod session_copies;
mod sessions;
mod shell_tools;
mod side_costs;
mod soak;
mod structure;
mod sub_agents;
mod terminal;
#[cfg(unix)]
mod terminal_output;
mod tls;
mod trust;
#[cfg(unix)]
mod working_folder;
mod world;
#[cfg(unix)]
mod wrap;
