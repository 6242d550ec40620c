//! The command line of `foveal serve`, and what it brings together.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::ValueEnum;
use foveal_code::views::CuratedViews;
use foveal_gateway::upstream::{Upstream, Upstreams};
use foveal_gateway::{Gateway, Limits, Settings, WebSockets};
use foveal_live::Conversations;
use foveal_live::rules::Rules;
use foveal_tools::clock::{Clock, SystemClock};

use super::kept::Kept;
use super::told::Teller;
use crate::environment::{Environment, SERVE_TOKEN_VARIABLE};
use crate::listening;
use crate::notice;
use crate::toolbox;

/// The command line of `foveal serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where to listen: a port of this machine, or an address. 0 takes any free port.
    #[arg(long, value_name = "ADDRESS", default_value = "4117", value_parser = listening::address)]
    listen: SocketAddr,
    /// Where requests go, as `https://api.example.com`; if not given, each protocol to its own
    /// provider. `NAME=URL` adds one that the path `/NAME/…` or the header `x-foveal-upstream`
    /// chooses. Repeat it for several.
    #[arg(long = "upstream", value_name = "[NAME=]URL")]
    upstreams: Vec<String>,
    /// What is done to requests.
    #[arg(long, value_name = "PROFILE", default_value = "balanced")]
    profile: Profile,
    /// What becomes of WebSockets to a model, for which nothing can be done: refused, so that
    /// the agent speaks HTTP, or passed through.
    #[arg(long, value_name = "CHOICE", default_value = "refuse")]
    websockets: WebSocketChoice,
    /// How long a decision may take, in milliseconds. After that a request goes with what was
    /// decided before.
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    decision_time: u64,
    /// A host name under which clients may reach it, beside localhost. Repeat it for several.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Prints a line of JSON for each request, for programs.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Profile {
    /// Nothing: requests pass as they are, and are counted.
    Off,
    /// Everything visible stays visible somewhere in the prompt.
    Lossless,
    /// Long output is cut, and old results are reduced in rare batches.
    Balanced,
    /// As balanced, and of long files only what matters when they are first read.
    Curated,
    /// As balanced, sooner and further.
    Max,
}

impl Profile {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Lossless => Some("lossless"),
            Self::Balanced => Some("balanced"),
            Self::Curated => Some("curated"),
            Self::Max => Some("max"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WebSocketChoice {
    Refuse,
    Pass,
}

/// Where requests go.
///
/// # Errors
/// If an address is none, or two are to take everything.
fn upstreams(given: &[String]) -> anyhow::Result<Upstreams> {
    let mut every = None;
    let mut named = Vec::new();
    for text in given {
        let name = text.split_once('=').filter(|(name, _)| is_name(name));
        match name {
            Some((name, address)) => named.push(Upstream::new(name, address)?),
            None if every.is_some() => {
                bail!("two upstreams cannot take everything: name one, as `--upstream NAME={text}`")
            }
            None => every = Some(Upstream::new("upstream", text)?),
        }
    }
    let upstreams = match every {
        Some(every) => Upstreams::new().with_every(every),
        None => Upstreams::new(),
    };
    Ok(named.into_iter().fold(upstreams, Upstreams::with_named))
}

/// Whether this can begin a path and stand in a header.
fn is_name(name: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !name.is_empty() && name.bytes().all(is_of_name)
}

/// Serves until Ctrl+C or SIGTERM.
///
/// # Errors
/// If an upstream or the address cannot be used.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let upstreams = upstreams(&arguments.upstreams)?;
    let token = listening::token(environment.serve_token.as_deref(), SERVE_TOKEN_VARIABLE)?;
    let store = toolbox::store_of_gateway(environment);
    let teller = Teller::start(Arc::clone(&store), arguments.json, environment);
    let shaper: Arc<dyn foveal_gateway::shaper::Shaper> = match arguments.profile.name() {
        None => Arc::new(foveal_gateway::shaper::Untouched),
        Some(profile) => {
            let mut rules = Rules::named(profile).context("the profile is not known")?;
            rules.views = Some(Arc::new(CuratedViews::default()));
            let conversations = Arc::new(Conversations::new(rules, Arc::new(Kept::new(store))));
            let warmed = Arc::clone(&conversations);
            // Nobody waits for that but the first request.
            std::thread::spawn(move || warmed.warm_up());
            conversations
        }
    };
    let settings = Settings {
        address: arguments.listen,
        token,
        hosts: arguments.hosts.clone(),
        upstreams,
        shaper,
        observer: Arc::new(teller),
        now: || SystemClock.now(),
        websockets: match arguments.websockets {
            WebSocketChoice::Refuse => WebSockets::Refused,
            WebSocketChoice::Pass => WebSockets::Passed,
        },
        limits: Limits {
            decision: Duration::from_millis(arguments.decision_time),
            ..Limits::default()
        },
    };
    Gateway::run(settings, |address| {
        notice::say(format_args!("listening at http://{address}"));
    })?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::upstreams;

    #[test]
    fn upstreams_are_named_or_take_everything() {
        let all = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
            let made = upstreams(&given).map_err(|error| error.to_string())?;
            Ok::<_, String>(made.all().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(all(&["https://a.example"]), Ok(vec!["https://a.example".to_owned()]));
        let two = all(&["https://a.example/?x=1"]).unwrap_err();
        assert!(two.contains("it has a query"), "{two}");
        let two = all(&["https://a.example", "https://b.example"]).unwrap_err();
        assert!(two.contains("--upstream NAME=https://b.example"), "{two}");
        let named = all(&["work=https://b.example/v1"]).unwrap();
        assert!(named.contains(&"https://b.example/v1".to_owned()), "{named:?}");
        assert!(named.contains(&"https://api.anthropic.com".to_owned()), "{named:?}");
    }
}
