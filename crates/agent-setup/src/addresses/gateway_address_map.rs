//! Translates addresses of providers to addresses of a gateway, and back.

use foveal_gateway::upstream_selection::Upstreams;

/// Translates provider addresses to the gateway addresses that agents are given, and back.
///
/// An address that is not set becomes that of the gateway itself, which sends each protocol to its
/// own provider. Any other becomes a path of the gateway that begins with the upstream's name.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewayAddressMap {
    /// The gateway's address, without a trailing slash.
    gateway: String,
    /// Earlier addresses of the gateway.
    former_gateways: Vec<String>,
    /// The names and addresses of the upstreams.
    upstreams: Vec<(String, String)>,
    /// The place where the user names upstreams, in words for an error message.
    pub(super) upstreams_place: String,
}

impl GatewayAddressMap {
    /// Creates a map of the addresses of `upstreams` for the gateway at `gateway`.
    pub fn new(gateway: &str, upstreams: &Upstreams) -> Self {
        let upstreams = upstreams.addressable().map(|one| (one.name.clone(), one.to_string()));
        Self {
            gateway: gateway.trim_end_matches('/').to_owned(),
            former_gateways: Vec::new(),
            upstreams: upstreams.collect(),
            upstreams_place: String::new(),
        }
    }

    /// Adds addresses at which agents found the gateway before.
    #[must_use]
    pub fn with_former_gateways(mut self, former: Vec<String>) -> Self {
        self.former_gateways = former;
        self.former_gateways.retain(|known| *known != self.gateway);
        self
    }

    /// Sets the place where the user names upstreams.
    #[must_use]
    pub fn with_upstreams_place(self, place: String) -> Self {
        Self { upstreams_place: place, ..self }
    }

    /// Translates an address under a former gateway to the current one; `None` for any other
    /// address.
    pub(crate) fn renew_address(&self, address: &str) -> Option<String> {
        let behind =
            self.former_gateways.iter().find_map(|former| path_after_gateway(address, former));
        behind.map(|behind| self.gateway_address(behind))
    }

    /// Returns the gateway's own address, followed by the path that the agent expects.
    pub fn gateway_address(&self, behind: &str) -> String {
        format!("{}{behind}", self.gateway)
    }

    /// Returns the gateway address that stands for `address`; `None` if no upstream has it. The
    /// upstream with the longest matching address wins.
    pub(crate) fn to_gateway(&self, address: &str) -> Option<String> {
        let address = address.trim_end_matches('/');
        let (before, version) = split_version(address);
        let behind = |url: &str| {
            let rest = before.strip_prefix(url).map(|rest| format!("{rest}{version}"));
            let rest = rest.or_else(|| (address == url).then(|| version.to_owned()));
            rest.filter(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let found = self.upstreams.iter().filter_map(|(name, url)| Some((name, url, behind(url)?)));
        let (name, _, rest) = found.max_by_key(|(_, url, _)| url.len())?;
        Some(format!("{}/{name}{rest}", self.gateway))
    }

    /// Reverses [`GatewayAddressMap::to_gateway`]. `Some(None)` is the gateway's own address, which
    /// replaces no other; `None` is an address outside of the gateway, or of an upstream that no
    /// longer exists.
    pub(crate) fn to_provider(&self, address: &str) -> Option<Option<String>> {
        let rest = self.path_after_any_gateway(address)?.trim_end_matches('/');
        if rest.is_empty() || split_version(rest).0.is_empty() {
            return Some(None);
        }
        let (name, behind) = match rest.strip_prefix('/')?.split_once('/') {
            Some((name, _)) => (name, &rest[name.len() + 1..]),
            None => (rest.strip_prefix('/')?, ""),
        };
        let (_, url) = self.upstreams.iter().find(|(known, _)| known == name)?;
        // The version of the upstream's own address is not repeated.
        Some(Some(match split_version(url) {
            (before, version) if !version.is_empty() && behind.starts_with(version) => {
                format!("{before}{behind}")
            }
            _ => format!("{url}{behind}"),
        }))
    }

    /// Returns whether an address belongs to the gateway, now or before.
    pub(crate) fn is_gateway_address(&self, address: &str) -> bool {
        self.path_after_any_gateway(address).is_some()
    }

    /// Returns whether an address is the gateway's, now or before, followed by exactly the path
    /// `wanted`.
    pub(crate) fn is_gateway_path(&self, address: &str, wanted: &str) -> bool {
        self.path_after_any_gateway(address) == Some(wanted)
    }

    /// Returns the current or former gateway address that an address begins with.
    pub(crate) fn gateway_origin(&self, address: &str) -> Option<&str> {
        let mut gateways = std::iter::once(&self.gateway).chain(&self.former_gateways);
        gateways.find(|gateway| path_after_gateway(address, gateway).is_some()).map(String::as_str)
    }

    /// Returns the path after the current or a former gateway address.
    fn path_after_any_gateway<'a>(&self, address: &'a str) -> Option<&'a str> {
        std::iter::once(&self.gateway)
            .chain(&self.former_gateways)
            .find_map(|gateway| path_after_gateway(address, gateway))
    }
}

/// Returns the path after a gateway's address, which may be empty.
fn path_after_gateway<'a>(address: &'a str, gateway: &str) -> Option<&'a str> {
    let rest = address.strip_prefix(gateway)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Splits an address before the version at its end (`/v1`, with its slash; empty if there is none).
/// Agents need to see the version: they tell the API by it.
pub(crate) fn split_version(address: &str) -> (&str, &str) {
    let address = address.trim_end_matches('/');
    let Some((before, last)) = address.rsplit_once('/') else { return (address, "") };
    let is_version =
        last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_version { (before, &address[before.len()..]) } else { (address, "") }
}

#[cfg(test)]
mod tests {
    use foveal_gateway::upstream_selection::{Upstream, Upstreams};

    use super::GatewayAddressMap;

    #[test]
    fn addresses_lead_there_and_back() {
        let named = |name, address| Upstream::new(name, address).unwrap();
        let upstreams = Upstreams::new()
            .with_upstream(named("work", "https://models.example/team/v1"))
            .with_upstream(named("other", "https://models.example"));
        let routes = GatewayAddressMap::new("http://127.0.0.1:4117", &upstreams);
        for (address, through) in [
            ("https://api.anthropic.com", "/anthropic"),
            ("https://openrouter.ai/api/v1", "/openrouter/v1"),
            ("https://api.openai.com/v1", "/openai/v1"),
            ("https://models.example/team/v1", "/work/v1"),
            ("https://models.example/v2", "/other/v2"),
            ("http://127.0.0.1:11434/v1", "/ollama/v1"),
        ] {
            let told = routes.to_gateway(address).unwrap();
            assert_eq!(told, format!("http://127.0.0.1:4117{through}"), "{address}");
            assert_eq!(routes.to_provider(&told), Some(Some(address.to_owned())), "{told}");
            assert!(routes.is_gateway_address(&told));
        }
        assert_eq!(routes.to_gateway("https://models.example.org/v1"), None);
        assert_eq!(routes.to_gateway("https://elsewhere.example"), None);
        assert_eq!(routes.to_provider(&routes.gateway_address("/v1beta")), Some(None));
        assert_eq!(routes.to_provider(&routes.gateway_address("")), Some(None));
        assert_eq!(routes.to_provider("http://127.0.0.1:41170/v1"), None);
        assert_eq!(routes.to_provider("http://127.0.0.1:4117/gone/v1"), None);
    }

    #[test]
    fn where_the_gateway_was_before_is_known_and_renewed() {
        let former = vec!["http://127.0.0.1:4117".to_owned(), "http://127.0.0.1:9".to_owned()];
        let routes = GatewayAddressMap::new("http://127.0.0.1:9", &Upstreams::new())
            .with_former_gateways(former);
        assert_eq!(
            routes.renew_address("http://127.0.0.1:4117/openrouter/v1").as_deref(),
            Some("http://127.0.0.1:9/openrouter/v1")
        );
        for address in ["http://127.0.0.1:9/v1", "http://127.0.0.1:41170", "https://a.example"] {
            assert_eq!(routes.renew_address(address), None, "{address}");
        }
        let before = "http://127.0.0.1:4117/v1beta";
        assert!(routes.is_gateway_address(before) && routes.is_gateway_path(before, "/v1beta"));
        assert_eq!(routes.to_provider(before), Some(None));
    }
}
