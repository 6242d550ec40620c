//! What an agent works with. Sub-agents work with the same, each for itself.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use foveal_agent::Event;
use foveal_context::placement::base_files::BaseFolder;
use foveal_context::tokens::Tokens;
use foveal_live::Conversations;
use foveal_live::prices::OwnPrices;
use foveal_live::rules::Rules;
use foveal_llm::{Client, Server};
use foveal_store::SessionId;
use foveal_tools::Toolbox;
use tokio::runtime::Handle;

use super::asking::Asking;
use super::opening;
use crate::debug::Debug;
use crate::side_agents::{SideBill, Waiting};
use crate::toolbox::Opener;

/// Events that wait to be taken, at most.
pub(super) const EVENTS_MAX: usize = 1_024;

/// What an agent works with.
pub(super) struct Means {
    pub(super) runtime: Handle,
    pub(super) client: Client,
    /// The model's server.
    pub(super) server: Server,
    /// Tokens of its longest prompt, where the server tells that.
    pub(super) window: Option<Tokens>,
    /// By which requests are decided about.
    pub(super) rules: Rules,
    /// The files that a reset of contents may place in the system prompt.
    pub(super) base: Arc<dyn BaseFolder>,
    /// What the user says of prices.
    pub(super) prices: Arc<OwnPrices>,
    /// What models cost that are asked beside them all.
    pub(super) bill: Arc<SideBill>,
    pub(super) opener: Opener,
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) debug: Debug,
}

impl Means {
    /// What decides about the requests of a session, and what asks them. What comes of it goes to
    /// `events`.
    pub(super) fn asking(
        &self,
        session: &SessionId,
        events: &SyncSender<Event>,
    ) -> (Arc<Conversations>, Asking) {
        let waiting = Arc::new(Waiting::default());
        let (rules, base, prices) =
            (self.rules.clone(), Arc::clone(&self.base), Arc::clone(&self.prices));
        let tools = (&self.opener, &*self.toolbox);
        let watch = (events.clone(), &waiting);
        let shaper = Arc::new(opening::shaper(rules, base, tools, session, prices, watch));
        if let Some(window) = self.window {
            shaper.learn_window(opening::NO_UPSTREAM, &self.server.model, window);
        }
        let asking = Asking::new(
            self.runtime.clone(),
            (self.client.clone(), self.server.clone()),
            (Arc::clone(&shaper), waiting),
            Arc::clone(&self.bill),
            (events.clone(), self.debug),
        );
        (shaper, asking)
    }
}
