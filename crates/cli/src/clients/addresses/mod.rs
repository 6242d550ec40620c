//! The provider addresses in an agent's own settings: pointed at a gateway, and restored.

mod address_edit;
mod address_entries;
mod address_source;
mod dot_env;
mod json_addresses;
mod toml_addresses;

pub(super) use self::address_edit::{add_gateway_addresses, restore_addresses, uses_vendor_api};
pub(crate) use self::address_entries::{AddressFile, Addresses};
pub(super) use self::address_source::find_address_sources;
pub(crate) use self::address_source::{AddressLocation, AddressSource};
