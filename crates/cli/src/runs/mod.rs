//! The runs of foveal's own agent, as the store keeps them: each is a session, with what was said
//! in it as messages. Those of sub-agents are sessions of their own.

mod conversations;
mod decode;
mod encode;
mod kept;
mod load;
mod lock;
mod log;

pub(crate) use self::conversations::{Conversations, conversations};
pub(crate) use self::kept::{
    KIND, OfCall, Run, agent_number, is_agent, is_run, keep_agents, latest_agent, of_agent,
};
pub(crate) use self::load::{Loaded, damaged, first_words, load};
pub(crate) use self::lock::Lock;
pub(crate) use self::log::RunLog;

#[cfg(test)]
mod tests;
