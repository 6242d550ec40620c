//! `foveal replay`: the cost of recorded sessions under each profile, and the evidence that each
//! kept.

use std::io::{self, BufWriter, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use foveal_agent_setup::sessions::{self as agent_sessions, FoundSessions};
use foveal_engine::profile::DEFAULT_PROFILE;
use foveal_gateway::decision_recorder::parse_stored_step;
use foveal_pricing::prices::PriceCard;
use foveal_proxy::models::recorded_constraints;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_report::{ReportBuilder, ReportLimits, ReportProfile};
use foveal_screen::escape_one_line;
use foveal_store::Store;
use foveal_transcript::CancelToken;

use super::arguments::{PromptSelection, ReplayConfig};
use crate::commands::session_selection::{check_turn, find_conversation};
use crate::environment::Environment;
use crate::exit_code;
use crate::interrupt;
use crate::notice;
use crate::numbers::format_plural;
use crate::ordered_output::OrderedWriter;
use crate::output;
use crate::parallel_replay::{self, Attachments, FileOutcome, PastSavings};
use crate::private_file;
use crate::progress_bar;
use crate::prompt_view::PromptView;
use crate::replay_summary::{self, ReplaySummary};
use crate::replay_totals::{ReplayTotals, SessionFigures};
use crate::sessions::{self, load_single_session, load_stored_session};
use crate::toolbox;

/// Replays sessions and prints the result.
///
/// # Errors
/// If no session can be read, or the output cannot be written.
pub(crate) fn run(config: &ReplayConfig, environment: &Environment) -> anyhow::Result<ExitCode> {
    if let Some(show) = &config.prompt_to_show {
        return print_prompt(config, show, environment);
    }
    let Some(found) = find_session_files(config, environment)? else {
        bail!("{}", sessions::NO_SESSIONS_HINT);
    };
    let cancel = &interrupt::cancel_on_ctrl_c();
    let builder = Mutex::new(report_builder(config));
    // Without a store there were no earlier savings.
    let store = toolbox::open_store_for_reading(environment).unwrap_or_default();
    let store = store.as_ref().map(|store| store as &dyn Store);
    let savings = store.map(PastSavings::load).transpose();
    let savings =
        savings.context("the past requests of the gateway cannot be read")?.unwrap_or_default();
    let past =
        parallel_replay::ShapingHistory { savings: &savings, store, parse_step: parse_stored_step };
    let outcomes = replay_files(config, &found, past, cancel, &builder)?;
    let collected = ReplayResults::from_outcomes(outcomes, &found);
    if let Some(path) = config.report.as_ref().filter(|_| !collected.sessions.is_empty()) {
        let builder = builder.into_inner().unwrap_or_else(PoisonError::into_inner);
        let data = builder.finish(collected.price_cards());
        private_file::create_private_file(path)
            .and_then(|mut file| file.write_all(foveal_report::render(&data).as_bytes()))
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
    }
    collected.print_results(config, cancel.is_cancelled(), environment)
}

fn replay_files(
    config: &ReplayConfig,
    found: &FoundSessions,
    past: parallel_replay::ShapingHistory<'_>,
    cancel: &CancelToken<'_>,
    builder: &Mutex<ReportBuilder>,
) -> anyhow::Result<Vec<Option<FileOutcome>>> {
    let bar = progress_bar::file_progress_bar(found.files.len() as u64);
    let log = open_prompt_log(config)?;
    let report = config.report.as_ref().map(|_| parallel_replay::ReportPlan {
        builder,
        limits: ReportLimits::default(),
        order: report_order(config),
    });
    let plan = parallel_replay::ReplayPlan {
        profiles: &config.profiles,
        prices: &config.prices,
        constraints: config.constraints,
        views: Arc::new(CuratedViewSource::default()),
        tokenizer: config.tokenizer,
        format: config.format,
        prompt_log: log.as_ref(),
        // Standard output gets the prompts as recorded; a file gets them without secrets.
        keeps_secrets: config.keep_secrets || prints_prompt_log(config),
        report,
        problems_max: config.problems_max,
        shaping_history: past,
        cancel,
    };
    let outcomes = parallel_replay::replay_files_in_parallel(&plan, &found.files, &|| bar.inc(1))
        .context("the prompt log cannot be written")?;
    bar.finish_and_clear();
    Ok(outcomes)
}

/// Returns the order of the rows in the report, as indexes into the candidates: the default
/// profile, the other profiles, the oracles.
fn report_order(config: &ReplayConfig) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..parallel_replay::list_candidates(&config.profiles).len()).collect();
    let others = &mut order[..config.profiles.len()];
    others.sort_by_key(|place| config.profiles[*place].name != DEFAULT_PROFILE);
    order
}

fn report_builder(config: &ReplayConfig) -> ReportBuilder {
    let candidates = parallel_replay::list_candidates(&config.profiles);
    let lines = report_order(config).into_iter().map(|at| ReportProfile::from(candidates[at]));
    ReportBuilder::new(lines.collect(), ReportLimits::default())
}

/// Prints the prompt of one request.
fn print_prompt(
    config: &ReplayConfig,
    show: &PromptSelection,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    if config.paths.is_empty() {
        bail!("--show needs one session: name its file");
    }
    let session = match config.paths.as_slice() {
        [path] if config.format.is_none() && !path.exists() => {
            load_stored_session(&path.to_string_lossy(), environment)?
        }
        paths => load_single_session(paths, config.format)?,
    };
    let conversation = find_conversation(&session, show.conversation.as_deref())?;
    check_turn(conversation, show.turn)?;
    let [profile] = config.profiles.as_slice() else { bail!("--show needs one profile") };
    let constraints = config.constraints.unwrap_or_else(|| recorded_constraints(conversation));
    let prices = &config.prices.conversation_prices(conversation).card;
    let tokenizer = config.tokenizer;
    let view =
        PromptView::plan(conversation.clone(), show.turn, profile, prices, tokenizer, constraints)
            .context("the conversation ends before this request")?;
    output::print(view.render(profile, show.detail, environment.painter()))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the files to read, or `None` if the user named none and there are none on this machine.
fn find_session_files(
    config: &ReplayConfig,
    environment: &Environment,
) -> anyhow::Result<Option<FoundSessions>> {
    if !config.paths.is_empty() {
        return Ok(Some(find_named_files(config, environment)?));
    }
    let kept = sessions::find_machine_sessions(environment, config.format);
    let found = sessions::describe_sessions(&kept);
    if !found.is_empty() {
        notice::print_notice(found.trim_end());
    }
    let mut found = FoundSessions::default();
    for kept in kept {
        found.files.extend(kept.files);
        found.unlisted.extend(kept.unlisted);
    }
    Ok((!found.files.is_empty() || !found.unlisted.is_empty()).then_some(found))
}

/// Returns the files that the user named, and those of foveal's own sessions that the user named by
/// session.
fn find_named_files(
    config: &ReplayConfig,
    environment: &Environment,
) -> anyhow::Result<FoundSessions> {
    let mut found = FoundSessions::default();
    let mut paths = Vec::new();
    for path in &config.paths {
        let name = path.to_str().filter(|_| config.format.is_none() && !path.exists());
        match name.map(|name| sessions::find_run(name, environment)).transpose()?.flatten() {
            Some(file) => found.files.push(file),
            None => paths.push(path.clone()),
        }
    }
    if !paths.is_empty() {
        let of_paths = agent_sessions::find_session_files(&paths, config.format)?;
        found.files.extend(of_paths.files);
        found.unlisted.extend(of_paths.unlisted);
    }
    Ok(found)
}

/// Returns whether the prompt log goes to standard output.
fn prints_prompt_log(config: &ReplayConfig) -> bool {
    config.prompt_log.as_ref().is_some_and(|path| path.as_os_str() == "-")
}

fn open_prompt_log(config: &ReplayConfig) -> anyhow::Result<Option<OrderedWriter<'static>>> {
    let Some(path) = &config.prompt_log else { return Ok(None) };
    if path.as_os_str() == "-" {
        return Ok(Some(OrderedWriter::new(output::stdout_writer())));
    }
    let file = private_file::create_private_file(path)
        .with_context(|| format!("`{}` cannot be written", path.display()))?;
    Ok(Some(OrderedWriter::new(Box::new(BufWriter::new(file)))))
}

/// The results of all files.
struct ReplayResults {
    sessions: Vec<SessionFigures>,
    not_read: Vec<String>,
    /// Whether `not_read` has a file that the user named.
    named_not_read: bool,
    problems: Vec<String>,
    problem_count: u64,
    /// Sessions whose requests all count in other sessions.
    copies: u64,
    /// Requests that went through foveal, so that their bills already contain its savings.
    discounted: u64,
    /// Such requests of foveal's own agent.
    discounted_run_requests: u64,
    attachments: Attachments,
}

impl ReplayResults {
    fn from_outcomes(outcomes: Vec<Option<FileOutcome>>, found: &FoundSessions) -> Self {
        let mut all = Self {
            sessions: Vec::new(),
            not_read: found.unlisted.iter().map(ToString::to_string).collect(),
            named_not_read: false,
            problems: Vec::new(),
            problem_count: 0,
            copies: 0,
            discounted: 0,
            discounted_run_requests: 0,
            attachments: Attachments::default(),
        };
        for (outcome, file) in outcomes.into_iter().zip(&found.files) {
            let Some(outcome) = outcome else { continue };
            all.sessions.extend(outcome.sessions);
            all.problems.extend(outcome.problems);
            all.problem_count += outcome.problem_count;
            all.copies += outcome.copied_sessions;
            all.discounted += outcome.discounted_requests;
            all.discounted_run_requests += outcome.discounted_run_requests;
            all.attachments.merge(&outcome.attachments);
            if let Some(error) = outcome.error {
                all.named_not_read |= file.is_named_by_user;
                all.not_read.push(error.to_string());
            }
        }
        all
    }

    /// Returns the price cards of the sessions, each once.
    fn price_cards(&self) -> Vec<PriceCard> {
        let mut cards: Vec<PriceCard> = Vec::new();
        for card in self.sessions.iter().flat_map(|session| &session.prices) {
            if !cards.contains(card) {
                cards.push(card.clone());
            }
        }
        cards.sort_by(|one, other| one.name.cmp(&other.name));
        cards
    }

    fn print_results(
        mut self,
        config: &ReplayConfig,
        interrupted: bool,
        environment: &Environment,
    ) -> anyhow::Result<ExitCode> {
        self.problems.truncate(config.problems_max);
        self.print_problems(interrupted);
        if self.sessions.is_empty() && !interrupted {
            return Ok(ExitCode::from(exit_code::FAILED));
        }
        if !prints_prompt_log(config) {
            self.print_summary(config, interrupted, environment.stdout_columns)?;
        }
        Ok(match (interrupted, self.named_not_read) {
            (true, _) => ExitCode::from(exit_code::INTERRUPTED),
            (false, true) => ExitCode::from(exit_code::FAILED),
            (false, false) => ExitCode::SUCCESS,
        })
    }

    fn print_summary(
        &mut self,
        config: &ReplayConfig,
        interrupted: bool,
        width: Option<usize>,
    ) -> io::Result<()> {
        let totals = ReplayTotals::from_sessions(
            &self.sessions,
            parallel_replay::list_candidates(&config.profiles).len(),
        );
        let cards = self.price_cards();
        let mut summary = ReplaySummary {
            profiles: &config.profiles,
            prices: &cards,
            tokenizer: config.tokenizer,
            sessions: &[],
            totals: &totals,
            sort: config.sort,
            not_read: &self.not_read,
            problems: &self.problems,
            problem_count: self.problem_count,
            interrupted,
        };
        replay_summary::sort_sessions(
            &mut self.sessions,
            summary.main_profile_index(),
            config.sort,
        );
        summary.sessions = &self.sessions;
        output::print(match config.json {
            true => replay_summary::json::render_json(&summary, config.per_session),
            false => replay_summary::text::render_text(&summary, config.per_session, width),
        })
    }

    /// Prints to standard error which files were not read or not counted.
    fn print_problems(&self, interrupted: bool) {
        let alone = self.sessions.is_empty() && !interrupted;
        match self.not_read.len() as u64 {
            0 => {}
            _ if alone => {
                for reason in &self.not_read {
                    notice::print_notice(format_args!("error: {}", escape_one_line(reason)));
                }
            }
            many => {
                let were = if many == 1 { "was" } else { "were" };
                notice::print_notice(format_args!(
                    "{} {were} not read:",
                    format_plural(many, "file")
                ));
                for reason in &self.not_read {
                    notice::print_notice(format_args!("  {}", escape_one_line(reason)));
                }
            }
        }
        if self.problem_count > 0 {
            let shown = self.problems.len() as u64;
            let rest = if shown < self.problem_count { "; --problems lists all" } else { "" };
            let many = format_plural(self.problem_count, "problem");
            notice::print_notice(format_args!("{many} in the files that were read{rest}:"));
            for problem in &self.problems {
                notice::print_notice(format_args!("  {}", escape_one_line(problem)));
            }
        }
        if self.copies > 0 {
            let are = if self.copies == 1 { "is a copy" } else { "are copies" };
            let many = format_plural(self.copies, "session");
            notice::print_notice(format_args!("{many} {are} of others and not counted"));
        }
        if self.discounted > 0 {
            let many = format_plural(self.discounted, "request");
            notice::print_notice(format_args!(
                "{many} went through foveal: their bills already include its savings and are not \
                 counted; see `foveal stats`"
            ));
        }
        if self.discounted_run_requests > 0 {
            let many = format_plural(self.discounted_run_requests, "request");
            let were = if self.discounted_run_requests == 1 { "was" } else { "were" };
            notice::print_notice(format_args!(
                "{many} of foveal's own agent {were} shortened when they were sent: their bills \
                 are not compared with profiles"
            ));
        }
        if !self.attachments.is_empty() {
            notice::print_notice(&self.attachments);
        }
    }
}
