//! Proxies that variables name. foveal asks servers directly.

use crate::environment::Environment;

use super::Given;

/// The variables for servers behind TLS, and for others; of two spellings the first counts.
const FOR_TLS: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
const FOR_PLAIN: [&str; 4] = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

/// The variable with a proxy that would be asked for one of these servers by who heeds it, if any
/// does.
pub(crate) fn passed_by(environment: &Environment, given: &Given) -> Option<&'static str> {
    let no_proxy = ["no_proxy", "NO_PROXY"].into_iter().find_map(|name| environment.told(name));
    let excluded = no_proxy.unwrap_or_default();
    given.in_use().into_iter().find_map(|address| {
        let (host, is_tls) = host(&address)?;
        if is_excluded(host, excluded) {
            return None;
        }
        let names = if is_tls { FOR_TLS } else { FOR_PLAIN };
        names.into_iter().find(|name| environment.told(name).is_some())
    })
}

/// What is said of it.
pub(crate) fn remark(variable: &str) -> String {
    format!(
        "{variable} names a proxy, which foveal does not use: it asks providers directly, and fails \
         where your network lets only the proxy out"
    )
}

/// The host of an address, and whether it is asked behind TLS.
fn host(address: &str) -> Option<(&str, bool)> {
    let (scheme, rest) = address.split_once("://")?;
    let authority = rest.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    };
    Some((host, scheme == "https"))
}

/// Whether a proxy is not for this host: it is this machine, or `no_proxy` names it, or a domain
/// that it is in.
fn is_excluded(host: &str, no_proxy: &str) -> bool {
    let is_here = host == "localhost" || host == "::1" || host.starts_with("127.");
    is_here
        || no_proxy.split(',').map(str::trim).any(|known| {
            let known = known.trim_start_matches('*').trim_start_matches('.');
            let name = known.split(':').next().unwrap_or_default();
            let before = host.strip_suffix(name).filter(|_| !name.is_empty());
            before.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
        || no_proxy.split(',').any(|known| known.trim() == "*")
}

#[cfg(test)]
mod tests {
    use super::passed_by;
    use crate::environment::Environment;
    use crate::gateway::Given;

    fn passed(variables: &[(&'static str, &str)], upstreams: &[&str]) -> Option<&'static str> {
        let of_agents = variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let environment = Environment { of_agents: of_agents.collect(), ..Environment::default() };
        let upstreams: Vec<String> = upstreams.iter().map(|text| (*text).to_owned()).collect();
        passed_by(&environment, &Given::of(&upstreams).unwrap())
    }

    #[test]
    fn a_proxy_is_passed_by_where_it_would_be_asked() {
        let https = ("HTTPS_PROXY", "http://proxy:3128");
        let plain = ("http_proxy", "http://proxy:3128");
        let all = ("ALL_PROXY", "http://proxy:3128");
        assert_eq!(passed(&[], &[]), None);
        assert_eq!(passed(&[https], &[]), Some("HTTPS_PROXY"));
        assert_eq!(passed(&[all], &[]), Some("ALL_PROXY"));
        assert_eq!(passed(&[plain], &[]), None);
        assert_eq!(passed(&[https], &["http://models.example"]), None);
        assert_eq!(passed(&[plain], &["http://models.example"]), Some("http_proxy"));
        assert_eq!(passed(&[https, plain], &["http://127.0.0.1:8080/v1"]), None);
        assert_eq!(passed(&[https], &["a=https://models.example"]), Some("HTTPS_PROXY"));
    }

    #[test]
    fn what_is_excluded_is_asked_directly_anyway() {
        let asked = |no_proxy: &'static str| {
            let variables = [("https_proxy", "http://proxy"), ("NO_PROXY", no_proxy)];
            passed(&variables, &["https://api.models.example:8443/v1"]).is_some()
        };
        for excluded in
            ["*", "models.example", ".models.example", "a, api.models.example", "*.example"]
        {
            assert!(!asked(excluded), "{excluded}");
        }
        for other in ["", "dels.example", "other.example", "api.models.example.org"] {
            assert!(asked(other), "{other}");
        }
    }
}
