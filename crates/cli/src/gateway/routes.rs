//! Which address of a gateway stands for which address of a provider, and back.

use foveal_gateway::upstream::Upstreams;

/// What an agent is told in the place of an address, and which address that stood for.
///
/// An address that nobody gave becomes that of the gateway itself, where each protocol goes to its
/// own provider. Any other becomes a path there that begins with the upstream's name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Routes {
    /// Where agents find the gateway, without a slash at its end.
    gateway: String,
    /// Where they found it before.
    former: Vec<String>,
    /// Names and addresses of upstreams.
    upstreams: Vec<(String, String)>,
}

impl Routes {
    /// To what `upstreams` hold, by the gateway at `gateway`.
    pub(crate) fn new(gateway: &str, upstreams: &Upstreams) -> Self {
        let upstreams = upstreams.named().map(|one| (one.name.clone(), one.to_string()));
        Self {
            gateway: gateway.trim_end_matches('/').to_owned(),
            former: Vec::new(),
            upstreams: upstreams.collect(),
        }
    }

    /// The same with addresses at which agents found the gateway before.
    #[must_use]
    pub(crate) fn with_former(mut self, former: Vec<String>) -> Self {
        self.former = former;
        self.former.retain(|known| *known != self.gateway);
        self
    }

    /// An address of the gateway where it was before, as it is now; `None` for any other.
    pub(crate) fn renewed(&self, address: &str) -> Option<String> {
        let behind = self.former.iter().find_map(|former| behind(address, former));
        behind.map(|behind| self.own(behind))
    }

    /// The gateway's own address, with what the agent has to put behind it.
    pub(crate) fn own(&self, behind: &str) -> String {
        format!("{}{behind}", self.gateway)
    }

    /// What the agent is told in the place of `address`; `None` if no upstream stands there. The
    /// longest that does is taken.
    pub(crate) fn through(&self, address: &str) -> Option<String> {
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

    /// What [`Routes::through`] made this of: `Some(None)`: the gateway's own address, in place of
    /// none. `None`: it is no address of the gateway's, or of an upstream that there is no more.
    pub(crate) fn back(&self, address: &str) -> Option<Option<String>> {
        let rest = self.behind_any(address)?.trim_end_matches('/');
        if rest.is_empty() || split_version(rest).0.is_empty() {
            return Some(None);
        }
        let (name, behind) = match rest.strip_prefix('/')?.split_once('/') {
            Some((name, _)) => (name, &rest[name.len() + 1..]),
            None => (rest.strip_prefix('/')?, ""),
        };
        let (_, url) = self.upstreams.iter().find(|(known, _)| known == name)?;
        // An upstream's own version stands there once.
        Some(Some(match split_version(url) {
            (before, version) if !version.is_empty() && behind.starts_with(version) => {
                format!("{before}{behind}")
            }
            _ => format!("{url}{behind}"),
        }))
    }

    /// Whether an address is one of the gateway's, now or before.
    pub(crate) fn is_ours(&self, address: &str) -> bool {
        self.behind_any(address).is_some()
    }

    /// Whether an address is the gateway's own, now or before, with this behind it.
    pub(crate) fn is_own(&self, address: &str, wanted: &str) -> bool {
        self.behind_any(address) == Some(wanted)
    }

    /// Returns the gateway, now or before, that an address leads to.
    pub(crate) fn gateway_of(&self, address: &str) -> Option<&str> {
        let mut gateways = std::iter::once(&self.gateway).chain(&self.former);
        gateways.find(|gateway| behind(address, gateway).is_some()).map(String::as_str)
    }

    /// What stands behind the gateway's address.
    fn behind_any<'a>(&self, address: &'a str) -> Option<&'a str> {
        std::iter::once(&self.gateway)
            .chain(&self.former)
            .find_map(|gateway| behind(address, gateway))
    }
}

/// What stands in an address behind that of a gateway: nothing, or a path.
fn behind<'a>(address: &'a str, gateway: &str) -> Option<&'a str> {
    let rest = address.strip_prefix(gateway)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// An address, and the version at its end with the slash before it (`/v1`), if there is one. Agents
/// have to see it: paths tell by it which API they speak.
pub(crate) fn split_version(address: &str) -> (&str, &str) {
    let address = address.trim_end_matches('/');
    let Some((before, last)) = address.rsplit_once('/') else { return (address, "") };
    let is_version =
        last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_version { (before, &address[before.len()..]) } else { (address, "") }
}

#[cfg(test)]
mod tests {
    use foveal_gateway::upstream::{Upstream, Upstreams};

    use super::Routes;

    #[test]
    fn addresses_lead_there_and_back() {
        let named = |name, address| Upstream::new(name, address).unwrap();
        let upstreams = Upstreams::new()
            .with_named(named("work", "https://models.example/team/v1"))
            .with_named(named("other", "https://models.example"));
        let routes = Routes::new("http://127.0.0.1:4117", &upstreams);
        for (address, through) in [
            ("https://api.anthropic.com", "/anthropic"),
            ("https://openrouter.ai/api/v1", "/openrouter/v1"),
            ("https://api.openai.com/v1", "/openai/v1"),
            ("https://models.example/team/v1", "/work/v1"),
            ("https://models.example/v2", "/other/v2"),
            ("http://127.0.0.1:11434/v1", "/ollama/v1"),
        ] {
            let told = routes.through(address).unwrap();
            assert_eq!(told, format!("http://127.0.0.1:4117{through}"), "{address}");
            assert_eq!(routes.back(&told), Some(Some(address.to_owned())), "{told}");
            assert!(routes.is_ours(&told));
        }
        assert_eq!(routes.through("https://models.example.org/v1"), None);
        assert_eq!(routes.through("https://elsewhere.example"), None);
        assert_eq!(routes.back(&routes.own("/v1beta")), Some(None));
        assert_eq!(routes.back(&routes.own("")), Some(None));
        assert_eq!(routes.back("http://127.0.0.1:41170/v1"), None);
        assert_eq!(routes.back("http://127.0.0.1:4117/gone/v1"), None);
    }

    #[test]
    fn where_the_gateway_was_before_is_known_and_renewed() {
        let former = vec!["http://127.0.0.1:4117".to_owned(), "http://127.0.0.1:9".to_owned()];
        let routes = Routes::new("http://127.0.0.1:9", &Upstreams::new()).with_former(former);
        assert_eq!(
            routes.renewed("http://127.0.0.1:4117/openrouter/v1").as_deref(),
            Some("http://127.0.0.1:9/openrouter/v1")
        );
        for address in ["http://127.0.0.1:9/v1", "http://127.0.0.1:41170", "https://a.example"] {
            assert_eq!(routes.renewed(address), None, "{address}");
        }
        let before = "http://127.0.0.1:4117/v1beta";
        assert!(routes.is_ours(before) && routes.is_own(before, "/v1beta"));
        assert_eq!(routes.back(before), Some(None));
    }
}
