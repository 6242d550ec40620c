//! The state that all tool sessions of a process share.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use foveal_engine::views::ViewSource;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_sandbox::{CommandEnvironment, Sandbox, ShellProgram};
use foveal_store::{
    CallChanges, CollectionTotals, RetentionLimits, RootsKey, SessionId, Store, StoreError,
};
use foveal_web::{AddressPolicy, Fetcher, ProxyChoice};
use foveal_workspace::{FileWriter, WorkspaceRoots};
use globset::Glob;

use crate::duplicate_calls::{CallStatistics, Similarity};

use crate::clock::{Clock, SystemClock};
use crate::code_index::{self, CodeIndex};
use crate::explanation::ExplanationSink;
use crate::interrupted_writes::InterruptedWrites;
use crate::permission::{Access, Grants, PermissionPolicy};
use crate::read_views::CurationCache;
use crate::session::ToolCallTracker;
use crate::settings::{COLLECT_EVERY_MS, RETENTION_LIMITS, ReadLineLimits, ToolSettings};
use crate::store_notice::StoreUnavailableNotice;
use crate::user_notifier::UserNotifier;

/// The version of the built-in curator, under which its choices are stored.
const CURATOR_VERSION: &str = concat!("built-in 2, ", env!("CARGO_PKG_VERSION"));

/// The state that all tool sessions of a process share.
pub struct Toolbox {
    /// The roots that tools may access.
    pub roots: WorkspaceRoots,
    /// The store of sessions and contents.
    pub store: Arc<dyn Store>,
    /// The recent calls of all sessions.
    pub calls: Mutex<ToolCallTracker>,
    /// The source of time.
    pub clock: Arc<dyn Clock>,
    /// The settings of the tools.
    pub settings: ToolSettings,
    /// The permission rules.
    pub policy: PermissionPolicy,
    /// The file of the user's rules, for messages.
    pub rules_file: Option<PathBuf>,
    /// The default folder of calls, as a canonical path. Files outside of it need an approval, even
    /// in a root; `None`: files in all roots are alike.
    pub default_folder: Option<PathBuf>,
    /// Whether omitted content can be fetched later. If not, an answer omits only content that does
    /// not fit in it.
    pub keeps_content: bool,
    /// The writer of files.
    pub writer: FileWriter,
    /// Notifies the user of events that a model may not pass on.
    pub user_notifier: UserNotifier,
    pub(crate) interrupted_writes: InterruptedWrites,
    /// Reports once that the store cannot be written.
    pub store_notice: Arc<StoreUnavailableNotice>,
    /// The grants of the user for all sessions.
    granted: Mutex<Grants>,
    /// The curator of files, with its cache.
    pub(crate) curations: Arc<CurationCache>,
    /// The indexes of the roots.
    pub index: CodeIndex,
    /// The fetcher of web pages.
    pub(crate) fetcher: Fetcher,
    /// The environment variables of commands.
    pub environment: CommandEnvironment,
    /// The shell that runs commands.
    pub shell: ShellProgram,
    /// The sandbox of commands; `None`: commands may write everywhere.
    pub sandbox: Option<Sandbox>,
    /// The program that watches over the processes of commands; `None`: there is no guard.
    pub command_guard: Option<foveal_sandbox::GuardProgram>,
    /// The client's working folder as a canonical path, if it is known. Reports on readers that
    /// the store has for it count as well as those on the roots.
    pub client_folder: Option<PathBuf>,
    /// The retention limits of the store over all sessions.
    pub retention_limits: RetentionLimits,
    /// The receiver of explanations.
    pub(crate) explanations: ExplanationSink,
    /// The time of the last check for content beyond the retention limits, in milliseconds.
    last_collection_check: AtomicI64,
    /// Whether commands are limited even if no rule limits them.
    asks_unnamed: AtomicBool,
}

/// The variable with the number of settings that `git` receives by variables.
const GIT_CONFIG_COUNT: &str = "GIT_CONFIG_COUNT";

/// The means to run commands on this machine.
#[derive(Debug, Clone)]
pub struct CommandRuntime {
    /// The environment variables of commands.
    pub environment: CommandEnvironment,
    /// The shell that runs commands.
    pub shell: ShellProgram,
    /// The sandbox of commands, which may write in the roots; `None`: commands may write
    /// everywhere.
    pub sandbox: Option<Sandbox>,
    /// The program that watches over the processes of commands; `None`: there is no guard.
    pub guard: Option<foveal_sandbox::GuardProgram>,
}

impl Toolbox {
    /// Sets the receiver of explanations, also for indexes that are added later.
    pub fn set_explanation_sink(&mut self, explain: ExplanationSink) {
        self.index.set_explanation_sink(explain.clone());
        self.explanations = explain;
    }

    /// Returns the curator of files.
    pub fn curator(&self) -> Arc<dyn ViewSource> {
        Arc::clone(&self.curations) as Arc<dyn ViewSource>
    }

    /// Sets a curator that asks a model. Choices stored under another `version` are ignored.
    pub fn set_model_curator(&mut self, curator: Arc<dyn ViewSource>, version: String) {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        self.curations = Arc::new(CurationCache::new(curator, version, store, clock).with_model());
    }

    /// Creates the shared state of tools for `roots`, with `store` for sessions and contents.
    /// `open` opens the index of the first root when it is first needed; other indexes are
    /// [added](CodeIndex::add_root).
    pub fn new(
        roots: WorkspaceRoots,
        store: Arc<dyn Store>,
        open: code_index::IndexOpener,
        host: CommandRuntime,
        settings: ToolSettings,
    ) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let curator = Arc::new(CuratedViewSource::default());
        let version = CURATOR_VERSION.to_owned();
        let curations = CurationCache::new(curator, version, store.clone(), clock.clone());
        let curations = Arc::new(curations);
        let granted = store.grants(roots_key(&roots)).unwrap_or_default();
        let granted: Grants = granted.into_iter().collect();
        let guard = AddressPolicy::new(&settings.private_hosts);
        Self {
            roots,
            store,
            calls: Mutex::new(ToolCallTracker::new(settings.calls.clone())),
            clock,
            settings,
            policy: PermissionPolicy::default(),
            rules_file: None,
            default_folder: None,
            keeps_content: true,
            writer: FileWriter::default(),
            user_notifier: UserNotifier::default(),
            interrupted_writes: InterruptedWrites::default(),
            store_notice: Arc::default(),
            granted: Mutex::new(granted),
            curations,
            index: CodeIndex::new(open),
            fetcher: Fetcher::new(guard, foveal_web::FetchLimits::default()),
            environment: host.environment,
            shell: host.shell,
            sandbox: host.sandbox,
            command_guard: host.guard,
            client_folder: None,
            retention_limits: RETENTION_LIMITS,
            explanations: ExplanationSink::default(),
            last_collection_check: AtomicI64::new(i64::MIN),
            asks_unnamed: AtomicBool::new(false),
        }
    }

    /// Fetches web pages through the proxies that `proxies` chooses, and converts them in a process
    /// of `converter`, given as name and arguments, that runs `foveal_web::convert_page` and is
    /// ended with the call.
    pub fn configure_fetcher(&mut self, proxies: ProxyChoice, converter: Option<Vec<OsString>>) {
        let guard = AddressPolicy::new(&self.settings.private_hosts);
        let fetcher = Fetcher::new(guard, foveal_web::FetchLimits::default()).with_proxies(proxies);
        self.fetcher = match converter {
            Some(program) => fetcher.with_converter_program(program),
            None => fetcher,
        };
    }

    /// Returns the variables of the next command. Where rules limit commands, `git` ignores folders
    /// that merely look like bare repositories, because settings in them can run any program.
    pub(crate) fn command_environment(&self) -> CommandEnvironment {
        let environment = self.environment.clone();
        if !self.policy.limits_commands() && !self.asks_unnamed.load(Ordering::Relaxed) {
            return environment;
        }
        let count =
            environment.get(GIT_CONFIG_COUNT).and_then(|count| count.to_str()?.parse().ok());
        let at: u32 = count.unwrap_or_default();
        environment
            .with_variable(GIT_CONFIG_COUNT, at.saturating_add(1).to_string())
            .with_variable(format!("GIT_CONFIG_KEY_{at}"), "safe.bareRepository")
            .with_variable(format!("GIT_CONFIG_VALUE_{at}"), "explicit")
    }

    /// Limits commands: the user is asked about every command that no rule names and that does more
    /// than read.
    pub fn ask_about_unnamed_commands(&self) {
        self.asks_unnamed.store(true, Ordering::Relaxed);
    }

    /// Returns the most lines of the file at `path` with which it is read in full.
    pub(crate) fn full_read_lines_max(&self, path: &str) -> u32 {
        self.line_limits(path).small
    }

    /// Returns the line limits for the file at `path`.
    pub(crate) fn line_limits(&self, path: &str) -> ReadLineLimits {
        let settings = &self.settings;
        let named = settings.line_limits_by_glob.iter().find(|(glob, _)| {
            Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(path))
        });
        let usual = ReadLineLimits { small: settings.read_small_lines, large: None };
        named.map_or(usual, |(_, limits)| *limits)
    }

    /// Sets the rule by which two calls of a tool are equal, in place of [the
    /// table's](foveal_tool_effects::TOOL_KINDS). An answer is reused only if its dependencies are known
    /// and unchanged, which is never so for commands.
    ///
    /// Custom rules receive texts of more than 256 bytes as hashes.
    pub fn register_similarity(&self, tool: &str, rule: impl Into<Similarity>) {
        self.calls().register_rule(tool, rule);
    }

    /// Removes content beyond the retention limits from the store, unless that was done in the last
    /// [`COLLECT_EVERY_MS`] milliseconds.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn collect(&self) -> Result<Option<CollectionTotals>, StoreError> {
        self.store.collect_garbage_if_due(self.retention_limits, COLLECT_EVERY_MS, self.clock.now())
    }

    /// Starts [`Self::collect`] on a thread of its own now and then, so that a server that runs for
    /// weeks keeps no more than one that is started each day.
    pub(crate) fn collect_periodically(self: &Arc<Self>) {
        let now = self.clock.now().0;
        let last = self.last_collection_check.load(Ordering::Relaxed);
        let is_early = (0..COLLECT_EVERY_MS / 2).contains(&now.saturating_sub(last));
        let looks = || {
            self.last_collection_check.compare_exchange(
                last,
                now,
                Ordering::Relaxed,
                Ordering::Relaxed,
            )
        };
        if is_early || looks().is_err() {
            return;
        }
        let toolbox = Arc::clone(self);
        // Content that cannot be removed now is removed the next time.
        let collect = move || drop(toolbox.collect());
        drop(thread::Builder::new().name("store".to_owned()).spawn(collect));
    }

    /// Recovers writes in the roots that a kill interrupted, and queues notes about them.
    pub fn recover_interrupted_writes(&self) {
        if let Some(journal) = self.writer.journal() {
            for found in journal.recover(&self.roots) {
                self.user_notifier.notify(&self.interrupted_writes.record_recovery(found));
            }
        }
    }

    /// Returns how often earlier calls answered later ones, over all sessions.
    pub fn call_statistics(&self) -> CallStatistics {
        self.calls().statistics()
    }

    /// Removes the remembered calls of all sessions.
    pub fn reset_call_history(&self) {
        let mut calls = self.calls();
        let sessions: Vec<String> = calls.sessions().map(str::to_owned).collect();
        calls.reset();
        drop(calls);
        for session in sessions {
            // Calls that survive in the store expire soon after a restart.
            let (session, now) = (SessionId(session), self.clock.now());
            drop(self.store.update_calls(&session, &CallChanges::default(), now));
        }
    }

    pub(crate) fn calls(&self) -> MutexGuard<'_, ToolCallTracker> {
        self.calls.lock().expect("no holder of this lock panics")
    }

    /// Stores a grant for all sessions in these roots.
    pub(crate) fn add_grant(&self, access: &Access<'_>) {
        let grant = access.wider_grant();
        // A grant that cannot be stored applies until the process ends.
        drop(self.store.put_grant(roots_key(&self.roots), &grant, self.clock.now()));
        self.grants().add(grant);
    }

    pub(crate) fn is_granted(&self, access: &Access<'_>) -> bool {
        self.grants().covers(access)
    }

    fn grants(&self) -> MutexGuard<'_, Grants> {
        self.granted.lock().expect("no holder of this lock panics")
    }
}

fn roots_key(roots: &WorkspaceRoots) -> RootsKey {
    RootsKey::from_roots(roots.all().map(|root| root.path()))
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { roots, settings, policy, .. } = self;
        let mut toolbox = f.debug_struct("Toolbox");
        toolbox.field("roots", roots).field("settings", settings).field("policy", policy);
        toolbox.finish_non_exhaustive()
    }
}
