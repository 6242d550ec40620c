//! The provider addresses in an agent's own settings: pointed at a gateway, and restored.

mod address_edit;
mod address_entries;
mod address_source;
mod dot_env;
mod gateway_address_map;
mod json_addresses;
mod listening_program;
mod shadowed_settings;
mod toml_addresses;

pub(crate) use self::address_edit::{add_gateway_addresses, restore_addresses, uses_vendor_api};
pub(crate) use self::address_entries::{AddressFile, Addresses};
pub use self::address_source::AddressLocation;
pub(crate) use self::address_source::{AddressSource, find_address_sources};
pub use self::gateway_address_map::GatewayAddressMap;
pub(crate) use self::gateway_address_map::split_version;
pub use self::listening_program::ListeningProgram;
pub(crate) use self::listening_program::local_origin;
pub(crate) use self::shadowed_settings::shadowing_remarks;
