//! foveal's own agent: the parts that `foveal run` and `foveal chat` share.

mod agent_arguments;
mod agent_start;
mod session_lookup;
mod signals;
mod terminal_approval;

pub(crate) use self::agent_arguments::{AgentArguments, parse_dollars};
pub(crate) use self::agent_start::{choose_session_model, start_agent, start_runtime_and_client};
pub(crate) use self::session_lookup::open_session_by_name;
pub(crate) use self::signals::cancel_on_signals;
pub(crate) use self::terminal_approval::ask_at_terminal;
