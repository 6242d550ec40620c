//! A request that something can be done for.

use foveal_wire::body::Body;

use crate::chain::Chain;
use crate::conversation::Live;
use crate::keeping::Keeping;
use crate::models::Model;
use crate::request::Asked;
use crate::rules::Rules;
use crate::unmarked::Unmarked;

/// What is known of it before anything is decided.
pub(crate) struct Request<'a> {
    pub(crate) asked: &'a Asked<'a>,
    pub(crate) body: &'a Body,
    pub(crate) chain: &'a Chain,
    pub(crate) rules: &'a Rules,
    pub(crate) model: Model,
    /// Whether it may get marks for the provider's cache.
    pub(crate) unmarked: Option<Unmarked>,
    /// How it can be kept up to its latest answer.
    pub(crate) keeping: Option<Keeping>,
}

impl<'a> Request<'a> {
    pub(crate) fn bytes(&self) -> (&'a Body, &'a [u8]) {
        (self.body, self.asked.body)
    }

    /// A conversation at its start.
    pub(crate) fn fresh(&self) -> Live {
        let (planner, tokenizer) = (self.rules.planner(&self.model), self.rules.tokenizer);
        let live = Live::new(planner, self.model.clone(), tokenizer, self.chain.root);
        let mut live = live.with_way(self.rules.way).with_weigh(self.rules.weigh);
        live.set_prelude(self.bytes());
        live
    }
}
