//! Addresses of providers.

/// An address, and the version at its end with the slash before it (`/v1`), if there is one. Agents
/// have to see it: paths tell by it which API they speak.
pub(crate) fn split_version(address: &str) -> (&str, &str) {
    let address = address.trim_end_matches('/');
    let Some((before, last)) = address.rsplit_once('/') else { return (address, "") };
    let is_version =
        last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_version { (before, &address[before.len()..]) } else { (address, "") }
}
