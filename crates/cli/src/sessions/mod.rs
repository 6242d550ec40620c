//! Recorded sessions on this machine: discovery and loading.

mod loading;
mod session_places;
mod stored_runs;
mod stored_sessions;

pub(crate) use self::loading::{load_sessions, load_single_session};
pub(crate) use self::session_places::{NO_SESSIONS_HINT, describe_sessions, find_machine_sessions};
pub(crate) use self::stored_sessions::{
    describe_conversation_cost, find_gateway_session, find_run, find_stored_session,
    load_stored_session, session_title, short_name,
};
