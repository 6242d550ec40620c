//! The settings as they are written. What could have no effect is refused where it stands, so
//! that the error names its line.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use foveal_tools::permission::{Rule, Verdict};
use foveal_tools::settings::{ANSWER_TOKENS_MAX, LineLimits};
use foveal_tools::table::{self, TOOLS};
use globset::Glob;
use serde::Deserialize;
use toml::Spanned;

use super::agent::{AgentSettings, HistoryLimits, PROFILES};
use super::budget::{BadBudget, Budget, PromptSize};
use super::chat::ColoursWish;
use super::gateway::WrittenGateway;
use super::glob::{GlobText, WrongGlob};
use super::told::line_at;

/// Tokens and bytes of an answer that has room for a page and its notes.
const ANSWER_TOKENS_MIN: u32 = 1_000;
const ANSWER_BYTES_MIN: u32 = 3_000;

/// The file. What is not named stays as it is by default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    pub(super) keep_contents: Option<bool>,
    pub(super) curator: WrittenCurator,
    pub(super) curator_model: Option<Spanned<String>>,
    pub(super) indexer_model: Option<Spanned<String>>,
    pub(super) indexer_tokens_max: Option<Spanned<Count>>,
    pub(super) detect_duplicates: Option<bool>,
    pub(super) duplicates: WrittenDuplicates,
    pub(super) answers: WrittenAnswers,
    pub(super) read: WrittenRead,
    /// Another name of `read.small_lines`, as design documents have it.
    pub(super) file_read_small_threshold: Option<Spanned<Count>>,
    /// The same of `read.for_files`, by glob.
    pub(super) file_read_thresholds: BTreeMap<GlobText, WrittenThresholds>,
    pub(super) run: WrittenRun,
    pub(super) web: WrittenWeb,
    pub(super) agent: WrittenAgent,
    pub(super) chat: WrittenChat,
    pub(super) permissions: Vec<WrittenRule>,
    pub(super) gateway: WrittenGateway,
}

/// Who chooses what is shown of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum WrittenCurator {
    Extractive,
    Model,
    /// The model, where one is named and the file is long.
    #[default]
    Auto,
}

/// How calls like earlier ones are known, of all tools and of some.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenDuplicates {
    pub(super) calls_max: Option<usize>,
    pub(super) age_ms_max: Option<u32>,
    pub(super) threshold: Option<Share>,
    pub(super) tools: BTreeMap<ToolName, WrittenTool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenTool {
    pub(super) detect: Option<bool>,
    pub(super) calls_max: Option<usize>,
    pub(super) age_ms_max: Option<u32>,
    pub(super) threshold: Option<Share>,
}

/// How large an answer may be.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenAnswers {
    pub(super) tokens: Option<AnswerTokens>,
    pub(super) bytes: Option<AnswerBytes>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenRead {
    /// Files of at most so many lines are read in full.
    pub(super) small_lines: Option<Count>,
    /// The same for some files; the first that matches counts.
    pub(super) for_files: Vec<WrittenFiles>,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "FilesAsWritten")]
pub(super) struct WrittenFiles(GlobText, LineLimits);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilesAsWritten {
    glob: GlobText,
    small_lines: Count,
    #[serde(default)]
    large_lines: Option<Count>,
}

impl TryFrom<FilesAsWritten> for WrittenFiles {
    type Error = WrongValue;

    fn try_from(written: FilesAsWritten) -> Result<Self, WrongValue> {
        let FilesAsWritten { glob, small_lines, large_lines } = written;
        Ok(Self(glob, limits(small_lines, large_lines)?))
    }
}

/// By their lines, what is shown of files of a kind.
#[derive(Debug, Deserialize)]
#[serde(try_from = "ThresholdsAsWritten")]
pub(super) struct WrittenThresholds(LineLimits);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThresholdsAsWritten {
    small: Count,
    #[serde(default)]
    large: Option<Count>,
}

impl TryFrom<ThresholdsAsWritten> for WrittenThresholds {
    type Error = WrongValue;

    fn try_from(written: ThresholdsAsWritten) -> Result<Self, WrongValue> {
        Ok(Self(limits(written.small, written.large)?))
    }
}

fn limits(small: Count, large: Option<Count>) -> Result<LineLimits, WrongValue> {
    let limits = LineLimits { small: small.0, large: large.map(|count| count.0) };
    match limits.large {
        Some(large) if large <= limits.small => Err(WrongValue::Large(large, limits.small)),
        Some(_) | None => Ok(limits),
    }
}

/// What is said of files by glob, the first first.
pub(super) fn limits_by_glob(
    for_files: Vec<WrittenFiles>,
    thresholds: BTreeMap<GlobText, WrittenThresholds>,
) -> impl Iterator<Item = (String, LineLimits)> {
    let for_files = for_files.into_iter().map(|WrittenFiles(glob, limits)| (glob.0, limits));
    let thresholds = thresholds.into_iter();
    for_files.chain(thresholds.map(|(glob, WrittenThresholds(limits))| (glob.0, limits)))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenRun {
    pub(super) time_out_ms: Option<Spanned<Milliseconds>>,
    pub(super) time_out_max_ms: Option<Milliseconds>,
    pub(super) terminals_max: Option<Count>,
}

/// How foveal's own agent works.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenAgent {
    base_files: Vec<String>,
    profile: Option<ProfileName>,
    sub_agents: Option<bool>,
    max_file_reads: Option<Count>,
    keep_all_edits: Option<bool>,
    bash_truncate: Option<Count>,
    budget: Option<PromptSize>,
    budget_low: Option<Spanned<PromptSize>>,
}

impl WrittenAgent {
    /// What is wrong with its budget, and in which line.
    pub(super) fn wrong_budget(&self, text: &str) -> Option<(usize, BadBudget)> {
        let low = self.budget_low.as_ref()?;
        let error = self.budget().check().err()?;
        Some((line_at(text.as_bytes(), low.span().start), error))
    }

    fn budget(&self) -> Budget {
        Budget { high: self.budget, low: self.budget_low.as_ref().map(|low| *low.get_ref()) }
    }
}

/// How `foveal chat` looks.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenChat {
    pub(super) colours: ColoursWish,
}

/// The name of a profile.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct ProfileName(String);

/// A name that no profile has.
#[derive(Debug, thiserror::Error)]
#[error("there is no profile `{0}`; there are {all}", all = PROFILES.join(", "))]
struct NoProfile(String);

impl TryFrom<String> for ProfileName {
    type Error = NoProfile;

    fn try_from(name: String) -> Result<Self, NoProfile> {
        match PROFILES.contains(&&*name) {
            true => Ok(Self(name)),
            false => Err(NoProfile(name)),
        }
    }
}

impl From<WrittenAgent> for AgentSettings {
    fn from(written: WrittenAgent) -> Self {
        let usual = Self::default();
        let budget = written.budget();
        let count = |count: Option<Count>, usual| count.map_or(usual, |count| count.0 as usize);
        let history = HistoryLimits {
            max_file_reads: count(written.max_file_reads, usual.history.max_file_reads),
            keep_all_edits: written.keep_all_edits.unwrap_or(usual.history.keep_all_edits),
            bash_truncate: count(written.bash_truncate, usual.history.bash_truncate),
            budget,
        };
        let profile = written.profile.map_or(usual.profile, |profile| profile.0);
        let sub_agents = written.sub_agents.unwrap_or(usual.sub_agents);
        Self { base_files: written.base_files, profile, sub_agents, history }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenWeb {
    pub(super) private_hosts: Vec<Host>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenRule {
    tool: ToolGlob,
    subject: GlobText,
    verdict: Verdict,
}

impl From<WrittenRule> for Rule {
    fn from(WrittenRule { tool, subject, verdict }: WrittenRule) -> Self {
        Self { tool: tool.0, subject: subject.0, verdict }
    }
}

/// Why a value is refused: what to write in its place.
#[derive(Debug, thiserror::Error)]
pub(super) enum WrongValue {
    #[error("{0} lines are large only where fewer are small: give more than {1}")]
    Large(u32, u32),
    #[error("0 leaves nothing: give at least 1, or remove the line")]
    Zero,
    #[error("{0} tokens: an answer may have {ANSWER_TOKENS_MIN} to {ANSWER_TOKENS_MAX}")]
    AnswerTokens(u32),
    #[error("{0} bytes: an answer has at least {ANSWER_BYTES_MIN}, room for a page and its notes")]
    AnswerBytes(u32),
    #[error("{0} is no share: give one from 0 to 1")]
    Share(f64),
    #[error(transparent)]
    Glob(#[from] WrongGlob),
    #[error("there is no tool `{0}`; there are: {known}", known = tool_names())]
    Tool(String),
    #[error("no tool is called `{0}`; there are: {known}", known = tool_names())]
    ToolGlob(String),
    #[error(
        "`{0}` is no host: give a name or an address and, if you like, a port, as \
         `localhost:3000`, `*.corp.example` or `10.0.0.7`"
    )]
    Host(String),
}

fn tool_names() -> String {
    TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

/// A number of which there is at least one.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct Count(pub(super) u32);

impl TryFrom<u32> for Count {
    type Error = WrongValue;

    fn try_from(number: u32) -> Result<Self, WrongValue> {
        if number == 0 { Err(WrongValue::Zero) } else { Ok(Self(number)) }
    }
}

/// Tokens that an answer may have.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct AnswerTokens(pub(super) u32);

impl TryFrom<u32> for AnswerTokens {
    type Error = WrongValue;

    fn try_from(number: u32) -> Result<Self, WrongValue> {
        match (ANSWER_TOKENS_MIN..=ANSWER_TOKENS_MAX).contains(&number) {
            true => Ok(Self(number)),
            false => Err(WrongValue::AnswerTokens(number)),
        }
    }
}

/// Bytes that an answer may have.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct AnswerBytes(pub(super) u32);

impl TryFrom<u32> for AnswerBytes {
    type Error = WrongValue;

    fn try_from(number: u32) -> Result<Self, WrongValue> {
        if number < ANSWER_BYTES_MIN {
            Err(WrongValue::AnswerBytes(number))
        } else {
            Ok(Self(number))
        }
    }
}

/// A time that is more than none.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u64")]
pub(super) struct Milliseconds(pub(super) u64);

impl TryFrom<u64> for Milliseconds {
    type Error = WrongValue;

    fn try_from(number: u64) -> Result<Self, WrongValue> {
        if number == 0 { Err(WrongValue::Zero) } else { Ok(Self(number)) }
    }
}

/// A share, from 0 to 1.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Share(pub(super) f64);

impl TryFrom<f64> for Share {
    type Error = WrongValue;

    fn try_from(share: f64) -> Result<Self, WrongValue> {
        if (0.0..=1.0).contains(&share) { Ok(Self(share)) } else { Err(WrongValue::Share(share)) }
    }
}

/// A glob that matches the name of a tool.
#[derive(Debug, Deserialize)]
#[serde(try_from = "GlobText")]
pub(super) struct ToolGlob(String);

impl TryFrom<GlobText> for ToolGlob {
    type Error = WrongValue;

    fn try_from(GlobText(text): GlobText) -> Result<Self, WrongValue> {
        let matcher = match Glob::new(&text) {
            Ok(glob) => glob.compile_matcher(),
            Err(why) => return Err(WrongGlob::Glob { text, why }.into()),
        };
        if TOOLS.iter().any(|tool| matcher.is_match(tool.name)) {
            Ok(Self(text))
        } else {
            Err(WrongValue::ToolGlob(text))
        }
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ToolName(pub(super) String);

impl TryFrom<String> for ToolName {
    type Error = WrongValue;

    fn try_from(name: String) -> Result<Self, WrongValue> {
        if table::named(&name).is_some() { Ok(Self(name)) } else { Err(WrongValue::Tool(name)) }
    }
}

/// A host, with a port or without: a name, an end of names (`*.corp.example`), an address.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Host(pub(super) String);

impl TryFrom<String> for Host {
    type Error = WrongValue;

    fn try_from(text: String) -> Result<Self, WrongValue> {
        if is_host(text.trim()) { Ok(Self(text)) } else { Err(WrongValue::Host(text)) }
    }
}

/// Whether a text is a [`Host`].
pub(super) fn is_host(text: &str) -> bool {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    if text.parse::<SocketAddr>().is_ok() || bare.parse::<IpAddr>().is_ok() {
        return true;
    }
    let (name, is_port) = match text.rsplit_once(':') {
        Some((name, port)) => (name, port.parse::<u16>().is_ok_and(|port| port > 0)),
        None => (text, true),
    };
    let name = name.strip_prefix("*.").unwrap_or(name);
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_label = |label: &str| {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
        !label.is_empty() && label.chars().all(is_sign)
    };
    is_port && name.split('.').all(is_label)
}
