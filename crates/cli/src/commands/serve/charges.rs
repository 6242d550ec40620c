//! By which prices requests are charged, and for what.

use foveal_context::bill::at_list_price;
use foveal_context::prices::PriceCard;
use foveal_live::models::Model;
use foveal_transcript::Usage;
use foveal_wire::Protocol;
use foveal_wire::response::Billed;

use crate::requests;

/// The list prices of a model. Writes for an hour are told apart by what is billed.
pub(crate) fn prices(model: &str, protocol: Protocol) -> PriceCard {
    at_list_price(Model::named(model, protocol).prices, model)
}

/// The list prices that a kept request was charged by.
pub(super) fn card(request: &requests::Request) -> Option<PriceCard> {
    let protocol = [Protocol::Messages, Protocol::Chat, Protocol::Responses, Protocol::Gemini]
        .into_iter()
        .find(|protocol| request.protocol.as_deref() == Some(protocol.name()))?;
    let model = request.model_answered.as_deref().or(request.model.as_deref());
    Some(prices(model.unwrap_or_default(), protocol))
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
