//! Prices and usage of requests in the form that bills need.

use foveal_pricing::bill::at_list_price;
use foveal_pricing::prices::PriceCard;
use foveal_protocols::Protocol;
use foveal_protocols::response::BilledUsage;
use foveal_proxy::models::{ModelTraits, has_known_maker};
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_transcript::Usage;

use crate::exchange::Exchange;
use crate::request_record::GatewayRequest;

/// The name of the price card of models without a known price.
pub const UNPRICED_CARD_NAME: &str = "flat";

/// Returns the price card of a model at an upstream: the user's own prices, else list prices, else a
/// card named [`UNPRICED_CARD_NAME`], of which only the cache rules are valid. Cache writes for an
/// hour are told apart by the billed usage, not by the card.
pub fn upstream_price_card(
    own: &PriceOverrides,
    model: &str,
    upstream: &str,
    protocol: Protocol,
) -> PriceCard {
    let maker = ModelTraits::from_name(model, protocol).prices;
    match own.find_override(model, upstream) {
        Some(said) => said.to_price_card(&maker),
        None => {
            let card = at_list_price(maker.clone(), model);
            let is_known = card.name != maker.name || has_known_maker(model);
            let name = if is_known { card.name } else { UNPRICED_CARD_NAME.to_owned() };
            PriceCard { name, ..card }
        }
    }
}

/// Returns the price card of a model as [`upstream_price_card`]; `None` if no price is known.
pub fn known_price_card(
    own: &PriceOverrides,
    model: &str,
    upstream: &str,
    protocol: Protocol,
) -> Option<PriceCard> {
    Some(upstream_price_card(own, model, upstream, protocol))
        .filter(|card| card.name != UNPRICED_CARD_NAME)
}

/// Returns the price card of an exchange, by the model that answered; `None` without a protocol.
pub(crate) fn exchange_price_card(own: &PriceOverrides, exchange: &Exchange) -> Option<PriceCard> {
    let answered = exchange.response.as_ref().and_then(|answered| answered.model.as_deref());
    let asked = exchange.report.model.as_deref();
    let protocol = exchange.protocol?;
    // The user's own prices may name the requested model or the one that answered.
    let said = asked.filter(|asked| own.find_override(asked, &exchange.upstream).is_some());
    let model = said.or(answered).or(asked).unwrap_or_default();
    Some(upstream_price_card(own, model, &exchange.upstream, protocol))
}

/// Returns the price card of a stored request; `None` without a known protocol.
pub(crate) fn stored_request_price_card(
    own: &PriceOverrides,
    request: &GatewayRequest,
) -> Option<PriceCard> {
    let protocol = [Protocol::Messages, Protocol::Chat, Protocol::Responses, Protocol::Gemini]
        .into_iter()
        .find(|protocol| request.protocol.as_deref() == Some(protocol.name()))?;
    let asked = request.model.as_deref();
    let said = asked.filter(|asked| own.find_override(asked, &request.upstream).is_some());
    let model = said.or(request.model_answered.as_deref()).or(asked).unwrap_or_default();
    Some(upstream_price_card(own, model, &request.upstream, protocol))
}

/// Returns the billed tokens as usage; counts that the provider left out are 0.
pub(crate) fn billed_usage(billed: &BilledUsage) -> Usage {
    let count = Option::unwrap_or_default;
    Usage {
        input: count(billed.uncached),
        cache_read: count(billed.cache_read),
        cache_write: count(billed.cache_write_tokens()),
        cache_write_hour: count(billed.cache_write_1h),
        output: count(billed.output),
    }
}
