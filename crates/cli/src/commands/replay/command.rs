//! `foveal replay`: what each profile would have cost and kept on recorded sessions.

use std::io::{self, BufWriter, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use foveal_cancel::Cancel;
use foveal_code::views::CuratedViews;
use foveal_context::profile::DEFAULT;
use foveal_live::models::recorded_constraints;
use foveal_report::{Limits, ProfileLine, ReportBuilder};
use foveal_screen::in_one_line;
use foveal_store::Store;

use super::arguments::{Config, Show};
use crate::commands::one_session::{check_turn, conversation};
use crate::environment::Environment;
use crate::exit_code;
use crate::figures::{SessionFigures, Totals};
use crate::interrupt;
use crate::measure::{self, Attachments, FileOutcome, PastSavings};
use crate::notice;
use crate::numbers::plural;
use crate::ordered::Ordered;
use crate::output;
use crate::private_file;
use crate::progress;
use crate::prompt_view::PromptView;
use crate::sessions::{self, FoundSessions, load_kept, load_one, own};
use crate::summary::{self, Summary};
use crate::toolbox;

/// Replays and prints.
///
/// # Errors
/// If nothing can be read or the output cannot be written.
pub(crate) fn run(config: &Config, environment: &Environment) -> anyhow::Result<ExitCode> {
    if let Some(show) = &config.show {
        return show_prompt(config, show, environment);
    }
    let Some(found) = session_files(config, environment)? else {
        bail!("{}", own::NOTHING);
    };
    let cancel = &interrupt::listen();
    let builder = Mutex::new(report_builder(config));
    // Without a store foveal did nothing before.
    let store = toolbox::store_to_read(environment).unwrap_or_default();
    let store = store.as_ref().map(|store| store as &dyn Store);
    let savings = store.map(PastSavings::read).transpose();
    let savings = savings.context("what foveal did before cannot be read")?.unwrap_or_default();
    let past = measure::Past { savings: &savings, store };
    let outcomes = measure_files(config, &found, past, (cancel, &builder))?;
    let collected = Collected::of(outcomes, &found);
    if let Some(path) = config.report.as_ref().filter(|_| !collected.sessions.is_empty()) {
        let data = builder.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
        private_file::create(path)
            .and_then(|mut file| file.write_all(foveal_report::render(&data).as_bytes()))
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    collected.report(config, cancel.is_cancelled(), environment)
}

fn measure_files(
    config: &Config,
    found: &FoundSessions,
    past: measure::Past<'_>,
    (cancel, builder): (&Cancel<'_>, &Mutex<ReportBuilder>),
) -> anyhow::Result<Vec<Option<FileOutcome>>> {
    let bar = progress::bar(found.files.len() as u64);
    let log = open_log(config)?;
    let report = config.report.as_ref().map(|_| measure::Report {
        builder,
        limits: Limits::default(),
        order: report_order(config),
    });
    let plan = measure::Plan {
        profiles: &config.profiles,
        prices: &config.prices,
        constraints: config.constraints,
        views: Arc::new(CuratedViews::default()),
        tokenizer: config.tokenizer,
        format: config.format,
        prompt_log: log.as_ref(),
        // What is printed is what is there; what is kept is kept without secrets.
        keeps_secrets: config.keep_secrets || is_printed(config),
        report,
        problems_max: config.problems_max,
        past,
        cancel,
    };
    let outcomes = measure::measure(&plan, &found.files, &|| bar.inc(1))
        .context("the prompt log cannot be written")?;
    bar.finish_and_clear();
    Ok(outcomes)
}

/// The places of the profiles as the page has them, the default one first, then those of the
/// oracles.
fn report_order(config: &Config) -> Vec<usize> {
    let mut order: Vec<usize> = (0..measure::candidates(&config.profiles).len()).collect();
    let others = &mut order[..config.profiles.len()];
    others.sort_by_key(|place| config.profiles[*place].name != DEFAULT);
    order
}

fn report_builder(config: &Config) -> ReportBuilder {
    let candidates = measure::candidates(&config.profiles);
    let lines = report_order(config).into_iter().map(|at| ProfileLine::from(candidates[at]));
    ReportBuilder::new(lines.collect(), config.prices.clone(), Limits::default())
}

/// Prints the prompt of one request.
fn show_prompt(
    config: &Config,
    show: &Show,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    if config.paths.is_empty() {
        bail!("--show is about one session: name its file");
    }
    let session = match config.paths.as_slice() {
        [path] if config.format.is_none() && !path.exists() => {
            load_kept(&path.to_string_lossy(), environment)?
        }
        paths => load_one(paths, config.format)?,
    };
    let conversation = conversation(&session, show.conversation.as_deref())?;
    check_turn(conversation, show.turn)?;
    let [profile] = config.profiles.as_slice() else { bail!("--show is about one profile") };
    let constraints = config.constraints.unwrap_or_else(|| recorded_constraints(conversation));
    let (prices, tokenizer) = (&config.prices, config.tokenizer);
    let view =
        PromptView::of(conversation.clone(), show.turn, profile, prices, tokenizer, constraints)
            .context("the conversation ends before this request")?;
    output::print(view.render(profile, show.detail, environment.painter()))?;
    Ok(ExitCode::SUCCESS)
}

/// The files to read, or `None` where the user named none and has none.
fn session_files(
    config: &Config,
    environment: &Environment,
) -> anyhow::Result<Option<FoundSessions>> {
    if !config.paths.is_empty() {
        return Ok(Some(named_files(config, environment)?));
    }
    let kept = own::look(own::places(environment), config.format);
    let found = own::describe(&kept);
    if !found.is_empty() {
        notice::say(found.trim_end());
    }
    let mut found = FoundSessions::default();
    for kept in kept {
        found.files.extend(kept.files);
        found.unlisted.extend(kept.unlisted);
    }
    Ok((!found.files.is_empty() || !found.unlisted.is_empty()).then_some(found))
}

/// The files that the user named, and the sessions of foveal's own that are named in their place.
fn named_files(config: &Config, environment: &Environment) -> anyhow::Result<FoundSessions> {
    let mut found = FoundSessions::default();
    let mut paths = Vec::new();
    for path in &config.paths {
        let name = path.to_str().filter(|_| config.format.is_none() && !path.exists());
        match name.map(|name| sessions::run_named(name, environment)).transpose()?.flatten() {
            Some(file) => found.files.push(file),
            None => paths.push(path.clone()),
        }
    }
    if !paths.is_empty() {
        let of_paths = sessions::find(&paths, config.format)?;
        found.files.extend(of_paths.files);
        found.unlisted.extend(of_paths.unlisted);
    }
    Ok(found)
}

/// Whether the prompts go to standard output.
fn is_printed(config: &Config) -> bool {
    config.prompt_log.as_ref().is_some_and(|path| path.as_os_str() == "-")
}

fn open_log(config: &Config) -> anyhow::Result<Option<Ordered<'static>>> {
    let Some(path) = &config.prompt_log else { return Ok(None) };
    if path.as_os_str() == "-" {
        return Ok(Some(Ordered::new(output::stream())));
    }
    let file = private_file::create(path)
        .with_context(|| format!("`{}` cannot be written", path.display()))?;
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
    /// Sessions whose requests all count in other sessions.
    copies: u64,
    /// Requests whose bills hold savings of foveal already.
    discounted: u64,
    attachments: Attachments,
}

impl Collected {
    fn of(outcomes: Vec<Option<FileOutcome>>, found: &FoundSessions) -> Self {
        let mut all = Self {
            sessions: Vec::new(),
            not_read: found.unlisted.iter().map(ToString::to_string).collect(),
            named_not_read: false,
            problems: Vec::new(),
            problem_count: 0,
            copies: 0,
            discounted: 0,
            attachments: Attachments::default(),
        };
        for (outcome, file) in outcomes.into_iter().zip(&found.files) {
            let Some(outcome) = outcome else { continue };
            all.sessions.extend(outcome.sessions);
            all.problems.extend(outcome.problems);
            all.problem_count += outcome.problem_count;
            all.copies += outcome.copies;
            all.discounted += outcome.discounted;
            all.attachments.join(&outcome.attachments);
            if let Some(error) = outcome.error {
                all.named_not_read |= file.named;
                all.not_read.push(error.to_string());
            }
        }
        all
    }

    fn report(
        mut self,
        config: &Config,
        interrupted: bool,
        environment: &Environment,
    ) -> anyhow::Result<ExitCode> {
        self.problems.truncate(config.problems_max);
        self.complain(interrupted);
        if self.sessions.is_empty() && !interrupted {
            return Ok(ExitCode::from(exit_code::FAILED));
        }
        if !is_printed(config) {
            self.print(config, interrupted, environment.width)?;
        }
        Ok(match (interrupted, self.named_not_read) {
            (true, _) => ExitCode::from(exit_code::INTERRUPTED),
            (false, true) => ExitCode::from(exit_code::FAILED),
            (false, false) => ExitCode::SUCCESS,
        })
    }

    fn print(
        &mut self,
        config: &Config,
        interrupted: bool,
        width: Option<usize>,
    ) -> io::Result<()> {
        let totals = Totals::of(&self.sessions, measure::candidates(&config.profiles).len());
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
        output::print(match config.json {
            true => summary::json::render(&summary, config.per_session),
            false => summary::text::render(&summary, config.per_session, width),
        })
    }

    /// Says on standard error what was not read.
    fn complain(&self, interrupted: bool) {
        let alone = self.sessions.is_empty() && !interrupted;
        match self.not_read.len() as u64 {
            0 => {}
            _ if alone => {
                for reason in &self.not_read {
                    notice::say(format_args!("error: {}", in_one_line(reason)));
                }
            }
            many => {
                let were = if many == 1 { "was" } else { "were" };
                notice::say(format_args!("{} {were} not read:", plural(many, "file")));
                for reason in &self.not_read {
                    notice::say(format_args!("  {}", in_one_line(reason)));
                }
            }
        }
        if self.problem_count > 0 {
            let shown = self.problems.len() as u64;
            let rest = if shown < self.problem_count { "; --problems lists all" } else { "" };
            let many = plural(self.problem_count, "problem");
            notice::say(format_args!("{many} in what was read{rest}:"));
            for problem in &self.problems {
                notice::say(format_args!("  {}", in_one_line(problem)));
            }
        }
        if self.copies > 0 {
            let are = if self.copies == 1 { "is a copy" } else { "are copies" };
            let many = plural(self.copies, "session");
            notice::say(format_args!("{many} {are} of others and not counted"));
        }
        if self.discounted > 0 {
            let many = plural(self.discounted, "request");
            notice::say(format_args!(
                "{many} went through foveal: their bills hold its saving already and are left \
                 out; `foveal stats` tells it"
            ));
        }
        if !self.attachments.is_empty() {
            notice::say(&self.attachments);
        }
    }
}
