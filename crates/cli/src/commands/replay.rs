//! `foveal replay`: what each profile would have cost and kept on recorded sessions.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use foveal_context::prices::PriceCard;
use foveal_context::profile::{DEFAULT, PROFILES, Profile};
use foveal_context::tokens::Tokenizer;
use foveal_wire::Format;

use crate::environment::Environment;
use crate::figures::{SessionFigures, Totals};
use crate::interrupt::{self, Interrupt};
use crate::measure::{self, FileOutcome};
use crate::numbers::plural;
use crate::ordered::Ordered;
use crate::sessions::find::{self, Found};
use crate::sessions::own;
use crate::summary::{self, Sort, Summary};
use crate::{EXIT_CODE_BAD_INPUT, progress};

/// The command line of `foveal replay`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Files and folders of recorded sessions; without any, the sessions that Claude Code,
    /// Codex and opencode keep on this machine.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The format of the files, where it is not to be detected.
    #[arg(long, value_name = "NAME")]
    format: Option<Format>,
    /// A profile to replay; may be given several times, `all` is all of them.
    #[arg(long = "profile", value_name = "NAME")]
    profiles: Vec<String>,
    /// The price card: a name, or a JSON file with one.
    #[arg(long, value_name = "NAME|FILE.json", default_value = "anthropic-5m")]
    prices: String,
    /// What counts tokens: o200k and cl100k are exact for OpenAI's models, claude estimates.
    #[arg(long, value_name = "NAME", default_value = "o200k")]
    tokenizer: TokenizerName,
    /// Sort the rows.
    #[arg(long, value_name = "BY")]
    sort: Option<Sort>,
    /// A row for every session too, under the default profile or the first one named.
    #[arg(long)]
    per_session: bool,
    /// Print one JSON document instead of tables.
    #[arg(long)]
    json: bool,
    /// List everything in the files that could not be read as it stands.
    #[arg(long)]
    problems: bool,
    /// Write every prompt of one profile to a file as JSON lines; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    prompt_log: Option<PathBuf>,
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

/// What to replay, and what to show of it.
#[derive(Debug)]
pub(crate) struct Config {
    paths: Vec<PathBuf>,
    format: Option<Format>,
    profiles: Vec<&'static Profile>,
    prices: PriceCard,
    tokenizer: Tokenizer,
    sort: Option<Sort>,
    per_session: bool,
    json: bool,
    problems_max: usize,
    prompt_log: Option<PathBuf>,
}

/// Problems shown where not all are asked for.
const PROBLEMS_SHOWN: usize = 5;

impl Arguments {
    /// Checks everything that can be checked before files are read.
    ///
    /// # Errors
    /// For unknown profiles and prices, and arguments that do not go together.
    pub(crate) fn resolve(self) -> anyhow::Result<Config> {
        let one = self.prompt_log.is_some();
        let profiles = chosen_profiles(&self.profiles, one)?;
        if one && profiles.len() != 1 {
            bail!("--prompt-log is about one profile: name it with --profile NAME");
        }
        Ok(Config {
            paths: self.paths,
            format: self.format,
            profiles,
            prices: chosen_prices(&self.prices)?,
            tokenizer: self.tokenizer.into(),
            sort: self.sort,
            per_session: self.per_session,
            json: self.json,
            problems_max: if self.problems { usize::MAX } else { PROBLEMS_SHOWN },
            prompt_log: self.prompt_log,
        })
    }
}

/// The profiles called `names`; without a name the default one or all.
fn chosen_profiles(names: &[String], one: bool) -> anyhow::Result<Vec<&'static Profile>> {
    let mut chosen: Vec<&'static Profile> = Vec::new();
    let default = [if one { DEFAULT.to_owned() } else { "all".to_owned() }];
    for name in if names.is_empty() { &default } else { names } {
        if name == "all" {
            chosen.extend(PROFILES);
        } else if let Some(profile) = Profile::named(name) {
            chosen.push(profile);
        } else {
            let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
            bail!("unknown profile `{name}`: one of {}, all is expected", known.join(", "));
        }
    }
    let mut known = std::collections::HashSet::new();
    chosen.retain(|profile| known.insert(profile.name));
    Ok(chosen)
}

fn chosen_prices(name: &str) -> anyhow::Result<PriceCard> {
    if let Some(card) = PriceCard::named(name) {
        return Ok(card);
    }
    if !Path::new(name).is_file() {
        let known: Vec<String> = PriceCard::all().into_iter().map(|card| card.name).collect();
        bail!(
            "unknown price card `{name}`: one of {} or a JSON file is expected",
            known.join(", ")
        );
    }
    let text = fs::read_to_string(name).with_context(|| format!("`{name}` cannot be read"))?;
    PriceCard::from_json(&text).with_context(|| format!("`{name}` is no price card"))
}

/// Replays and prints.
///
/// # Errors
/// If nothing can be read or the output cannot be written.
pub(crate) fn run(config: &Config, environment: &Environment) -> anyhow::Result<ExitCode> {
    let Some(found) = session_files(config, environment)? else {
        bail!("{}", own::NOTHING);
    };
    let interrupt = Interrupt::listen();
    let outcomes = {
        let bar = progress::bar(found.files.len() as u64);
        let log = open_log(config)?;
        let plan = measure::Plan {
            profiles: &config.profiles,
            prices: &config.prices,
            tokenizer: config.tokenizer,
            format: config.format,
            prompt_log: log.as_ref(),
            problems_max: config.problems_max,
            interrupt: &interrupt,
        };
        let outcomes = measure::measure(&plan, &found.files, &|| bar.inc(1))
            .context("the prompt log cannot be written")?;
        bar.finish_and_clear();
        outcomes
    };
    let result = Collected::of(outcomes, &found);
    result.report(config, interrupt.requested())
}

/// The files to read, or `None` where the user named none and has none.
fn session_files(config: &Config, environment: &Environment) -> anyhow::Result<Option<Found>> {
    if !config.paths.is_empty() {
        return Ok(Some(find::find(&config.paths)?));
    }
    let kept = own::look(own::places(environment));
    write!(io::stderr(), "{}", own::describe(&kept))?;
    let files: Vec<_> = kept.into_iter().flat_map(|kept| kept.files).collect();
    Ok((!files.is_empty()).then(|| Found { files, unlisted: Vec::new() }))
}

fn open_log(config: &Config) -> anyhow::Result<Option<Ordered<'static>>> {
    let Some(path) = &config.prompt_log else { return Ok(None) };
    if path.as_os_str() == "-" {
        return Ok(Some(Ordered::new(Box::new(BufWriter::new(io::stdout())))));
    }
    let file =
        File::create(path).with_context(|| format!("`{}` cannot be written", path.display()))?;
    Ok(Some(Ordered::new(Box::new(BufWriter::new(file)))))
}

/// What all files gave.
struct Collected {
    sessions: Vec<SessionFigures>,
    not_read: Vec<String>,
    /// Whether a file that the user named is among those not read.
    named_not_read: bool,
    problems: Vec<String>,
    problem_count: u64,
}

impl Collected {
    fn of(outcomes: Vec<Option<FileOutcome>>, found: &Found) -> Self {
        let mut all = Self {
            sessions: Vec::new(),
            not_read: found.unlisted.iter().map(ToString::to_string).collect(),
            named_not_read: false,
            problems: Vec::new(),
            problem_count: 0,
        };
        for (outcome, file) in outcomes.into_iter().zip(&found.files) {
            let Some(outcome) = outcome else { continue };
            all.sessions.extend(outcome.sessions);
            all.problems.extend(outcome.problems);
            all.problem_count += outcome.problem_count;
            if let Some(error) = outcome.error {
                all.named_not_read |= file.named;
                all.not_read.push(error.to_string());
            }
        }
        all
    }

    fn report(mut self, config: &Config, interrupted: bool) -> anyhow::Result<ExitCode> {
        self.problems.truncate(config.problems_max);
        self.complain(interrupted)?;
        if self.sessions.is_empty() && !interrupted {
            return Ok(ExitCode::from(EXIT_CODE_BAD_INPUT));
        }
        let to_stdout = config.prompt_log.as_ref().is_some_and(|path| path.as_os_str() == "-");
        if !to_stdout {
            self.print(config, interrupted)?;
        }
        Ok(match (interrupted, self.named_not_read) {
            (true, _) => ExitCode::from(interrupt::EXIT_CODE),
            (false, true) => ExitCode::from(EXIT_CODE_BAD_INPUT),
            (false, false) => ExitCode::SUCCESS,
        })
    }

    fn print(&mut self, config: &Config, interrupted: bool) -> io::Result<()> {
        let totals = Totals::of(&self.sessions, config.profiles.len());
        let mut summary = Summary {
            profiles: &config.profiles,
            prices: &config.prices,
            tokenizer: config.tokenizer,
            sessions: &[],
            totals: &totals,
            sort: config.sort,
            not_read: &self.not_read,
            problems: &self.problems,
            problem_count: self.problem_count,
            interrupted,
        };
        summary::sort_sessions(&mut self.sessions, summary.main_profile(), config.sort);
        summary.sessions = &self.sessions;
        let render = if config.json { summary::json::render } else { summary::text::render };
        let mut out = super::output();
        out.write_all(render(&summary, config.per_session).as_bytes())?;
        out.flush()
    }

    /// Says on standard error what was not read.
    fn complain(&self, interrupted: bool) -> io::Result<()> {
        let mut err = io::stderr().lock();
        let alone = self.sessions.is_empty() && !interrupted;
        match self.not_read.len() as u64 {
            0 => {}
            _ if alone => {
                for reason in &self.not_read {
                    writeln!(err, "error: {reason}")?;
                }
            }
            many => {
                let were = if many == 1 { "was" } else { "were" };
                writeln!(err, "{} {were} not read:", plural(many, "file"))?;
                for reason in &self.not_read {
                    writeln!(err, "  {reason}")?;
                }
            }
        }
        if self.problem_count > 0 {
            let shown = self.problems.len() as u64;
            let rest = if shown < self.problem_count { "; --problems lists all" } else { "" };
            writeln!(err, "{} in what was read{rest}:", plural(self.problem_count, "problem"))?;
            for problem in &self.problems {
                writeln!(err, "  {problem}")?;
            }
        }
        Ok(())
    }
}
