//! What was given of a gateway: flags, settings, and both as one.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use foveal_gateway::traces::Collector;
use foveal_gateway::upstream::{BadUpstream, Upstream, Upstreams};
use foveal_live::prices::{OwnPrice, OwnPrices, Said};

use super::choice::{CacheChoice, Profile, WebSocketChoice};

/// The port that a gateway listens at where nothing else is said.
pub(crate) const LISTEN_PORT: u16 = 4117;

/// The card of models whose price is not known.
pub(crate) const UNPRICED: &str = "flat";

/// What takes everything is called so.
const EVERYTHING: &str = "upstream";

/// What foveal answers itself: no upstream can have such a name.
const OWN_PATHS: [&str; 6] = ["healthz", "readyz", "metrics", "protocol", "api", "model"];

/// What the user's settings say of the gateway. What is not said is as it usually is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct GatewaySettings {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) profile: Option<Profile>,
    pub(crate) cache: Option<CacheChoice>,
    pub(crate) websockets: Option<WebSocketChoice>,
    pub(crate) decision: Option<Duration>,
    pub(crate) hosts: Vec<String>,
    /// What is done to which requests; the first that matches counts.
    pub(crate) rules: Vec<GatewayRule>,
    /// Whether results come whole that stand above.
    pub(crate) without_pointers: bool,
    /// Tools whose results come whole although they stand above.
    pub(crate) tools_without_pointers: BTreeSet<String>,
    /// Whether caches are kept warm.
    pub(crate) keep_warm: bool,
    /// What is said of prices; the first that matches counts.
    pub(crate) prices: Vec<PriceRule>,
    /// Where traces go.
    pub(crate) otel: Option<Collector>,
    pub(crate) upstreams: Given,
}

/// What is done to requests for a model and of an agent that these globs match.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GatewayRule {
    pub(crate) model: Option<String>,
    pub(crate) agent: Option<String>,
    /// For requests that name none.
    pub(crate) profile: Profile,
}

/// Prices of requests for a model that this glob matches, asked of an upstream of this name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PriceRule {
    pub(crate) model: Option<String>,
    pub(crate) upstream: Option<String>,
    pub(crate) said: Said,
}

impl PriceRule {
    /// The same, for who looks for it.
    ///
    /// # Errors
    /// If the glob is none.
    fn price(&self) -> Result<OwnPrice, globset::Error> {
        OwnPrice::new(self.model.as_deref(), self.upstream.as_deref(), self.said.clone())
    }
}

/// The same of all rules.
///
/// # Errors
/// If a glob is none.
pub(crate) fn own_prices(rules: &[PriceRule]) -> Result<OwnPrices, globset::Error> {
    Ok(OwnPrices(rules.iter().map(PriceRule::price).collect::<Result<_, _>>()?))
}

/// The servers that were given by the user.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Given {
    /// Takes all that names no other.
    every: Option<Upstream>,
    named: Vec<Upstream>,
}

/// Why an upstream is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadGiven {
    #[error(transparent)]
    Address(#[from] BadUpstream),
    #[error("two upstreams cannot take everything: name one, as `--upstream NAME={0}`")]
    TwoForAll(String),
    #[error(
        "`{0}` cannot be the name of an upstream: it begins the path of requests; take letters, \
         digits, `-` and `_`, and no name that other paths begin with"
    )]
    Name(String),
}

impl Given {
    /// Reads `[NAME=]URL`, each.
    ///
    /// # Errors
    /// If an address is none, or two are to take everything.
    pub(crate) fn of(texts: &[String]) -> Result<Self, BadGiven> {
        let mut given = Self::default();
        for text in texts {
            let name = text.split_once('=').filter(|(name, _)| !name.contains([':', '/']));
            match name {
                Some((name, address)) => given.add(name, address)?,
                None if given.every.is_some() => return Err(BadGiven::TwoForAll(text.clone())),
                None => given.set_every(text)?,
            }
        }
        Ok(given)
    }

    /// Has the server at `address` take all that names no other.
    ///
    /// # Errors
    /// If that is no address.
    pub(crate) fn set_every(&mut self, address: &str) -> Result<(), BadGiven> {
        self.every = Some(Upstream::new(EVERYTHING, address)?);
        Ok(())
    }

    /// Adds a server that a path names.
    ///
    /// # Errors
    /// If that is no address, or no name.
    pub(crate) fn add(&mut self, name: &str, address: &str) -> Result<(), BadGiven> {
        if !is_name(name) {
            return Err(BadGiven::Name(name.to_owned()));
        }
        self.named.retain(|known| known.name != name);
        self.named.push(Upstream::new(name, address)?);
        Ok(())
    }

    /// Adds a server that a path names, by this name or one like it that is free; the name that it
    /// has then.
    ///
    /// # Errors
    /// If that is no address.
    pub(crate) fn add_new(&mut self, name: &str, address: &str) -> Result<String, BadGiven> {
        let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_';
        let plain: String =
            name.chars().map(|sign| if is_of_name(sign) { sign } else { '-' }).collect();
        let mut free = plain.clone();
        let upstreams = self.upstreams();
        let is_taken = |name: &str| upstreams.named().any(|known| known.name == name);
        let mut number = 2;
        while !is_name(&free) || is_taken(&free) {
            free = format!("{plain}-{number}");
            number += 1;
        }
        self.add(&free, address)?;
        Ok(free)
    }

    /// The server that takes everything.
    pub(crate) fn every_address(&self) -> Option<String> {
        self.every.as_ref().map(ToString::to_string)
    }

    /// Whether one takes everything.
    pub(crate) fn takes_all(&self) -> bool {
        self.every.is_some()
    }

    /// The same, and what is not said here as `other` says it.
    #[must_use]
    pub(crate) fn or(mut self, other: &Self) -> Self {
        self.every = self.every.or_else(|| other.every.clone());
        for upstream in &other.named {
            if !self.named.iter().any(|known| known.name == upstream.name) {
                self.named.push(upstream.clone());
            }
        }
        self
    }

    /// Those that a request has to name.
    #[must_use]
    pub(crate) fn only_named(&self) -> Self {
        Self { every: None, named: self.named.clone() }
    }

    /// All that requests may go to.
    pub(crate) fn upstreams(&self) -> Upstreams {
        let upstreams = match &self.every {
            Some(every) => Upstreams::new().with_every(every.clone()),
            None => Upstreams::new(),
        };
        self.named.iter().cloned().fold(upstreams, Upstreams::with_named)
    }
}

/// Whether this can begin a path and stand in a header, and no path of an API begins so.
pub(crate) fn is_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_version =
        name.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !name.is_empty() && name.bytes().all(is_of_name) && !is_version && !OWN_PATHS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::Given;

    fn all(given: &[&str]) -> Result<Vec<String>, String> {
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        let made = Given::of(&given).map_err(|error| error.to_string())?;
        Ok(made.upstreams().all().map(ToString::to_string).collect())
    }

    #[test]
    fn upstreams_are_named_or_take_everything() {
        assert_eq!(all(&["https://a.example"]), Ok(vec!["https://a.example".to_owned()]));
        let two = all(&["https://a.example/?x=1"]).unwrap_err();
        assert!(two.contains("it has a query"), "{two}");
        let two = all(&["https://a.example", "https://b.example"]).unwrap_err();
        assert!(two.contains("--upstream NAME=https://b.example"), "{two}");
        let named = all(&["work=https://b.example/v1"]).unwrap();
        assert!(named.contains(&"https://b.example/v1".to_owned()), "{named:?}");
        assert!(named.contains(&"https://api.anthropic.com".to_owned()), "{named:?}");
    }

    #[test]
    fn names_are_no_paths_of_apis() {
        for name in ["v1", "v1beta", "healthz", "metrics", "", "a b", "a.b"] {
            let refused = all(&[&format!("{name}=https://a.example")]).unwrap_err();
            assert!(refused.contains("cannot be the name"), "{name}: {refused}");
        }
        assert!(all(&["vertex=https://a.example", "my-work_2=https://b.example"]).is_ok());
    }

    #[test]
    fn what_is_said_first_counts() {
        let flags = Given::of(&["a=https://one.example".to_owned()]).unwrap();
        let file = Given::of(&[
            "a=https://two.example".to_owned(),
            "b=https://three.example".to_owned(),
            "https://all.example".to_owned(),
        ]);
        let both: Vec<_> =
            flags.or(&file.unwrap()).upstreams().all().map(ToString::to_string).collect();
        let expected = ["https://all.example", "https://one.example", "https://three.example"];
        assert_eq!(both, expected);
    }
}
