//! What all sessions of a process share.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use foveal_calls::{Similarity, Statistics};
use foveal_code::views::CuratedViews;
use foveal_context::views::Views;
use foveal_files::{Roots, Writer};
use foveal_processes::{Environment, Sandbox, Shell};
use foveal_store::{CallChanges, Collected, Limits, RootsKey, SessionId, Store, StoreError};
use foveal_web::{Fetcher, Guard, ProxyChoice};
use globset::Glob;

use crate::clock::{Clock, SystemClock};
use crate::code_index::{self, CodeIndex};
use crate::cut_off::CutOff;
use crate::explain::Explain;
use crate::permission::{Access, Grants, Policy};
use crate::person::Person;
use crate::session::Calls;
use crate::settings::{COLLECT_EVERY_MS, KEPT, LineLimits, ToolSettings};
use crate::unkept::Unkept;
use crate::views::Curations;

/// What the built-in curator is called where its choices are kept.
const CURATOR_VERSION: &str = concat!("built-in 2, ", env!("CARGO_PKG_VERSION"));

/// What all sessions of a process share.
pub struct Toolbox {
    /// The folders that may be touched.
    pub roots: Roots,
    /// Where sessions and content are kept.
    pub store: Arc<dyn Store>,
    /// The recent calls of all sessions.
    pub calls: Mutex<Calls>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// What may be done.
    pub settings: ToolSettings,
    /// Who may do it.
    pub policy: Policy,
    /// The file in which the user writes rules, for messages.
    pub rules_file: Option<PathBuf>,
    /// Files outside of this folder need an approval, though they are in a root; a canonical
    /// path.
    pub meant_folder: Option<PathBuf>,
    /// Whether what is left out of an answer can be had later. If not, nothing is left out of
    /// answers that their room holds.
    pub keeps_content: bool,
    /// Writes files.
    pub writer: Writer,
    /// Who is told what a model might keep to itself.
    pub person: Person,
    pub(crate) cut_off: CutOff,
    /// Who is told that the store cannot be written.
    pub unkept: Arc<Unkept>,
    /// What the person granted for all sessions.
    granted: Mutex<Grants>,
    /// Chooses what files show.
    pub(crate) curations: Arc<Curations>,
    /// The indexes of the roots.
    pub index: CodeIndex,
    /// Fetches pages.
    pub(crate) fetcher: Fetcher,
    /// The variables of commands.
    pub environment: Environment,
    /// Who runs commands.
    pub shell: Shell,
    /// Where commands may write; `None`: everywhere.
    pub sandbox: Option<Sandbox>,
    /// Who watches over what commands start; `None`: nobody.
    pub command_guard: Option<foveal_processes::Guard>,
    /// Where the client works, if it is known: what is noted of its prompts there counts as well
    /// as what is noted in the roots. A canonical path.
    pub client_folder: Option<PathBuf>,
    /// How much of all sessions the store keeps, and how long.
    pub kept: Limits,
    /// Who is told what is decided, and why.
    pub(crate) explain: Explain,
    /// When it was last looked whether the store holds too much.
    looked: AtomicI64,
    /// Whether commands are limited though no rule limits them.
    asks_unnamed: AtomicBool,
}

/// How many settings `git` is given by variables.
const GIT_SETTINGS: &str = "GIT_CONFIG_COUNT";

/// What a toolbox needs of the machine.
#[derive(Debug, Clone)]
pub struct Host {
    /// The variables of commands.
    pub environment: Environment,
    /// Who runs commands.
    pub shell: Shell,
    /// Where commands may write, the roots included; `None`: everywhere.
    pub sandbox: Option<Sandbox>,
    /// Who watches over what commands start; `None`: nobody.
    pub guard: Option<foveal_processes::Guard>,
}

impl Toolbox {
    /// Tells what is decided, and why. For indexes that are added later it holds too.
    pub fn explain_to(&mut self, explain: Explain) {
        self.index.explain_to(explain.clone());
        self.explain = explain;
    }

    /// Who chooses what is shown of files.
    pub fn curator(&self) -> Arc<dyn Views> {
        Arc::clone(&self.curations) as Arc<dyn Views>
    }

    /// Has `curator` choose what is shown of files, which asks a model and is called `version`: what
    /// another one chose does not count.
    pub fn curate_by_model(&mut self, curator: Arc<dyn Views>, version: String) {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        self.curations = Arc::new(Curations::new(curator, version, store, clock).by_model());
    }

    /// Tools for `roots` that keep what they keep in `store`; the index of the first root is
    /// opened by `open` when it is first needed. Those of others are [added](CodeIndex::add).
    pub fn new(
        roots: Roots,
        store: Arc<dyn Store>,
        open: code_index::Open,
        host: Host,
        settings: ToolSettings,
    ) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let curator = Arc::new(CuratedViews::default());
        let version = CURATOR_VERSION.to_owned();
        let curations = Curations::new(curator, version, store.clone(), clock.clone());
        let curations = Arc::new(curations);
        let granted = store.grants(key_of(&roots)).unwrap_or_default();
        let granted: Grants = granted.into_iter().collect();
        let guard = Guard::new(&settings.private_hosts);
        Self {
            roots,
            store,
            calls: Mutex::new(Calls::new(settings.calls.clone())),
            clock,
            settings,
            policy: Policy::default(),
            rules_file: None,
            meant_folder: None,
            keeps_content: true,
            writer: Writer::default(),
            person: Person::default(),
            cut_off: CutOff::default(),
            unkept: Arc::default(),
            granted: Mutex::new(granted),
            curations,
            index: CodeIndex::new(open),
            fetcher: Fetcher::new(guard, foveal_web::Limits::default()),
            environment: host.environment,
            shell: host.shell,
            sandbox: host.sandbox,
            command_guard: host.guard,
            client_folder: None,
            kept: KEPT,
            explain: Explain::default(),
            looked: AtomicI64::new(i64::MIN),
            asks_unnamed: AtomicBool::new(false),
        }
    }

    /// Has pages of the web fetched through the proxies that `proxies` chooses, and converted by a
    /// process of `converter`, given as name and arguments, that runs `foveal_web::convert_page`: it
    /// is ended with the call.
    pub fn fetch_pages(&mut self, proxies: ProxyChoice, converter: Option<Vec<OsString>>) {
        let guard = Guard::new(&self.settings.private_hosts);
        let fetcher = Fetcher::new(guard, foveal_web::Limits::default()).through(proxies);
        self.fetcher = match converter {
            Some(program) => fetcher.converting_by(program),
            None => fetcher,
        };
    }

    /// The variables of the next command. Where rules limit commands, `git` takes no folder for a
    /// repository of its own that merely looks like one, whose settings may run anything.
    pub(crate) fn command_environment(&self) -> Environment {
        let environment = self.environment.clone();
        if !self.policy.limits_commands() && !self.asks_unnamed.load(Ordering::Relaxed) {
            return environment;
        }
        let count = environment.get(GIT_SETTINGS).and_then(|count| count.to_str()?.parse().ok());
        let at: u32 = count.unwrap_or_default();
        environment
            .with(GIT_SETTINGS, at.saturating_add(1).to_string())
            .with(format!("GIT_CONFIG_KEY_{at}"), "safe.bareRepository")
            .with(format!("GIT_CONFIG_VALUE_{at}"), "explicit")
    }

    /// Treats commands as limited: a person is asked about all that no rule names and that does more
    /// than read.
    pub fn limit_commands(&self) {
        self.asks_unnamed.store(true, Ordering::Relaxed);
    }

    /// Lines up to which the file at `path` is read in full.
    pub(crate) fn small_lines(&self, path: &str) -> u32 {
        self.line_limits(path).small
    }

    /// The limits that hold for the file at `path`.
    pub(crate) fn line_limits(&self, path: &str) -> LineLimits {
        let settings = &self.settings;
        let named = settings.line_limits_by_glob.iter().find(|(glob, _)| {
            Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(path))
        });
        let usual = LineLimits { small: settings.read_small_lines, large: None };
        named.map_or(usual, |(_, limits)| *limits)
    }

    /// Sets what makes two calls of a tool the same, in place of what
    /// [the table](foveal_effects::TOOL_KINDS) says. An answer is used again only where it can
    /// be told that what it rests on is unchanged: of commands it never can.
    ///
    /// A rule of one's own sees texts of more than 256 bytes as their hash.
    pub fn register_rule(&self, tool: &str, rule: impl Into<Similarity>) {
        self.calls().register(tool, rule);
    }

    /// Removes from the store what is more than it keeps, or older, if that was not done for
    /// [`COLLECT_EVERY_MS`].
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn collect(&self) -> Result<Option<Collected>, StoreError> {
        self.store.collect_if_due(self.kept, COLLECT_EVERY_MS, self.clock.now())
    }

    /// The same beside the work, looked after now and then: a server that runs for weeks keeps
    /// no more than one that is started each day.
    pub(crate) fn collect_at_times(self: &Arc<Self>) {
        let now = self.clock.now().0;
        let last = self.looked.load(Ordering::Relaxed);
        let is_early = (0..COLLECT_EVERY_MS / 2).contains(&now.saturating_sub(last));
        let looks =
            || self.looked.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed);
        if is_early || looks().is_err() {
            return;
        }
        let toolbox = Arc::clone(self);
        // What cannot be removed now is removed the next time.
        let collect = move || drop(toolbox.collect());
        drop(thread::Builder::new().name("store".to_owned()).spawn(collect));
    }

    /// Takes back what a writer that was killed left half done in the roots, which is told then.
    pub fn mend_cut_off(&self) {
        if let Some(journal) = self.writer.journal() {
            for found in journal.recover(&self.roots) {
                self.person.tell(&self.cut_off.found(found));
            }
        }
    }

    /// How often calls were answered from earlier ones, in all sessions.
    pub fn call_statistics(&self) -> Statistics {
        self.calls().statistics()
    }

    /// Forgets the calls of all sessions.
    pub fn clear_calls(&self) {
        let mut calls = self.calls();
        let sessions: Vec<String> = calls.sessions().map(str::to_owned).collect();
        calls.clear_all();
        drop(calls);
        for session in sessions {
            // What is still there after a restart is too old soon.
            let (session, now) = (SessionId(session), self.clock.now());
            drop(self.store.change_calls(&session, &CallChanges::default(), now));
        }
    }

    pub(crate) fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().expect("no holder of this lock panics")
    }

    /// Remembers a grant for all sessions in these roots, from now on.
    pub(crate) fn grant(&self, access: &Access<'_>) {
        let grant = access.grant();
        // What cannot be kept holds as long as the process runs.
        drop(self.store.put_grant(key_of(&self.roots), &grant, self.clock.now()));
        self.grants().add(grant);
    }

    pub(crate) fn is_granted(&self, access: &Access<'_>) -> bool {
        self.grants().hold(access)
    }

    fn grants(&self) -> MutexGuard<'_, Grants> {
        self.granted.lock().expect("no holder of this lock panics")
    }
}

fn key_of(roots: &Roots) -> RootsKey {
    RootsKey::of(roots.all().map(|root| root.path()))
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { roots, settings, policy, .. } = self;
        let mut toolbox = f.debug_struct("Toolbox");
        toolbox.field("roots", roots).field("settings", settings).field("policy", policy);
        toolbox.finish_non_exhaustive()
    }
}
