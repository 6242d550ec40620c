//! The types that a settings file is parsed into. A value without any effect is rejected during
//! parsing, so that the error names its line.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use foveal_tools::permission::{PermissionRule, Verdict};
use foveal_tools::settings::{ANSWER_TOKENS_MAX, ReadLineLimits};
use foveal_tools::tool_table::{self, TOOLS};
use globset::Glob;
use serde::Deserialize;
use toml::Spanned;

use super::agent::{AgentSettings, HistoryLimits, PROFILES};
use super::chat::ColourPalette;
use super::gateway_section::GatewaySection;
use super::glob::{GlobError, GlobText};
use super::parse_error::line_number;
use super::prompt_budget::{PromptBudget, PromptBudgetError, PromptSizeSetting};

/// The smallest limits of an answer, which leave room for a page and its notes.
const ANSWER_TOKENS_MIN: u32 = 1_000;
const ANSWER_BYTES_MIN: u32 = 3_000;

/// A settings file. Missing names keep their defaults.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ConfigFile {
    pub(super) keep_contents: Option<bool>,
    pub(super) curator: CuratorSetting,
    pub(super) curator_model: Option<Spanned<String>>,
    pub(super) indexer_model: Option<Spanned<String>>,
    pub(super) indexer_tokens_max: Option<Spanned<PositiveCount>>,
    pub(super) detect_duplicates: Option<bool>,
    pub(super) duplicates: DuplicatesSection,
    pub(super) answers: AnswersSection,
    pub(super) read: ReadSection,
    /// Another name of `read.small_lines`, from the design documents.
    pub(super) file_read_small_threshold: Option<Spanned<PositiveCount>>,
    /// Another form of `read.for_files`, by glob.
    pub(super) file_read_thresholds: BTreeMap<GlobText, ReadThresholds>,
    pub(super) run: RunSection,
    pub(super) web: WebSection,
    pub(super) agent: AgentSection,
    pub(super) chat: ChatSection,
    pub(super) permissions: Vec<PermissionEntry>,
    pub(super) gateway: GatewaySection,
}

/// The curator of files: built in, or a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CuratorSetting {
    Extractive,
    Model,
    /// The model for long files, if one is named.
    #[default]
    Auto,
}

/// The settings of duplicate calls, for all tools and for single ones.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct DuplicatesSection {
    pub(super) calls_max: Option<usize>,
    pub(super) age_ms_max: Option<u32>,
    pub(super) threshold: Option<UnitFraction>,
    pub(super) tools: BTreeMap<ToolName, ToolDuplicatesSection>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ToolDuplicatesSection {
    pub(super) detect: Option<bool>,
    pub(super) calls_max: Option<usize>,
    pub(super) age_ms_max: Option<u32>,
    pub(super) threshold: Option<UnitFraction>,
}

/// The size limits of an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AnswersSection {
    pub(super) tokens: Option<AnswerTokens>,
    pub(super) bytes: Option<AnswerBytes>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ReadSection {
    /// The length up to which files are read in full, in lines.
    pub(super) small_lines: Option<PositiveCount>,
    /// The limits for certain files. The first match counts.
    pub(super) for_files: Vec<FileReadLimits>,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "FilesAsWritten")]
pub(super) struct FileReadLimits(GlobText, ReadLineLimits);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilesAsWritten {
    glob: GlobText,
    small_lines: PositiveCount,
    #[serde(default)]
    large_lines: Option<PositiveCount>,
}

impl TryFrom<FilesAsWritten> for FileReadLimits {
    type Error = SettingValueError;

    fn try_from(written: FilesAsWritten) -> Result<Self, SettingValueError> {
        let FilesAsWritten { glob, small_lines, large_lines } = written;
        Ok(Self(glob, line_limits(small_lines, large_lines)?))
    }
}

/// The limits of what is shown of files that match a glob.
#[derive(Debug, Deserialize)]
#[serde(try_from = "ThresholdsAsWritten")]
pub(super) struct ReadThresholds(ReadLineLimits);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThresholdsAsWritten {
    small: PositiveCount,
    #[serde(default)]
    large: Option<PositiveCount>,
}

impl TryFrom<ThresholdsAsWritten> for ReadThresholds {
    type Error = SettingValueError;

    fn try_from(written: ThresholdsAsWritten) -> Result<Self, SettingValueError> {
        Ok(Self(line_limits(written.small, written.large)?))
    }
}

fn line_limits(
    small: PositiveCount,
    large: Option<PositiveCount>,
) -> Result<ReadLineLimits, SettingValueError> {
    let limits = ReadLineLimits { small: small.0, large: large.map(|count| count.0) };
    match limits.large {
        Some(large) if large <= limits.small => Err(SettingValueError::Large(large, limits.small)),
        Some(_) | None => Ok(limits),
    }
}

/// Returns the limits by glob in the order of precedence.
pub(super) fn limits_by_glob(
    for_files: Vec<FileReadLimits>,
    thresholds: BTreeMap<GlobText, ReadThresholds>,
) -> impl Iterator<Item = (String, ReadLineLimits)> {
    let for_files = for_files.into_iter().map(|FileReadLimits(glob, limits)| (glob.0, limits));
    let thresholds = thresholds.into_iter();
    for_files.chain(thresholds.map(|(glob, ReadThresholds(limits))| (glob.0, limits)))
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RunSection {
    pub(super) time_out_ms: Option<Spanned<PositiveMilliseconds>>,
    pub(super) time_out_max_ms: Option<PositiveMilliseconds>,
    pub(super) terminals_max: Option<PositiveCount>,
}

/// The settings of foveal's own agent.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AgentSection {
    base_files: Vec<String>,
    profile: Option<ProfileName>,
    sub_agents: Option<bool>,
    max_file_reads: Option<PositiveCount>,
    keep_all_edits: Option<bool>,
    bash_truncate: Option<PositiveCount>,
    budget: Option<PromptSizeSetting>,
    budget_low: Option<Spanned<PromptSizeSetting>>,
}

impl AgentSection {
    /// Returns the error in its budget, with the line.
    pub(super) fn budget_error(&self, text: &str) -> Option<(usize, PromptBudgetError)> {
        let low = self.budget_low.as_ref()?;
        let error = self.budget().check().err()?;
        Some((line_number(text.as_bytes(), low.span().start), error))
    }

    fn budget(&self) -> PromptBudget {
        PromptBudget { high: self.budget, low: self.budget_low.as_ref().map(|low| *low.get_ref()) }
    }
}

/// The settings of `foveal chat`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ChatSection {
    pub(super) colours: ColourPalette,
}

/// The name of a profile.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct ProfileName(String);

/// The error about an unknown profile.
#[derive(Debug, thiserror::Error)]
#[error("there is no profile `{0}`; there are {all}", all = PROFILES.join(", "))]
struct UnknownProfile(String);

impl TryFrom<String> for ProfileName {
    type Error = UnknownProfile;

    fn try_from(name: String) -> Result<Self, UnknownProfile> {
        match PROFILES.contains(&&*name) {
            true => Ok(Self(name)),
            false => Err(UnknownProfile(name)),
        }
    }
}

impl From<AgentSection> for AgentSettings {
    fn from(written: AgentSection) -> Self {
        let usual = Self::default();
        let budget = written.budget();
        let count =
            |count: Option<PositiveCount>, usual| count.map_or(usual, |count| count.0 as usize);
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
pub(super) struct WebSection {
    pub(super) private_hosts: Vec<HostPattern>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PermissionEntry {
    tool: ToolGlob,
    subject: GlobText,
    verdict: Verdict,
}

impl From<PermissionEntry> for PermissionRule {
    fn from(PermissionEntry { tool, subject, verdict }: PermissionEntry) -> Self {
        Self { tool: tool.0, subject: subject.0, verdict }
    }
}

/// The reason why a value is rejected, with advice.
#[derive(Debug, thiserror::Error)]
pub(super) enum SettingValueError {
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
    Glob(#[from] GlobError),
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

/// A number of at least 1.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct PositiveCount(pub(super) u32);

impl TryFrom<u32> for PositiveCount {
    type Error = SettingValueError;

    fn try_from(number: u32) -> Result<Self, SettingValueError> {
        if number == 0 { Err(SettingValueError::Zero) } else { Ok(Self(number)) }
    }
}

/// The token limit of an answer.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct AnswerTokens(pub(super) u32);

impl TryFrom<u32> for AnswerTokens {
    type Error = SettingValueError;

    fn try_from(number: u32) -> Result<Self, SettingValueError> {
        match (ANSWER_TOKENS_MIN..=ANSWER_TOKENS_MAX).contains(&number) {
            true => Ok(Self(number)),
            false => Err(SettingValueError::AnswerTokens(number)),
        }
    }
}

/// The byte limit of an answer.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct AnswerBytes(pub(super) u32);

impl TryFrom<u32> for AnswerBytes {
    type Error = SettingValueError;

    fn try_from(number: u32) -> Result<Self, SettingValueError> {
        if number < ANSWER_BYTES_MIN {
            Err(SettingValueError::AnswerBytes(number))
        } else {
            Ok(Self(number))
        }
    }
}

/// A duration of at least 1 ms.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "u64")]
pub(super) struct PositiveMilliseconds(pub(super) u64);

impl TryFrom<u64> for PositiveMilliseconds {
    type Error = SettingValueError;

    fn try_from(number: u64) -> Result<Self, SettingValueError> {
        if number == 0 { Err(SettingValueError::Zero) } else { Ok(Self(number)) }
    }
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct UnitFraction(pub(super) f64);

impl TryFrom<f64> for UnitFraction {
    type Error = SettingValueError;

    fn try_from(share: f64) -> Result<Self, SettingValueError> {
        if (0.0..=1.0).contains(&share) {
            Ok(Self(share))
        } else {
            Err(SettingValueError::Share(share))
        }
    }
}

/// A glob that matches the name of at least one tool.
#[derive(Debug, Deserialize)]
#[serde(try_from = "GlobText")]
pub(super) struct ToolGlob(String);

impl TryFrom<GlobText> for ToolGlob {
    type Error = SettingValueError;

    fn try_from(GlobText(text): GlobText) -> Result<Self, SettingValueError> {
        let matcher = match Glob::new(&text) {
            Ok(glob) => glob.compile_matcher(),
            Err(why) => return Err(GlobError::Glob { text, why }.into()),
        };
        if TOOLS.iter().any(|tool| matcher.is_match(tool.name)) {
            Ok(Self(text))
        } else {
            Err(SettingValueError::ToolGlob(text))
        }
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ToolName(pub(super) String);

impl TryFrom<String> for ToolName {
    type Error = SettingValueError;

    fn try_from(name: String) -> Result<Self, SettingValueError> {
        if tool_table::find_tool(&name).is_some() {
            Ok(Self(name))
        } else {
            Err(SettingValueError::Tool(name))
        }
    }
}

/// A host with an optional port: a name, a suffix of names (`*.corp.example`), or an address.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct HostPattern(pub(super) String);

impl TryFrom<String> for HostPattern {
    type Error = SettingValueError;

    fn try_from(text: String) -> Result<Self, SettingValueError> {
        if is_host_pattern(text.trim()) {
            Ok(Self(text))
        } else {
            Err(SettingValueError::Host(text))
        }
    }
}

/// Returns whether a text is a [`HostPattern`].
pub(super) fn is_host_pattern(text: &str) -> bool {
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
