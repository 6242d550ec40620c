//! The model that an agent asks.

use foveal_agent::ModelPrice;
use foveal_gateway::request_prices::known_price_card;
use foveal_providers::{ModelServer, ModelSpec};
use foveal_proxy::price_overrides::PriceOverrides;

/// The upstream of an agent's requests. The agent asks the model's server without a gateway, so
/// prices for an upstream of the gateway do not apply.
pub(crate) const NO_UPSTREAM: &str = "";

/// A model with the server that answers for it.
#[derive(Debug, Clone)]
pub struct ChosenModel {
    /// The server, with its key.
    pub server: ModelServer,
    /// The name that users give it.
    pub spec: ModelSpec,
    /// Whether it runs on this machine, where requests cost nothing.
    pub is_free: bool,
    /// Whether other models could have been chosen as well.
    pub is_ambiguous: bool,
}

/// Returns the price of a model. A model on this machine is free unless the user set a price.
pub(crate) fn chosen_model_price(chosen: &ChosenModel, own: &PriceOverrides) -> ModelPrice {
    let (model, protocol) = (&*chosen.server.model, chosen.server.dialect.protocol());
    if chosen.is_free && own.find_override(model, NO_UPSTREAM).is_none() {
        return ModelPrice::Free;
    }
    known_price_card(own, model, NO_UPSTREAM, protocol)
        .map_or(ModelPrice::Unknown, ModelPrice::Known)
}
