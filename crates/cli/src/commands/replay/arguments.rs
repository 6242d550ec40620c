//! The command line of `foveal replay`, and its validation.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use foveal_engine::profile::{DEFAULT_PROFILE, Profile};
use foveal_engine::provider_constraints::ProviderConstraints;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_protocols::Protocol;
use foveal_proxy::models::ModelTraits;
use foveal_replay::baselines::{RAW, all_profiles, find_profile};
use foveal_session_readers::SessionFormat;

use crate::environment::Environment;
use crate::prompt_view::MessageDetail;
use crate::replay_prices::ReplayPrices;
use crate::replay_summary::SummaryOrder;

/// The text after the options in the long help.
const LONG_HELP: &str = "\
What the table shows:
  tokens           the tokens of all prompts; peak: those of the largest prompt
  cost             US dollars for input, with repairs. The provider's cache is counted: the
                   unchanged start of a prompt is read from it, unless the cache's lifetime has
                   passed since the request before.
  vs raw, mean     the change of the cost against the recorded prompts: over all sessions, and
                   the mean of the changes of single sessions
  vs bill          the same against what the provider billed for the prompts, if the recordings
                   have that: the bill includes system prompt, tools, reminders and thinking,
                   which recordings omit
  rewrites         requests that changed results which had been sent before
  evidence         Edits hold lines that tool results showed before. This is the share of these
                   lines that was visible.
  refs             the same for identifiers and paths in what the model wrote
  repairs/session  answers that needed lines that were not visible. Each is charged as one more
                   request with a short output and the results that held the lines.
  laws broken      must be 0

The last rows are hindsight, for comparison: nothing that is used later is missing, and all else is
omitted as soon as that saves money.
  oracle           sends of each result, when it comes, only the lines that are used later
  oracle-rewriting also drops lines after their last use
  oracle-look-once sends each result whole once, and later drops the parts that are not used

If the recordings contain the bill, a second table splits it by cause. `of input` is the share of a
part in the cost of the prompts; repairs are not billed, and are added to the profile's bill. A part
is paid again when the cache had expired, when the client changed what it had sent before, and,
with a profile, when foveal rewrote it. Claude Code records only the first output tokens of an
answer.

--json prints one document:
  prices, assumed_prices, tokenizer, interrupted, sessions, conversations
  raw, profiles[]  requests, tokens, tokens_cached, tokens_peak, dollars, repair_dollars, rewrites,
                   evidence and references {used, visible, ratio}, repairs,
                   laws_broken {total, lost, dangling, unfrozen, larger},
                   bill {requests, uncached, read, written, expired, client, foveal, missed, output,
                   input, dollars, repair_dollars, input_change, change}; each part has {tokens,
                   dollars}
  profiles[] also  profile, origin, cost_change, cost_change_mean, tokens_change,
                   repairs_per_session, oracle_shares {NAME: share of that oracle's saving}
  oracles[]        as profiles[], of the oracles
  per_session[]    with --per-session: session, file, conversations, raw, profiles[]
  not_read[], problem_count, problems[]

--prompt-log writes one JSON line for each request:
  session          the session's id. For a sub-agent, / and its conversation's id follow.
  request          the number of the request, from 1
  before           [step, null]: the step of the recording that answers the request
  keep, append     The prompt is the first `keep` messages of the request before, then `append`.
                   Each message has role, content and source [step, result]. For the step's own
                   message, result is null, and the content is its text, then its calls. A call
                   is one line: the tool's name and its arguments as JSON.
  tokens           the tokens of the whole prompt";

/// The command line of `foveal replay`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct ReplayArguments {
    /// Files and folders of recorded sessions, and names of sessions of `foveal run`, as `foveal
    /// sessions` lists them. If not given, the sessions that agents keep on this machine, including
    /// foveal's own.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The format of the files. Detected if not given.
    #[arg(long, value_name = "NAME")]
    format: Option<SessionFormat>,
    /// A profile to replay. Repeat it for several; `all` is all of them. With --prompt-log or
    /// --show, `raw` is the prompts as they were recorded.
    #[arg(long = "profile", value_name = "NAME")]
    profiles: Vec<String>,
    /// Replay as for this model: with its prices, unless --prices is given, and the changes that
    /// its provider allows. If not given, the recorded models determine the allowed changes: the
    /// newest Claude models allow none before their thinking.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The price card: a name, also of your own prices in the settings (`[[gateway.prices]]`), or a
    /// JSON file with one [default: that of each recorded model, if known, else anthropic-5m].
    #[arg(long, value_name = "NAME|FILE.json")]
    prices: Option<String>,
    /// The tokenizer: o200k and cl100k are exact for OpenAI's models, claude is an estimate.
    #[arg(long, value_name = "NAME", default_value = "o200k")]
    tokenizer: TokenizerName,
    /// Sort the rows.
    #[arg(long, value_name = "BY")]
    sort: Option<SummaryOrder>,
    /// Adds a row for every session, under the default profile or the first one named.
    #[arg(long)]
    per_session: bool,
    /// Print one JSON document instead of tables.
    #[arg(long)]
    json: bool,
    /// List everything in the files that could not be read.
    #[arg(long)]
    problems: bool,
    /// Write every prompt of one profile to a file as JSON lines; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    prompt_log: Option<PathBuf>,
    /// Writes the prompts to that file with their secrets. If not given, `[secret removed: KIND]`
    /// replaces each secret that foveal recognises. Standard output gets every byte.
    #[arg(long, requires = "prompt_log")]
    keep_secrets: bool,
    /// Write one self-contained web page with plots.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Show the prompt of this request of one session, counted from 1, as one profile makes it.
    #[arg(long, value_name = "TURN")]
    show: Option<u32>,
    /// With --show: show what was replaced as a difference to the original.
    #[arg(long, requires = "show", conflicts_with = "short")]
    diff: bool,
    /// With --show: one line for each message.
    #[arg(long, requires = "show")]
    short: bool,
    /// With --show: the conversation of a sub-agent, by its id.
    #[arg(long, value_name = "ID", requires = "show")]
    conversation: Option<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum TokenizerName {
    O200k,
    Cl100k,
    Claude,
}

impl From<TokenizerName> for Tokenizer {
    fn from(name: TokenizerName) -> Self {
        match name {
            TokenizerName::O200k => Tokenizer::O200k,
            TokenizerName::Cl100k => Tokenizer::Cl100k,
            TokenizerName::Claude => Tokenizer::Claude,
        }
    }
}

/// The validated command line: the sessions to replay, and the output.
#[derive(Debug, Clone)]
pub(crate) struct ReplayConfig {
    pub(super) paths: Vec<PathBuf>,
    pub(super) format: Option<SessionFormat>,
    pub(super) profiles: Vec<&'static Profile>,
    pub(super) prices: ReplayPrices,
    /// The provider's constraints; `None`: those of the recorded models.
    pub(super) constraints: Option<ProviderConstraints>,
    pub(super) tokenizer: Tokenizer,
    pub(super) sort: Option<SummaryOrder>,
    pub(super) per_session: bool,
    pub(super) json: bool,
    pub(super) problems_max: usize,
    pub(super) prompt_log: Option<PathBuf>,
    pub(super) keep_secrets: bool,
    pub(super) report: Option<PathBuf>,
    pub(super) prompt_to_show: Option<PromptSelection>,
}

/// The prompt to show.
#[derive(Debug, Clone)]
pub(crate) struct PromptSelection {
    /// The number of the request, from 1.
    pub(super) turn: u32,
    pub(super) detail: MessageDetail,
    /// The id of a sub-agent's conversation; `None` for the main one.
    pub(super) conversation: Option<String>,
}

/// Problems that are listed without `--problems`.
const PROBLEMS_SHOWN: usize = 5;

impl ReplayArguments {
    /// Returns the configuration, validated as far as possible without reading sessions.
    ///
    /// # Errors
    /// If a profile or price card is unknown, or arguments contradict each other.
    pub(crate) fn into_config(self, environment: &Environment) -> anyhow::Result<ReplayConfig> {
        let about_one = match (&self.show, &self.prompt_log) {
            (Some(_), _) => Some("--show"),
            (None, Some(_)) => Some("--prompt-log"),
            (None, None) => None,
        };
        let profiles = parse_profiles(&self.profiles, about_one.is_some())?;
        if let Some(option) = about_one.filter(|_| profiles.len() != 1) {
            bail!("{option} needs one profile: choose it with --profile NAME");
        }
        if self.show.is_some() && (self.prompt_log.is_some() || self.report.is_some()) {
            bail!("--show prints one prompt only: leave out --prompt-log and --report");
        }
        let detail = match (self.short, self.diff) {
            (true, _) => MessageDetail::Headings,
            (false, true) => MessageDetail::Diff,
            (false, false) => MessageDetail::Text,
        };
        let conversation = self.conversation;
        let model = self.model.map(|name| ModelTraits::from_name(&name, Protocol::Chat));
        let prices = match (&self.prices, &model) {
            (Some(name), _) => ReplayPrices::Chosen(load_price_card(name, environment)?),
            (None, Some(model)) => ReplayPrices::Chosen(model.prices.clone()),
            (None, None) => ReplayPrices::from_settings(environment),
        };
        Ok(ReplayConfig {
            paths: self.paths,
            format: self.format,
            profiles,
            prices,
            constraints: model.map(|model| model.constraints),
            tokenizer: self.tokenizer.into(),
            sort: self.sort,
            per_session: self.per_session,
            json: self.json,
            problems_max: if self.problems { usize::MAX } else { PROBLEMS_SHOWN },
            prompt_log: self.prompt_log,
            keep_secrets: self.keep_secrets,
            report: self.report,
            prompt_to_show: self.show.map(|turn| PromptSelection { turn, detail, conversation }),
        })
    }
}

/// Returns the profiles with these names. Without a name it is the default profile if `one` is set,
/// else all.
fn parse_profiles(names: &[String], one: bool) -> anyhow::Result<Vec<&'static Profile>> {
    let mut chosen: Vec<&'static Profile> = Vec::new();
    let default = [if one { DEFAULT_PROFILE.to_owned() } else { "all".to_owned() }];
    for name in if names.is_empty() { &default } else { names } {
        if name == "all" {
            chosen.extend(all_profiles());
        } else if let Some(profile) = find_profile(name) {
            chosen.push(profile);
        } else if name == RAW.name && one {
            chosen.push(&RAW);
        } else if name == RAW.name {
            bail!(
                "`raw` is in every table: use it only with --prompt-log or --show, for the prompts \
                 as they were recorded"
            );
        } else {
            let known: Vec<&str> = all_profiles().map(|profile| profile.name).collect();
            bail!("unknown profile `{name}`: expected one of {}, all", known.join(", "));
        }
    }
    let mut known = HashSet::new();
    chosen.retain(|profile| known.insert(profile.name));
    Ok(chosen)
}

/// Returns the price card with this name: a built-in one, one of the settings, or one in a file.
fn load_price_card(name: &str, environment: &Environment) -> anyhow::Result<PriceCard> {
    if let Some(card) = PriceCard::find(name) {
        return Ok(card);
    }
    let is_file = Path::new(name).is_file();
    let own = match environment.read_user_settings() {
        Ok(settings) => settings.gateway.prices,
        // Invalid settings do not matter for a price card in a file.
        Err(_) if is_file => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if let Some(rule) = own.iter().find(|rule| rule.prices.name == name) {
        let maker =
            ModelTraits::from_name(rule.model.as_deref().unwrap_or_default(), Protocol::Chat)
                .prices;
        return Ok(rule.prices.to_price_card(&maker));
    }
    if !is_file {
        let all = PriceCard::built_in_cards().into_iter().map(|card| card.name);
        let known: Vec<String> = all.chain(own.into_iter().map(|rule| rule.prices.name)).collect();
        bail!("unknown price card `{name}`: expected one of {} or a JSON file", known.join(", "));
    }
    let text = fs::read_to_string(name).with_context(|| format!("`{name}` cannot be read"))?;
    PriceCard::from_json(&text).with_context(|| format!("`{name}` is not a price card"))
}
