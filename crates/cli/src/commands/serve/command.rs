//! The command line of `foveal serve`.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use foveal_gateway::cost_ledger::BillingContext;
use foveal_gateway::upstream_selection::UpstreamConfig;
use foveal_gateway::{Gateway, ProxySettings};
use foveal_settings::{
    CacheChoice, GatewayProfile, GatewayRule, GatewaySection, UserSettings, WebSocketChoice,
    parse_listen_address,
};

use super::gateway_options::{GatewayOptions, KeepAliveMode};
use super::request_log::{RequestLog, RequestLogOutput};
use super::request_tracer::{CollectorWarningTiming, RequestTracer};
use super::service;
use super::single_malloc_arena;
use crate::environment::{Environment, SERVE_TOKEN_VARIABLE};
use crate::listen_options;
use crate::notice;
use crate::toolbox;

/// The command line of `foveal serve`. Options that are not given default to `[gateway]` in the
/// user's `config.toml`.
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArguments {
    /// Where to listen: a port of this machine, or an address. 0 takes any free port. If not given,
    /// 4117.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_listen_address)]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    behaviour: GatewayArguments,
    /// A host name under which clients may reach it, in addition to localhost. Repeat it for
    /// several.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Prints a line of JSON for each request, for programs.
    #[arg(long)]
    json: bool,
    /// Installs it as a service, with the other arguments given here: a systemd unit for your user,
    /// or a launchd agent on macOS.
    #[arg(long)]
    install: bool,
    /// Stops and removes the service that --install set up, and nothing else.
    #[arg(long, conflicts_with = "install")]
    uninstall: bool,
}

/// Options of every gateway, of `foveal serve` and of `foveal wrap`.
#[derive(Debug, clap::Args)]
pub(crate) struct GatewayArguments {
    /// The server for requests, such as `https://api.example.com`; if not given, each protocol to
    /// its own provider. `NAME=URL` adds one that the path `/NAME/…` or the header
    /// `x-foveal-upstream` chooses. Repeat it for several.
    #[arg(long = "upstream", value_name = "[NAME=]URL")]
    upstreams: Vec<String>,
    /// The profile for shortening results. If not given, balanced.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<GatewayProfile>,
    /// Whether to set marks for the provider's prompt cache where an agent sets none, and one more
    /// where it marks the end of its messages: auto, when that saves money, or off. If not given,
    /// auto.
    #[arg(long, value_name = "CHOICE")]
    cache: Option<CacheChoice>,
    /// Handling of WebSockets to a model, which cannot be shortened: refused, so that the agent
    /// uses HTTP, or passed through. If not given, refused.
    #[arg(long, value_name = "CHOICE")]
    websockets: Option<WebSocketChoice>,
    /// The time limit for shortening a request, in milliseconds. After that, the request is sent
    /// with the earlier decisions. If not given, 300.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    decision_time: Option<u64>,
    /// Refreshes the provider's cache shortly before it expires while the agent pauses, as long as
    /// that saves money. Starts again if it was stopped because it did not.
    #[arg(long)]
    keep_warm: bool,
}

impl GatewayArguments {
    /// Returns the upstreams of the command line, else those of the settings.
    ///
    /// # Errors
    /// If an address is invalid, or two upstreams claim all requests.
    pub(crate) fn upstream_config(
        &self,
        settings: &GatewaySection,
    ) -> anyhow::Result<UpstreamConfig> {
        Ok(UpstreamConfig::parse(&self.upstreams)?.with_fallback(&settings.upstream_config()))
    }

    /// Returns the upstreams for one wrapped run of an agent. An upstream of the settings that
    /// takes all requests is left out: its user chose it for other clients, and the keys of this
    /// agent may belong to another provider.
    ///
    /// # Errors
    /// If an address is invalid, or two upstreams claim all requests.
    pub(crate) fn upstream_config_for_wrap(
        &self,
        settings: &GatewaySection,
    ) -> anyhow::Result<UpstreamConfig> {
        Ok(UpstreamConfig::parse(&self.upstreams)?
            .with_fallback(&settings.upstream_config().without_default()))
    }

    /// Returns the options of a gateway that listens at `listen` and forwards to the upstreams of
    /// `given`. Options that the command line leaves open come from `settings`.
    pub(crate) fn gateway_options(
        &self,
        listen: SocketAddr,
        given: &UpstreamConfig,
        settings: &UserSettings,
    ) -> GatewayOptions {
        let calls = settings.call_settings();
        let settings = &settings.gateway;
        let decision_time_ms = self.decision_time.unwrap_or(settings.decision_time_ms);
        GatewayOptions {
            listen,
            token: None,
            hosts: Vec::new(),
            upstreams: given.to_upstreams(),
            profile: self.profile.unwrap_or(settings.profile),
            rules: self.gateway_rules(settings),
            without_pointers: !calls.detect,
            tools_without_pointers: calls.undetected_tools(),
            cache: self.cache.unwrap_or(settings.cache),
            websockets: self.websockets.unwrap_or(settings.websockets),
            decision_time_out: Duration::from_millis(decision_time_ms),
            keep_warm: match (self.keep_warm, settings.keep_warm) {
                (true, _) => KeepAliveMode::Restarted,
                (false, true) => KeepAliveMode::WhileProfitable,
                (false, false) => KeepAliveMode::Off,
            },
            billing: BillingContext::default(),
            price_rules: settings.prices.clone(),
            proxies: ProxySettings::default(),
        }
    }
}

impl GatewayArguments {
    /// Returns the settings' rules for models and agents, or none if the command line names a
    /// profile.
    fn gateway_rules(&self, settings: &GatewaySection) -> Vec<GatewayRule> {
        match self.profile {
            Some(_) => Vec::new(),
            None => settings.rules.clone(),
        }
    }
}

/// Runs a gateway until Ctrl+C or SIGTERM; with `--install` or `--uninstall`, sets up or removes
/// its service instead.
///
/// # Errors
/// If an upstream or the address cannot be used.
pub(crate) fn run(
    arguments: &ServeArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    if arguments.uninstall {
        return service::uninstall(environment);
    }
    if !arguments.install {
        single_malloc_arena::restart_with_single_arena(environment);
    }
    let settings = environment.read_user_settings()?;
    let given = arguments.behaviour.upstream_config(&settings.gateway)?;
    let listen = arguments.listen.unwrap_or(settings.gateway.listen);
    if arguments.install {
        return service::install(listen, environment);
    }
    let mut choices = arguments.behaviour.gateway_options(listen, &given, &settings);
    choices.hosts = match arguments.hosts.is_empty() {
        true => settings.gateway.hosts.clone(),
        false => arguments.hosts.clone(),
    };
    choices.token = listen_options::parse_client_token(
        environment.serve_token.as_deref(),
        SERVE_TOKEN_VARIABLE,
    )?;
    choices.proxies = environment.proxies();
    let store = toolbox::open_gateway_store(environment);
    let choices = choices.with_billing(toolbox::store_path(environment).as_deref())?;
    let lines = RequestLogOutput::for_stdout(arguments.json, environment);
    let traced = RequestTracer::start(
        environment,
        settings.gateway.otel.as_ref(),
        choices.profile,
        CollectorWarningTiming::Immediate,
    );
    let (logger, log) =
        RequestLog::start(Arc::clone(&store), lines, traced, choices.billing.clone());
    let settings = choices.into_settings(store, Arc::new(logger))?;
    Gateway::run(settings, |address| {
        notice::print_notice(format_args!("listening at http://{address}"));
    })?;
    let totals = log.finish();
    if !totals.is_empty() {
        notice::print_notice(totals.summary_line());
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use foveal_settings::{GatewaySection, setting_keys};

    use super::ServeArguments;

    /// Returns the default of a setting from the table of settings.
    fn default_of(key: &str) -> &'static str {
        let usual = setting_keys::find_setting(key).and_then(|key| key.default_value.as_deref());
        usual.expect("the setting has a default").trim_matches('"')
    }

    #[test]
    fn the_help_names_the_defaults_of_the_settings() {
        let command = ServeArguments::augment_args(clap::Command::new("serve"));
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
        assert_eq!(
            GatewaySection::default().decision_time_ms.to_string(),
            default_of("gateway.decision_time_ms")
        );
    }
}
