//! The table of all settings by name: the type of each, its default and its meaning.
//!
//! A test compares this table with the types that parse the file.

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingType {
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A number from 0 to 1.
    Fraction,
    /// A text.
    Text,
    /// A number or a text.
    IntegerOrText,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of texts.
    TextList,
    /// A list of tables, which the user edits in the file itself.
    Tables,
    /// Tables by name, which the user edits in the file itself.
    NamedTables,
}

/// The definition of a setting.
#[derive(Debug)]
pub(crate) struct SettingKey {
    /// The names of its tables and its own, joined by dots. A part in capitals matches any name.
    pub(crate) name: &'static str,
    pub(crate) value_type: SettingType,
    /// The default as it would be written; `None` if there is none.
    pub(crate) default_value: Option<&'static str>,
    /// The meaning in one line.
    pub(crate) description: &'static str,
}

impl SettingKey {
    /// Returns whether a full name belongs to this setting.
    fn matches_name(&self, name: &str) -> bool {
        let (mut own, mut given) = (self.name.split('.'), name.split('.'));
        loop {
            match (own.next(), given.next()) {
                (None, None) => return true,
                (Some(own), Some(given)) if own == given && !is_placeholder(own) => {}
                (Some(own), Some(given)) if is_placeholder(own) && !given.is_empty() => {}
                _ => return false,
            }
        }
    }

    /// Describes the accepted values.
    pub(crate) fn expected_value(&self) -> String {
        match self.value_type {
            SettingType::Boolean => "true or false".to_owned(),
            SettingType::Integer => "a whole number".to_owned(),
            SettingType::Fraction => "a number from 0 to 1".to_owned(),
            SettingType::Text => "a text".to_owned(),
            SettingType::IntegerOrText => "a number or a text".to_owned(),
            SettingType::Choice(texts) => texts.join(", "),
            SettingType::TextList => "a list of texts".to_owned(),
            SettingType::Tables | SettingType::NamedTables => "tables".to_owned(),
        }
    }
}

/// Splits a full name into the names of the tables and the setting's own.
pub(crate) fn split_name(name: &str) -> (impl Iterator<Item = &str>, &str) {
    let (tables, last) = name.rsplit_once('.').unwrap_or(("", name));
    (tables.split('.').filter(|part| !part.is_empty()), last)
}

/// Returns whether a part of a name is a placeholder for any name.
pub(crate) fn is_placeholder(part: &str) -> bool {
    part.chars().all(|c| c.is_ascii_uppercase())
}

const fn key(
    name: &'static str,
    form: SettingType,
    usual: Option<&'static str>,
    about: &'static str,
) -> SettingKey {
    SettingKey { name, value_type: form, default_value: usual, description: about }
}

const AGENT_PROFILES: SettingType = SettingType::Choice(&super::agent::PROFILES);

const PROFILES: SettingType =
    SettingType::Choice(&["off", "lossless", "balanced", "curated", "max"]);

/// All settings, in the order of the file.
#[rustfmt::skip]
pub(crate) static SETTING_KEYS: [SettingKey; 45] = [
    key("keep_contents", SettingType::Boolean, Some("true"), "whether what files, pages and outputs hold is written to disk"),
    key("curator", SettingType::Choice(&["extractive", "model", "auto"]), Some("\"auto\""), "who chooses what is shown of long files"),
    key("curator_model", SettingType::Text, None, "the model that does, named as for `foveal run`"),
    key("indexer_model", SettingType::Text, None, "a model that reads files into the index, named as for `foveal run`"),
    key("indexer_tokens_max", SettingType::Integer, None, "tokens that it may take while foveal runs; 200,000 if not set"),
    key("detect_duplicates", SettingType::Boolean, Some("true"), "whether calls are answered from earlier ones like them"),
    key("duplicates.calls_max", SettingType::Integer, Some("50"), "calls that are remembered for each session"),
    key("duplicates.age_ms_max", SettingType::Integer, Some("300000"), "how long they are remembered, in milliseconds"),
    key("duplicates.threshold", SettingType::Fraction, Some("0.5"), "share of equal arguments, for tools with the generic rule"),
    key("duplicates.tools.TOOL.detect", SettingType::Boolean, None, "the same for one tool"),
    key("duplicates.tools.TOOL.calls_max", SettingType::Integer, None, "the same for one tool"),
    key("duplicates.tools.TOOL.age_ms_max", SettingType::Integer, None, "the same for one tool"),
    key("duplicates.tools.TOOL.threshold", SettingType::Fraction, None, "the same for one tool"),
    key("answers.tokens", SettingType::Integer, Some("8000"), "the most of one answer, in tokens, about; 1,000 to 20,000"),
    key("answers.bytes", SettingType::Integer, None, "the same in bytes, for a client that cuts answers"),
    key("read.small_lines", SettingType::Integer, Some("100"), "files of up to so many lines are shown in full"),
    key("file_read_small_threshold", SettingType::Integer, None, "another name of `read.small_lines`"),
    key("file_read_thresholds", SettingType::NamedTables, None, "another way to write `read.for_files`: `\"*.md\" = { small = 400, large = 1_000 }`"),
    key("read.for_files", SettingType::Tables, None, "the same for some files, by `glob` and `small_lines`; of more than `large_lines` at most a fifth is shown; the first match counts"),
    key("run.time_out_ms", SettingType::Integer, Some("120000"), "how long a command may run, in milliseconds"),
    key("run.time_out_max_ms", SettingType::Integer, Some("3600000"), "the longest time that a model may ask for"),
    key("run.terminals_max", SettingType::Integer, Some("8"), "terminals that are open at once"),
    key("web.private_hosts", SettingType::TextList, None, "hosts that may be fetched although their addresses are private"),
    key("agent.base_files", SettingType::TextList, None, "files of a project that `foveal run` tells the model from the start, where there are any"),
    key("agent.profile", AGENT_PROFILES, Some("\"balanced\""), "how much of old results foveal's own agent leaves out of prompts"),
    key("agent.sub_agents", SettingType::Boolean, Some("true"), "whether foveal's own agent may start sub-agents for bounded pieces of work"),
    key("agent.budget", SettingType::IntegerOrText, None, "tokens of a prompt, or a share of the model's window as `70%`, from which on old contents leave"),
    key("agent.budget_low", SettingType::IntegerOrText, None, "the same to which they leave; if not set, as far below as the profile has it"),
    key("agent.max_file_reads", SettingType::Integer, Some("5"), "with a profile `first-last-sampled`: reads of one file that stay whole, at most"),
    key("agent.keep_all_edits", SettingType::Boolean, Some("true"), "the same: whether results of old edits stay"),
    key("agent.bash_truncate", SettingType::Integer, Some("10000"), "the same: characters of an output beyond which only its ends stay"),
    key("chat.colours", SettingType::Choice(&super::chat::WISHES), Some("\"auto\""), "which colours `foveal chat` uses: as many as the terminal has, those of the table of 256, the 16 of its own scheme, or none"),
    key("permissions", SettingType::Tables, None, "rules by `tool`, `subject` and `verdict`; the last match counts"),
    key("gateway.listen", SettingType::IntegerOrText, Some("4117"), "the port of this machine, or the address, that `foveal serve` listens at"),
    key("gateway.profile", PROFILES, Some("\"balanced\""), "what is done to requests"),
    key("gateway.cache", SettingType::Choice(&["auto", "off"]), Some("\"auto\""), "whether prompts are marked for Claude's cache where their agent marks nothing"),
    key("gateway.websockets", SettingType::Choice(&["refuse", "pass"]), Some("\"refuse\""), "what becomes of WebSockets to a model"),
    key("gateway.decision_time_ms", SettingType::Integer, Some("300"), "how long a decision may take; what comes later goes as it came"),
    key("gateway.hosts", SettingType::TextList, None, "names of this machine, beside its own, by which it may be asked"),
    key("gateway.keep_warm", SettingType::Boolean, Some("false"), "whether prompts are read again before Claude's cache forgets them"),
    key("gateway.otel", SettingType::Text, None, "where traces go: the address of a collector"),
    key("gateway.rules", SettingType::Tables, None, "what is done to which requests, by `model` and `agent`; the first match counts"),
    key("gateway.prices", SettingType::Tables, None, "what models cost, by `model` and `upstream`; the first match counts"),
    key("gateway.upstream", SettingType::Text, None, "the server that takes all requests that name no other"),
    key("gateway.upstreams.NAME", SettingType::Text, None, "the address of a server that a path or a header names"),
];

/// Finds the setting of this name.
pub(crate) fn find_setting(name: &str) -> Option<&'static SettingKey> {
    SETTING_KEYS.iter().find(|key| key.matches_name(name))
}

/// Returns the known name that is most similar to an unknown one, if it is similar enough.
pub(crate) fn nearest_name<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let like = known.map(|known| (strsim::jaro_winkler(name, known), known));
    let (likeness, nearest) = like.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > SIMILARITY_MIN).then_some(nearest)
}

/// The smallest similarity of a suggestion: below it a suggestion misleads.
const SIMILARITY_MIN: f64 = 0.8;

#[cfg(test)]
mod tests;
