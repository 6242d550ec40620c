//! Checked values of settings. A value without any effect is rejected during parsing, so that the
//! error names its line.

use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use foveal_providers::ModelSpec;
use foveal_tools::permission::{PermissionRule, Verdict};
use foveal_tools::settings::{ANSWER_TOKENS_MAX, ReadLineLimits};
use foveal_tools::tool_table::{self, TOOLS};
use globset::Glob;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::removed_settings::{CLIENT_MODEL, CLIENT_MODEL_ADVICE};

/// The smallest limits of an answer, which leave room for a page and its notes.
pub(crate) const ANSWER_TOKENS_MIN: u32 = 1_000;
pub(crate) const ANSWER_BYTES_MIN: u32 = 3_000;

/// The reason why a value is rejected, with advice.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingValueError {
    #[error("{large} lines are too few for the limit of large files: give more than {small}")]
    Large { large: u32, small: u32 },
    #[error("0 is not allowed: give at least 1, or remove the line")]
    Zero,
    #[error(
        "{0} tokens are not allowed for an answer: use {ANSWER_TOKENS_MIN} to {ANSWER_TOKENS_MAX}"
    )]
    AnswerTokens(u32),
    #[error(
        "{0} bytes are too few: an answer needs at least {ANSWER_BYTES_MIN}, for a page and its \
         notes"
    )]
    AnswerBytes(u32),
    #[error("an empty glob matches nothing: write `*` for everything")]
    EmptyGlob,
    #[error("`{text}` is not a valid glob: {reason}")]
    Glob { text: String, reason: globset::Error },
    #[error("unknown tool `{0}`: expected one of {known}", known = tool_names())]
    Tool(String),
    #[error("no tool matches `{0}`: the tools are {known}", known = tool_names())]
    ToolGlob(String),
    #[error(
        "`{0}` is not a valid host: give a name or an address, optionally with a port, such as \
         `localhost:3000`, `*.corp.example` or `10.0.0.7`"
    )]
    Host(String),
    #[error("{CLIENT_MODEL_ADVICE}")]
    ClientModel,
}

fn tool_names() -> String {
    TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

/// Deserializes a value that `check` accepts, also where it is optional.
pub(crate) fn deserialize_checked<'de, D, T, R, E>(
    deserializer: D,
    check: impl FnOnce(&T) -> Result<(), E>,
) -> Result<R, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
    R: From<T>,
    E: Display,
{
    let value = T::deserialize(deserializer)?;
    check(&value).map_err(D::Error::custom)?;
    Ok(value.into())
}

/// Deserializes a number of at least 1.
pub(crate) fn deserialize_count<'de, D: Deserializer<'de>, R: From<u32>>(
    deserializer: D,
) -> Result<R, D::Error> {
    let check = |count: &u32| if *count == 0 { Err(SettingValueError::Zero) } else { Ok(()) };
    deserialize_checked(deserializer, check)
}

/// Deserializes a duration of at least 1 ms.
pub(crate) fn deserialize_milliseconds<'de, D: Deserializer<'de>, R: From<u64>>(
    deserializer: D,
) -> Result<R, D::Error> {
    let check = |time: &u64| if *time == 0 { Err(SettingValueError::Zero) } else { Ok(()) };
    deserialize_checked(deserializer, check)
}

/// Deserializes the token limit of an answer.
pub(crate) fn deserialize_answer_tokens<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    deserialize_checked(deserializer, |tokens| {
        match (ANSWER_TOKENS_MIN..=ANSWER_TOKENS_MAX).contains(tokens) {
            true => Ok(()),
            false => Err(SettingValueError::AnswerTokens(*tokens)),
        }
    })
}

/// Deserializes the byte limit of an answer.
pub(crate) fn deserialize_answer_bytes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    deserialize_checked(deserializer, |bytes| match *bytes < ANSWER_BYTES_MIN {
        true => Err(SettingValueError::AnswerBytes(*bytes)),
        false => Ok(()),
    })
}

/// Deserializes the name of a model.
pub(crate) fn deserialize_model<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ModelSpec>, D::Error> {
    let name = String::deserialize(deserializer)?;
    ModelSpec::from_str(&name).map(Some).map_err(D::Error::custom)
}

/// Deserializes the name of the curator model.
pub(crate) fn deserialize_curator_model<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ModelSpec>, D::Error> {
    let name = String::deserialize(deserializer)?;
    if name == CLIENT_MODEL {
        return Err(D::Error::custom(SettingValueError::ClientModel));
    }
    ModelSpec::from_str(&name).map(Some).map_err(D::Error::custom)
}

/// Deserializes a glob.
pub(crate) fn deserialize_glob<'de, D: Deserializer<'de>, R: From<String>>(
    deserializer: D,
) -> Result<R, D::Error> {
    deserialize_checked(deserializer, |text: &String| parse_glob(text).map(drop))
}

/// Deserializes a glob that matches the name of at least one tool.
fn deserialize_tool_glob<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserialize_checked(deserializer, |text: &String| {
        let matcher = parse_glob(text)?.compile_matcher();
        match TOOLS.iter().any(|tool| matcher.is_match(tool.name)) {
            true => Ok(()),
            false => Err(SettingValueError::ToolGlob(text.clone())),
        }
    })
}

/// Parses a glob. An invalid one would match nothing, and a rule that denies would deny nothing.
fn parse_glob(text: &str) -> Result<Glob, SettingValueError> {
    if text.trim().is_empty() {
        return Err(SettingValueError::EmptyGlob);
    }
    Glob::new(text).map_err(|reason| SettingValueError::Glob { text: text.to_owned(), reason })
}

/// A valid glob as the name of a table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(crate) struct GlobText(pub(crate) String);

impl TryFrom<String> for GlobText {
    type Error = SettingValueError;

    fn try_from(text: String) -> Result<Self, SettingValueError> {
        parse_glob(&text)?;
        Ok(Self(text))
    }
}

/// The name of a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(crate) struct ToolName(pub(crate) String);

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
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(crate) struct HostPattern(pub(crate) String);

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
pub(crate) fn is_host_pattern(text: &str) -> bool {
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

/// Limits of the shown part of files that match a glob.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenFileLimits")]
#[schemars(with = "WrittenFileLimits")]
pub(crate) struct FileReadLimits {
    pub(crate) glob: GlobText,
    pub(crate) limits: ReadLineLimits,
}

/// Limits for some files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenFileLimits {
    /// The files.
    glob: GlobText,
    /// The length up to which they are shown in full, in lines.
    #[serde(deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1))]
    small_lines: u32,
    /// The length above which at most a fifth is shown, in lines.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1))]
    large_lines: Option<u32>,
}

impl TryFrom<WrittenFileLimits> for FileReadLimits {
    type Error = SettingValueError;

    fn try_from(written: WrittenFileLimits) -> Result<Self, SettingValueError> {
        let limits = check_line_limits(written.small_lines, written.large_lines)?;
        Ok(Self { glob: written.glob, limits })
    }
}

/// Limits of the shown part of files, in the form of a design document.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "WrittenThresholds")]
#[schemars(with = "WrittenThresholds")]
pub(crate) struct ReadThresholds(pub(crate) ReadLineLimits);

/// Limits for the files that match the glob.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WrittenThresholds {
    /// The length up to which they are shown in full, in lines.
    #[serde(deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1))]
    small: u32,
    /// The length above which at most a fifth is shown, in lines.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(range(min = 1))]
    large: Option<u32>,
}

impl TryFrom<WrittenThresholds> for ReadThresholds {
    type Error = SettingValueError;

    fn try_from(written: WrittenThresholds) -> Result<Self, SettingValueError> {
        Ok(Self(check_line_limits(written.small, written.large)?))
    }
}

fn check_line_limits(small: u32, large: Option<u32>) -> Result<ReadLineLimits, SettingValueError> {
    match large {
        Some(large) if large <= small => Err(SettingValueError::Large { large, small }),
        Some(_) | None => Ok(ReadLineLimits { small, large }),
    }
}

/// A permission rule.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PermissionEntry {
    /// The tools, as a glob over their names.
    #[serde(deserialize_with = "deserialize_tool_glob")]
    pub(crate) tool: String,
    /// The paths, commands, addresses or queries, as a glob.
    #[serde(deserialize_with = "deserialize_glob")]
    pub(crate) subject: String,
    /// The effect of the rule.
    pub(crate) verdict: Verdict,
}

impl From<PermissionEntry> for PermissionRule {
    fn from(PermissionEntry { tool, subject, verdict }: PermissionEntry) -> Self {
        Self { tool, subject, verdict }
    }
}

/// A value that may be written as a number or as a text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum NumberOrText {
    Number(u64),
    Text(String),
}

impl NumberOrText {
    /// Returns the value as a text.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

impl JsonSchema for NumberOrText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NumberOrText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"] })
    }
}
