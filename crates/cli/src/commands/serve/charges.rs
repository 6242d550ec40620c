//! By which prices requests are charged, and for what.

use foveal_context::bill::at_list_price;
use foveal_context::prices::PriceCard;
use foveal_gateway::exchange::Exchange;
use foveal_live::models::Model;
use foveal_live::prices::OwnPrices;
use foveal_transcript::Usage;
use foveal_wire::Protocol;
use foveal_wire::response::Billed;

use crate::requests;

/// The prices of a model that is asked of an upstream: what the user says, and else its list
/// prices. Writes for an hour are told apart by what is billed.
pub(crate) fn prices(
    own: &OwnPrices,
    (model, upstream): (&str, &str),
    protocol: Protocol,
) -> PriceCard {
    let maker = Model::named(model, protocol).prices;
    match own.said(model, upstream) {
        Some(said) => said.card(&maker),
        None => at_list_price(maker, model),
    }
}

/// The prices of an exchange, by the model that answered.
pub(super) fn of(own: &OwnPrices, exchange: &Exchange) -> Option<PriceCard> {
    let answered = exchange.answered.as_ref().and_then(|answered| answered.model.as_deref());
    let asked = exchange.about.model.as_deref();
    let protocol = exchange.protocol?;
    // What the user says may go by the name that was asked for, or by that of who answered.
    let said = asked.filter(|asked| own.said(asked, &exchange.upstream).is_some());
    let model = said.or(answered).or(asked).unwrap_or_default();
    Some(prices(own, (model, &exchange.upstream), protocol))
}

/// The prices that a kept request is charged by.
pub(super) fn card(own: &OwnPrices, request: &requests::Request) -> Option<PriceCard> {
    let protocol = [Protocol::Messages, Protocol::Chat, Protocol::Responses, Protocol::Gemini]
        .into_iter()
        .find(|protocol| request.protocol.as_deref() == Some(protocol.name()))?;
    let asked = request.model.as_deref();
    let said = asked.filter(|asked| own.said(asked, &request.upstream).is_some());
    let model = said.or(request.model_answered.as_deref()).or(asked).unwrap_or_default();
    Some(prices(own, (model, &request.upstream), protocol))
}

/// What was billed, as bills have it.
pub(super) fn usage(billed: &Billed) -> Usage {
    let count = Option::unwrap_or_default;
    Usage {
        input: count(billed.uncached),
        cache_read: count(billed.cache_read),
        cache_write: count(billed.cache_write()),
        cache_write_hour: count(billed.cache_write_1h),
        output: count(billed.output),
    }
}
