//! The runs of foveal's own agent in the store. Each run is a session whose messages are its log;
//! sub-agents have sessions of their own.

mod log_decoder;
mod log_encoder;
mod log_record;
mod run_conversations;
mod run_lock;
mod run_log;
mod stored_run;

pub(crate) use self::log_record::{
    ParentCall, RUN_SESSION_KIND, RunSettings, latest_sub_agent_number, retain_sub_agents,
};
pub use self::log_record::{is_main_run, is_sub_agent_run, sub_agent_number, sub_agent_session_id};
pub use self::run_conversations::{RunConversations, load_conversations};
pub use self::run_lock::{RunLock, RunLockError};
pub use self::run_log::RunLog;
pub use self::stored_run::{OWN_AGENT_NAME, describe_damage, first_user_text};
pub(crate) use self::stored_run::{StoredRun, load_stored_run};

#[cfg(test)]
mod tests;
