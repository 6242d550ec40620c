//! The cost of requests split by cause, and the counterfactual cost with other prompts.

mod amounts;
mod list_prices;
mod meter;
mod prompt_boundaries;

pub use self::amounts::{Bill, BillAmount, part_label};
pub use self::list_prices::at_list_price;
pub(crate) use self::meter::HOUR_LIFETIME_MS;
pub use self::meter::{BilledRequest, CostMeter, RequestCosts, RetainedPrefix, SentPrompt};
pub(crate) use self::prompt_boundaries::HOUR_WRITE_FACTOR;
