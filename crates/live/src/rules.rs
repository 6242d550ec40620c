//! How decisions are made.

use std::borrow::Cow;
use std::sync::Arc;

use foveal_context::placement::base_files::BaseFolder;
use foveal_context::planner::Planner;
use foveal_context::retention::strategy::Strategy;
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_context::views::Views;
use foveal_context::weight::{Weigh, Weight};
use foveal_transcript::ContentHash;
use foveal_wire::Protocol;

use crate::chain;
use crate::models::Model;
use crate::prices::OwnPrices;
use crate::redacted::Redactor;
use crate::way::Way;

/// The engine's profiles that can be used live.
pub const PROFILES: [&str; 4] = ["lossless", "balanced", "curated", "max"];

/// What a request that nothing is to be done for says in its wish, and the profile by which nothing
/// is left out.
pub const OFF: &str = "off";

/// About how much memory conversations may take, in bytes: half a dozen of 200,000 tokens; half of
/// that where they are many. The ones used longest ago are let go, and made again of what is
/// recorded when they go on.
const BYTES_MAX: usize = 40 << 20;

/// Who marks prompts of Messages for the cache beside what their clients mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CacheMarks {
    /// foveal, where that pays: see [`Caching::decide`](crate::caching::Caching::decide); and one
    /// more at the end of the latest answer, where the results behind it may soon be reduced.
    #[default]
    Auto,
    /// Nobody.
    Off,
}

/// How decisions are made.
#[derive(Clone)]
pub struct Rules {
    /// The profile's name.
    pub profile: String,
    /// Its settings.
    pub settings: Settings,
    /// The strategy of a design document that decides in place of the engine's rules.
    pub strategy: Option<Strategy>,
    /// Whose files a reset of contents may move to the system prompt. Only for who sends requests
    /// itself: to others' system prompts nothing is done.
    pub folder: Option<Arc<dyn BaseFolder>>,
    /// What tokens are counted with.
    pub tokenizer: Tokenizer,
    /// Who is asked for views of reads.
    pub views: Option<Arc<dyn Views>>,
    /// Who finds out how much of a prompt messages take. Counting tokens takes longest of all.
    pub weigh: Weigh,
    /// What the user says of prices.
    pub prices: Arc<OwnPrices>,
    /// About how much memory conversations may take, in bytes.
    pub bytes_max: usize,
    /// How notes say what gives back what they stand for.
    pub way: Way,
    /// Whether marks are set for the provider's cache beside the client's.
    pub marks: CacheMarks,
    /// Whether all that is new goes as it is, with marks all the same. What was decided by other
    /// rules has nothing to do with it.
    pub lets_pass: bool,
    /// How secrets are removed from messages before they are kept, where whoever asks sends what was
    /// kept after a restart: decisions are kept for the messages as they are then.
    pub redactor: Option<Redactor>,
}

impl Rules {
    /// The engine's profile of this name, or the strategy of a design document; `None` if there is
    /// none that can be used live.
    pub fn named(profile: &str) -> Option<Self> {
        let strategy = Strategy::named(profile);
        Some(Self {
            profile: profile.to_owned(),
            settings: match strategy {
                Some(_) => Settings::lossless(),
                None => settings(profile)?,
            },
            strategy,
            folder: None,
            tokenizer: Tokenizer::O200k,
            views: None,
            weigh: Weight::of_each,
            prices: Arc::default(),
            bytes_max: BYTES_MAX,
            way: Way::default(),
            marks: CacheMarks::default(),
            lets_pass: false,
            redactor: None,
        })
    }

    /// Rules by which nothing is left out.
    pub fn off() -> Option<Self> {
        let (profile, lets_pass) = (OFF.to_owned(), true);
        Some(Self { profile, lets_pass, ..Self::named("lossless")? })
    }

    /// The same with another profile; `None` if there is none of this name.
    pub(crate) fn with_profile(&self, profile: &str) -> Option<Self> {
        let Settings { pointers, tools_without_pointers, .. } = self.settings.clone();
        let settings = Settings { pointers, tools_without_pointers, ..settings(profile)? };
        Some(Self { profile: profile.to_owned(), settings, strategy: None, ..self.clone() })
    }

    /// The end of no message under these rules.
    pub(crate) fn root(&self, protocol: Protocol) -> ContentHash {
        chain::root(protocol, &self.decided_by())
    }

    /// What tells decisions by these rules from those by others: the profile, and the limits of a
    /// strategy where they are not the document's.
    pub fn decided_by(&self) -> Cow<'_, str> {
        match self.strategy {
            Some(other) if Strategy::named(&self.profile) != Some(other) => {
                Cow::Owned(format!("{} {other:?}", self.profile))
            }
            Some(_) | None => Cow::Borrowed(&self.profile),
        }
    }

    pub(crate) fn planner(&self, model: &Model) -> Planner {
        let planner = Planner::new(self.settings.clone(), model.prices.clone())
            .with_constraints(model.constraints);
        let planner = match self.strategy {
            Some(strategy) => planner.by_strategy(strategy),
            None => planner,
        };
        let planner = match &self.folder {
            Some(folder) => planner.with_folder(Arc::clone(folder)),
            None => planner,
        };
        match &self.views {
            Some(views) => planner.with_views(Arc::clone(views)),
            None => planner,
        }
    }
}

/// What a profile may do with the requests of live clients.
fn settings(profile: &str) -> Option<Settings> {
    let mut settings = match profile {
        "lossless" => Settings::lossless(),
        "balanced" => Settings::balanced(),
        "curated" => Settings::curated(),
        "max" => Settings::max(),
        _ => return None,
    };
    // What the model wrote into calls stays as it wrote it: its bytes are the client's.
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.edits = None;
    }
    Some(settings)
}
