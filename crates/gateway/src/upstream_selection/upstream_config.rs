//! The upstreams that a user configures, by flags and by settings.

use super::{Upstream, UpstreamAddressError, Upstreams};

/// The name of the upstream that takes all requests.
const DEFAULT_UPSTREAM_NAME: &str = "upstream";

/// The first parts of paths that the gateway answers itself. An upstream cannot have such a name.
const GATEWAY_PATHS: [&str; 6] = ["healthz", "readyz", "metrics", "protocol", "api", "model"];

/// The upstreams that the user configured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UpstreamConfig {
    /// The upstream of requests that name no other.
    default_upstream: Option<Upstream>,
    named_upstreams: Vec<Upstream>,
}

/// An invalid configuration of upstreams.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamConfigError {
    /// An address is invalid.
    #[error(transparent)]
    Address(#[from] UpstreamAddressError),
    /// The second address without a name.
    #[error("only one upstream can be the default: name the other, as in `--upstream NAME={0}`")]
    TwoDefaults(String),
    /// The name is part of another path.
    #[error(
        "`{0}` is not a valid upstream name: names begin the paths of requests; use letters, \
         digits, `-` and `_`, and no name that begins another path"
    )]
    InvalidName(String),
}

impl UpstreamConfig {
    /// Parses texts of the form `[NAME=]URL`.
    ///
    /// # Errors
    /// Returns an error if an address or a name is invalid, or two upstreams have no name.
    pub fn parse(texts: &[String]) -> Result<Self, UpstreamConfigError> {
        let mut given = Self::default();
        for text in texts {
            let name = text.split_once('=').filter(|(name, _)| !name.contains([':', '/']));
            match name {
                Some((name, address)) => given.add_named(name, address)?,
                None if given.default_upstream.is_some() => {
                    return Err(UpstreamConfigError::TwoDefaults(text.clone()));
                }
                None => given.set_default(text)?,
            }
        }
        Ok(given)
    }

    /// Sets the upstream at `address` for requests that name no other.
    ///
    /// # Errors
    /// Returns an error if the address is invalid.
    pub fn set_default(&mut self, address: &str) -> Result<(), UpstreamConfigError> {
        self.default_upstream = Some(Upstream::new(DEFAULT_UPSTREAM_NAME, address)?);
        Ok(())
    }

    /// Adds an upstream that requests select by name in their path; one of the same name is
    /// replaced.
    ///
    /// # Errors
    /// Returns an error if the address or the name is invalid.
    pub fn add_named(&mut self, name: &str, address: &str) -> Result<(), UpstreamConfigError> {
        if !is_upstream_name(name) {
            return Err(UpstreamConfigError::InvalidName(name.to_owned()));
        }
        self.named_upstreams.retain(|known| known.name != name);
        self.named_upstreams.push(Upstream::new(name, address)?);
        Ok(())
    }

    /// Adds an upstream under this name, or a similar one that is free. Returns the name that it
    /// was given.
    ///
    /// # Errors
    /// Returns an error if the address is invalid.
    pub fn add_with_free_name(
        &mut self,
        name: &str,
        address: &str,
    ) -> Result<String, UpstreamConfigError> {
        let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_';
        let plain: String =
            name.chars().map(|sign| if is_of_name(sign) { sign } else { '-' }).collect();
        let mut free = plain.clone();
        let upstreams = self.to_upstreams();
        let is_taken = |name: &str| upstreams.addressable().any(|known| known.name == name);
        let mut number = 2;
        while !is_upstream_name(&free) || is_taken(&free) {
            free = format!("{plain}-{number}");
            number += 1;
        }
        self.add_named(&free, address)?;
        Ok(free)
    }

    /// Returns the address of the upstream for requests that name no other.
    pub fn default_address(&self) -> Option<String> {
        self.default_upstream.as_ref().map(ToString::to_string)
    }

    /// Returns whether requests that name no upstream have one.
    pub fn has_default(&self) -> bool {
        self.default_upstream.is_some()
    }

    /// Adds the upstreams of `other`; those of `self` win.
    #[must_use]
    pub fn with_fallback(mut self, other: &Self) -> Self {
        self.default_upstream = self.default_upstream.or_else(|| other.default_upstream.clone());
        for upstream in &other.named_upstreams {
            if !self.named_upstreams.iter().any(|known| known.name == upstream.name) {
                self.named_upstreams.push(upstream.clone());
            }
        }
        self
    }

    /// Returns the upstreams that requests select by name.
    #[must_use]
    pub fn without_default(&self) -> Self {
        Self { default_upstream: None, named_upstreams: self.named_upstreams.clone() }
    }

    /// Returns all upstreams that requests may go to.
    pub fn to_upstreams(&self) -> Upstreams {
        let upstreams = match &self.default_upstream {
            Some(every) => Upstreams::new().with_default(every.clone()),
            None => Upstreams::new(),
        };
        self.named_upstreams.iter().cloned().fold(upstreams, Upstreams::with_upstream)
    }
}

/// Returns whether a name can be the first part of a path and stand in a header, without a clash
/// with a path of an API.
pub fn is_upstream_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_version =
        name.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !name.is_empty()
        && name.bytes().all(is_of_name)
        && !is_version
        && !GATEWAY_PATHS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::UpstreamConfig;

    fn all(given: &[&str]) -> Result<Vec<String>, String> {
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        let made = UpstreamConfig::parse(&given).map_err(|error| error.to_string())?;
        Ok(made.to_upstreams().all().map(ToString::to_string).collect())
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
            assert!(refused.contains("is not a valid upstream name"), "{name}: {refused}");
        }
        assert!(all(&["vertex=https://a.example", "my-work_2=https://b.example"]).is_ok());
    }

    #[test]
    fn what_is_said_first_counts() {
        let flags = UpstreamConfig::parse(&["a=https://one.example".to_owned()]).unwrap();
        let file = UpstreamConfig::parse(&[
            "a=https://two.example".to_owned(),
            "b=https://three.example".to_owned(),
            "https://all.example".to_owned(),
        ]);
        let both: Vec<_> = flags
            .with_fallback(&file.unwrap())
            .to_upstreams()
            .all()
            .map(ToString::to_string)
            .collect();
        let expected = ["https://all.example", "https://one.example", "https://three.example"];
        assert_eq!(both, expected);
    }
}
