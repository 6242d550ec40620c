//! All settings by name: how each is written, what holds without it, and what it means.
//!
//! A test holds this table to the types that read the file.

/// How a setting is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `true` or `false`.
    YesNo,
    /// A whole number.
    Whole,
    /// A number from 0 to 1.
    Share,
    /// A text.
    Text,
    /// A number or a text.
    WholeOrText,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// Tables, which are written into the file itself.
    Tables,
    /// A table of tables by name, the same.
    ByName,
}

/// A setting.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its tables and its name, with dots between them. A part in capitals stands for any name.
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    /// What holds where nothing is set, as it would be written.
    pub(crate) usual: Option<&'static str>,
    /// What it means, in one line.
    pub(crate) about: &'static str,
}

impl Key {
    /// Whether a name, with its tables, is this setting's.
    fn is_called(&self, name: &str) -> bool {
        let (mut own, mut given) = (self.name.split('.'), name.split('.'));
        loop {
            match (own.next(), given.next()) {
                (None, None) => return true,
                (Some(own), Some(given)) if own == given && !is_any(own) => {}
                (Some(own), Some(given)) if is_any(own) && !given.is_empty() => {}
                _ => return false,
            }
        }
    }

    /// What is expected of its value.
    pub(crate) fn expected(&self) -> String {
        match self.form {
            Form::YesNo => "true or false".to_owned(),
            Form::Whole => "a whole number".to_owned(),
            Form::Share => "a number from 0 to 1".to_owned(),
            Form::Text => "a text".to_owned(),
            Form::WholeOrText => "a number or a text".to_owned(),
            Form::OneOf(texts) => texts.join(", "),
            Form::Texts => "a list of texts".to_owned(),
            Form::Tables | Form::ByName => "tables".to_owned(),
        }
    }
}

/// The names of the tables that a setting is in, and its own.
pub(crate) fn parts(name: &str) -> (impl Iterator<Item = &str>, &str) {
    let (tables, last) = name.rsplit_once('.').unwrap_or(("", name));
    (tables.split('.').filter(|part| !part.is_empty()), last)
}

/// Whether a part of a name stands for any.
pub(crate) fn is_any(part: &str) -> bool {
    part.chars().all(|c| c.is_ascii_uppercase())
}

const fn key(
    name: &'static str,
    form: Form,
    usual: Option<&'static str>,
    about: &'static str,
) -> Key {
    Key { name, form, usual, about }
}

const AGENT_PROFILES: Form = Form::OneOf(&super::agent::PROFILES);

const PROFILES: Form = Form::OneOf(&["off", "lossless", "balanced", "curated", "max"]);

/// All settings, in the order of the file.
#[rustfmt::skip]
pub(crate) static KEYS: [Key; 45] = [
    key("keep_contents", Form::YesNo, Some("true"), "whether what files, pages and outputs hold is written to disk"),
    key("curator", Form::OneOf(&["extractive", "model", "auto"]), Some("\"auto\""), "who chooses what is shown of long files"),
    key("curator_model", Form::Text, None, "the model that does, named as for `foveal run`"),
    key("indexer_model", Form::Text, None, "a model that reads files into the index, named as for `foveal run`"),
    key("indexer_tokens_max", Form::Whole, None, "tokens that it may take while foveal runs; 200,000 if not set"),
    key("detect_duplicates", Form::YesNo, Some("true"), "whether calls are answered from earlier ones like them"),
    key("duplicates.calls_max", Form::Whole, Some("50"), "calls that are remembered for each session"),
    key("duplicates.age_ms_max", Form::Whole, Some("300000"), "how long they are remembered, in milliseconds"),
    key("duplicates.threshold", Form::Share, Some("0.5"), "share of equal arguments, for tools with the generic rule"),
    key("duplicates.tools.TOOL.detect", Form::YesNo, None, "the same for one tool"),
    key("duplicates.tools.TOOL.calls_max", Form::Whole, None, "the same for one tool"),
    key("duplicates.tools.TOOL.age_ms_max", Form::Whole, None, "the same for one tool"),
    key("duplicates.tools.TOOL.threshold", Form::Share, None, "the same for one tool"),
    key("answers.tokens", Form::Whole, Some("8000"), "the most of one answer, in tokens, about; 1,000 to 20,000"),
    key("answers.bytes", Form::Whole, None, "the same in bytes, for a client that cuts answers"),
    key("read.small_lines", Form::Whole, Some("100"), "files of up to so many lines are shown in full"),
    key("file_read_small_threshold", Form::Whole, None, "another name of `read.small_lines`"),
    key("file_read_thresholds", Form::ByName, None, "another way to write `read.for_files`: `\"*.md\" = { small = 400, large = 1_000 }`"),
    key("read.for_files", Form::Tables, None, "the same for some files, by `glob` and `small_lines`; of more than `large_lines` at most a fifth is shown; the first match counts"),
    key("run.time_out_ms", Form::Whole, Some("120000"), "how long a command may run, in milliseconds"),
    key("run.time_out_max_ms", Form::Whole, Some("3600000"), "the longest time that a model may ask for"),
    key("run.terminals_max", Form::Whole, Some("8"), "terminals that are open at once"),
    key("web.private_hosts", Form::Texts, None, "hosts that may be fetched although their addresses are private"),
    key("agent.base_files", Form::Texts, None, "files of a project that `foveal run` tells the model from the start, where there are any"),
    key("agent.profile", AGENT_PROFILES, Some("\"balanced\""), "how much of old results foveal's own agent leaves out of prompts"),
    key("agent.sub_agents", Form::YesNo, Some("true"), "whether foveal's own agent may start sub-agents for bounded pieces of work"),
    key("agent.budget", Form::WholeOrText, None, "tokens of a prompt, or a share of the model's window as `70%`, from which on old contents leave"),
    key("agent.budget_low", Form::WholeOrText, None, "the same to which they leave; if not set, as far below as the profile has it"),
    key("agent.max_file_reads", Form::Whole, Some("5"), "with a profile `first-last-sampled`: reads of one file that stay whole, at most"),
    key("agent.keep_all_edits", Form::YesNo, Some("true"), "the same: whether results of old edits stay"),
    key("agent.bash_truncate", Form::Whole, Some("10000"), "the same: characters of an output beyond which only its ends stay"),
    key("chat.colours", Form::OneOf(&super::chat::WISHES), Some("\"auto\""), "which colours `foveal chat` uses: as many as the terminal has, those of the table of 256, the 16 of its own scheme, or none"),
    key("permissions", Form::Tables, None, "rules by `tool`, `subject` and `verdict`; the last match counts"),
    key("gateway.listen", Form::WholeOrText, Some("4117"), "the port of this machine, or the address, that `foveal serve` listens at"),
    key("gateway.profile", PROFILES, Some("\"balanced\""), "what is done to requests"),
    key("gateway.cache", Form::OneOf(&["auto", "off"]), Some("\"auto\""), "whether prompts are marked for Claude's cache where their agent marks nothing"),
    key("gateway.websockets", Form::OneOf(&["refuse", "pass"]), Some("\"refuse\""), "what becomes of WebSockets to a model"),
    key("gateway.decision_time_ms", Form::Whole, Some("300"), "how long a decision may take; what comes later goes as it came"),
    key("gateway.hosts", Form::Texts, None, "names of this machine, beside its own, by which it may be asked"),
    key("gateway.keep_warm", Form::YesNo, Some("false"), "whether prompts are read again before Claude's cache forgets them"),
    key("gateway.otel", Form::Text, None, "where traces go: the address of a collector"),
    key("gateway.rules", Form::Tables, None, "what is done to which requests, by `model` and `agent`; the first match counts"),
    key("gateway.prices", Form::Tables, None, "what models cost, by `model` and `upstream`; the first match counts"),
    key("gateway.upstream", Form::Text, None, "the server that takes all requests that name no other"),
    key("gateway.upstreams.NAME", Form::Text, None, "the address of a server that a path or a header names"),
];

/// The setting of this name.
pub(crate) fn named(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.is_called(name))
}

/// What may have been meant by a name that is none.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let like = known.map(|known| (strsim::jaro_winkler(name, known), known));
    let (likeness, nearest) = like.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > LIKENESS_MIN).then_some(nearest)
}

/// Less alike is a guess that misleads.
const LIKENESS_MIN: f64 = 0.8;

#[cfg(test)]
mod tests;
