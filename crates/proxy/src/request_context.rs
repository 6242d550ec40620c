//! The facts about one request that shaping needs.

use foveal_wire::request_body::RequestBody;

use crate::answer_breakpoint::AnswerBreakpoint;
use crate::auto_cache::AutoCacheCandidate;
use crate::conversation_state::ConversationState;
use crate::fingerprint_chain::FingerprintChain;
use crate::models::ModelTraits;
use crate::request::ShapeRequest;
use crate::rules::ShapingRules;
use crate::scanned_body::ScannedBody;

/// A request that can be shaped, with everything known of it before the first decision.
pub(crate) struct RequestContext<'a> {
    pub(crate) received: &'a ShapeRequest<'a>,
    pub(crate) body: &'a RequestBody,
    pub(crate) chain: &'a FingerprintChain,
    pub(crate) rules: &'a ShapingRules,
    pub(crate) model: ModelTraits,
    /// `Some` if foveal may set breakpoints in a request whose client sets none.
    pub(crate) auto_cache: Option<AutoCacheCandidate>,
    /// `Some` if the prompt can be cached up to its latest answer.
    pub(crate) answer_breakpoint: Option<AnswerBreakpoint>,
}

impl<'a> RequestContext<'a> {
    /// Returns the scan of the body with its bytes.
    pub(crate) fn scanned_body(&self) -> ScannedBody<'a> {
        ScannedBody { body: self.body, bytes: self.received.body }
    }

    /// Returns the state of a conversation without messages.
    pub(crate) fn new_conversation(&self) -> ConversationState {
        let (planner, tokenizer) = (self.rules.build_planner(&self.model), self.rules.tokenizer);
        let live = ConversationState::new(planner, self.model.clone(), tokenizer, self.chain.root);
        let mut live = live
            .with_handle_style(self.rules.handle_style)
            .with_token_counter(self.rules.token_counter);
        live.set_prelude(self.scanned_body());
        live
    }
}
