//! The user's settings. [`UserSettings`] is the one type of them: the reading of files, the JSON
//! Schema, the table of keys on the reference page and the editor of single settings follow from
//! it.

mod agent_section;
mod gateway_choices;
mod gateway_section;
mod json_table;
mod parse_error;
mod price_rule;
mod project_layer;
mod prompt_budget;
#[cfg(test)]
mod reference_page;
mod removed_settings;
pub mod schema;
pub mod setting_edit;
pub mod setting_keys;
mod setting_values;
pub mod settings_file;
mod settings_source;
mod settings_template;
mod tool_sections;
mod unknown_names;
mod user_settings;

pub use self::agent_section::{AgentSection, PROFILES};
pub use self::gateway_choices::{CacheChoice, GatewayProfile, WebSocketChoice};
pub use self::gateway_section::{
    GatewayRule, GatewaySection, LISTEN_PORT, ListenAddressError, parse_listen_address,
};
pub use self::parse_error::SettingsParseError;
pub use self::price_rule::{PriceRule, build_price_overrides};
pub use self::project_layer::apply_project_settings;
pub use self::prompt_budget::PromptBudgetError;
pub use self::removed_settings::removal_advice;
pub use self::settings_file::{may_keep_contents, read_user_settings};
pub use self::settings_source::{SettingsSource, Syntax};
pub use self::settings_template::settings_template;
pub use self::tool_sections::{CuratorModel, IndexerModel};
pub use self::user_settings::{ColourPalette, UserSettings};
