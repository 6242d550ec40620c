//! The command line of `foveal serve`.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use foveal_gateway::{Gateway, ProxySettings};

use super::learners::Learners;
use super::one_arena;
use super::service;
use super::start::{Choices, WherePaid};
use super::told::{Lines, Teller};
use super::traced::{Complaints, Traced};
use crate::environment::{Environment, SERVE_TOKEN_VARIABLE};
use crate::gateway::{
    CacheChoice, GatewayRule, GatewaySettings, Given, LISTEN_PORT, Profile, WebSocketChoice,
};
use crate::listening;
use crate::notice;
use crate::toolbox;
use crate::user_settings;

/// How long a decision may take where nothing is said.
const DECISION_TIME: Duration = Duration::from_millis(300);

/// The command line of `foveal serve`. What is not given is as `[gateway]` in the user's
/// `config.toml` says.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where to listen: a port of this machine, or an address. 0 takes any free port. If not given,
    /// 4117.
    #[arg(long, value_name = "ADDRESS", value_parser = listening::address)]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    behaviour: Behaviour,
    /// A host name under which clients may reach it, beside localhost. Repeat it for several.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Prints a line of JSON for each request, for programs.
    #[arg(long)]
    json: bool,
    /// Has the system run it from now on, with the other arguments given here: by a unit of systemd
    /// for your user, or an agent of launchd on macOS.
    #[arg(long)]
    install: bool,
    /// Ends and removes what --install set up, and nothing else.
    #[arg(long, conflicts_with = "install")]
    uninstall: bool,
}

/// What every gateway can be told.
#[derive(Debug, clap::Args)]
pub(crate) struct Behaviour {
    /// Where requests go, as `https://api.example.com`; if not given, each protocol to its own
    /// provider. `NAME=URL` adds one that the path `/NAME/…` or the header `x-foveal-upstream`
    /// chooses. Repeat it for several.
    #[arg(long = "upstream", value_name = "[NAME=]URL")]
    upstreams: Vec<String>,
    /// What is done to requests. If not given, balanced.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<Profile>,
    /// Whether marks for the provider's prompt cache are set where an agent sets none, and one more
    /// where it marks the end of its messages: auto, when that pays, or off. If not given, auto.
    #[arg(long, value_name = "CHOICE")]
    cache: Option<CacheChoice>,
    /// What becomes of WebSockets to a model, for which nothing can be done: refused, so that
    /// the agent speaks HTTP, or passed through. If not given, refused.
    #[arg(long, value_name = "CHOICE")]
    websockets: Option<WebSocketChoice>,
    /// How long a decision may take, in milliseconds. After that a request goes with what was
    /// decided before. If not given, 300.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    decision_time: Option<u64>,
    /// Reads a prompt again shortly before the provider's cache forgets it, while the agent pauses,
    /// as long as that pays. Begins anew where it has not paid before.
    #[arg(long)]
    keep_warm: bool,
}

impl Behaviour {
    /// The servers that were given: here, and else in the settings.
    ///
    /// # Errors
    /// If an address is none, or two are to take everything.
    pub(crate) fn given(&self, settings: &GatewaySettings) -> anyhow::Result<Given> {
        Ok(Given::of(&self.upstreams)?.or(&settings.upstreams))
    }

    /// The servers that were given for one run of an agent: what the settings say that takes
    /// everything is for those who chose it, and not for the keys of an agent that asks another.
    ///
    /// # Errors
    /// If an address is none, or two are to take everything.
    pub(crate) fn given_for_one(&self, settings: &GatewaySettings) -> anyhow::Result<Given> {
        Ok(Given::of(&self.upstreams)?.or(&settings.upstreams.only_named()))
    }

    /// A gateway at `listen` before `given`, as it is told here, and else in the settings.
    pub(crate) fn choices(
        &self,
        listen: SocketAddr,
        given: &Given,
        settings: &GatewaySettings,
    ) -> Choices {
        let decision = self.decision_time.map(Duration::from_millis).or(settings.decision);
        Choices {
            listen,
            token: None,
            hosts: Vec::new(),
            upstreams: given.upstreams(),
            profile: self.profile.or(settings.profile).unwrap_or(Profile::Balanced),
            rules: self.rules(settings),
            without_pointers: settings.without_pointers,
            tools_without_pointers: settings.tools_without_pointers.clone(),
            cache: self.cache.or(settings.cache).unwrap_or(CacheChoice::Auto),
            websockets: self.websockets.or(settings.websockets).unwrap_or(WebSocketChoice::Refuse),
            decision: decision.unwrap_or(DECISION_TIME),
            keep_warm: match (self.keep_warm, settings.keep_warm) {
                (true, _) => WherePaid::Anew,
                (false, true) => WherePaid::Yes,
                (false, false) => WherePaid::No,
            },
            learners: Learners::default(),
            prices: settings.prices.clone(),
            proxies: ProxySettings::default(),
        }
    }
}

impl Behaviour {
    /// What the settings say of models and agents. What is given for this run counts before it.
    fn rules(&self, settings: &GatewaySettings) -> Vec<GatewayRule> {
        match self.profile {
            Some(_) => Vec::new(),
            None => settings.rules.clone(),
        }
    }
}

/// Serves until Ctrl+C or SIGTERM.
///
/// # Errors
/// If an upstream or the address cannot be used.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    if arguments.uninstall {
        return service::uninstall(environment);
    }
    if !arguments.install {
        one_arena::begin_again(environment);
    }
    let settings = user_settings::read(environment)?.gateway;
    let given = arguments.behaviour.given(&settings)?;
    let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, LISTEN_PORT));
    let listen = arguments.listen.or(settings.listen).unwrap_or(usual);
    if arguments.install {
        return service::install(listen, environment);
    }
    let mut choices = arguments.behaviour.choices(listen, &given, &settings);
    choices.hosts = match arguments.hosts.is_empty() {
        true => settings.hosts.clone(),
        false => arguments.hosts.clone(),
    };
    choices.token = listening::token(environment.serve_token.as_deref(), SERVE_TOKEN_VARIABLE)?;
    choices.proxies = environment.proxies();
    let store = toolbox::store_of_gateway(environment);
    let choices = choices.with_learners(toolbox::store_path(environment).as_deref())?;
    let lines = Lines::printed(arguments.json, environment);
    let traced = Traced::start(environment, &settings, choices.profile, Complaints::AtOnce);
    let (teller, telling) =
        Teller::start(Arc::clone(&store), lines, traced, choices.learners.clone());
    let settings = choices.settings(store, Arc::new(teller))?;
    Gateway::run(settings, |address| {
        notice::say(format_args!("listening at http://{address}"));
    })?;
    let totals = telling.finish();
    if !totals.is_empty() {
        notice::say(totals.line());
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::{Arguments, DECISION_TIME};
    use crate::user_settings::keys;

    /// The default of a setting as its table has it.
    fn default_of(key: &str) -> &'static str {
        let usual = keys::named(key).and_then(|key| key.usual);
        usual.expect("the setting has a default").trim_matches('"')
    }

    #[test]
    fn the_help_names_the_defaults_of_the_settings() {
        let command = Arguments::augment_args(clap::Command::new("serve"));
        for (option, key) in [
            ("listen", "gateway.listen"),
            ("profile", "gateway.profile"),
            ("cache", "gateway.cache"),
            ("websockets", "gateway.websockets"),
            ("decision_time", "gateway.decision_time_ms"),
        ] {
            let argument = command.get_arguments().find(|it| it.get_id() == option);
            let help = argument.and_then(clap::Arg::get_help).expect("a help text").to_string();
            let default = default_of(key);
            assert!(help.contains("If not given, ") && help.contains(default), "{option}: {help}");
        }
        assert_eq!(DECISION_TIME.as_millis().to_string(), default_of("gateway.decision_time_ms"));
    }
}
