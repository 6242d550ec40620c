//! foveal inside real coding agents, which work for a scripted model on loopback.
//!
//! `FOVEAL_TEST_CLIENTS` names a folder into which npm installed what `package.json` beside this
//! file lists; without it every test here is skipped. Each agent runs in a home of its own, with
//! keys that open nothing, and its requests go to [`model`], which keeps them: what is checked is
//! what a model would have read.

#![cfg(unix)]

mod agents;
mod checks;
mod gateway;
mod long_session;
mod losses;
mod model;
mod projects;
mod prompt;
mod proxy;
mod run;
mod session_checks;
mod tap;
