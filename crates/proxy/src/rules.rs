//! The rules by which requests are shaped.

use std::borrow::Cow;
use std::sync::Arc;

use foveal_engine::entry_size::{EntryMeasurer, EntrySize};
use foveal_engine::placement::base_files::BaseFileLoader;
use foveal_engine::planner::Planner;
use foveal_engine::policies::Policy;
use foveal_engine::settings::Settings;
use foveal_engine::views::ViewSource;
use foveal_pricing::tokens::Tokenizer;
use foveal_protocols::Protocol;
use foveal_transcript::ContentHash;

use crate::fingerprint_chain;
use crate::handle_style::HandleStyle;
use crate::models::ModelTraits;
use crate::price_overrides::PriceOverrides;
use crate::redactor::Redactor;

/// The engine's profiles for live conversations.
pub const PROFILES: [&str; 4] = ["lossless", "balanced", "curated", "max"];

/// The name by which a client switches foveal off for a request, and of the profile that reduces
/// nothing.
pub const OFF: &str = "off";

/// The approximate memory limit for conversations, in bytes: half a dozen of 200,000 tokens, or
/// half of that if there are many. Conversations that were not used for the longest time are
/// evicted, and rebuilt from the records when they continue.
const CONVERSATION_BYTES_MAX: usize = 40 << 20;

/// Whether foveal sets cache breakpoints in requests of the Messages API beside the client's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BreakpointMode {
    /// When that pays: see
    /// [`BreakpointState::decide`](crate::breakpoint_policy::BreakpointState::decide). One more is
    /// set behind the latest answer if the results after it may soon be reduced.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// The rules by which requests are shaped.
#[derive(Clone)]
pub struct ShapingRules {
    /// The profile's name.
    pub profile: String,
    /// The settings of the profile.
    pub settings: Settings,
    /// The policy of a design document, which replaces the engine's rules.
    pub policy: Option<Policy>,
    /// The folder whose files a content reset may move to the system prompt. Only for clients of
    /// this very program: the system prompts of others stay unchanged.
    pub base_folder: Option<Arc<dyn BaseFileLoader>>,
    /// The tokenizer.
    pub tokenizer: Tokenizer,
    /// The source of curated views of reads.
    pub views: Option<Arc<dyn ViewSource>>,
    /// The function that counts the tokens of entries, which takes the most time of all.
    pub token_counter: EntryMeasurer,
    /// The user's own prices.
    pub prices: Arc<PriceOverrides>,
    /// The approximate memory limit for conversations, in bytes.
    pub bytes_max: usize,
    /// The way that notes offer to the omitted content.
    pub handle_style: HandleStyle,
    /// Whether foveal sets cache breakpoints beside the client's own.
    pub breakpoint_mode: BreakpointMode,
    /// Whether nothing is reduced; breakpoints are set nevertheless. Decisions under other rules do
    /// not apply.
    pub is_passthrough: bool,
    /// Identifies the user's settings with which a session began; `None` for the defaults.
    pub settings_key: Option<String>,
    /// Removes secrets from messages before they are stored, for a client that sends the stored
    /// messages after a restart. Decisions are recorded for the redacted messages then.
    pub redactor: Option<Redactor>,
}

impl ShapingRules {
    /// Returns the rules of a profile, or of the policy of a design document; `None` if there is
    /// none of this name for live conversations.
    pub fn from_profile(profile: &str) -> Option<Self> {
        let policy = Policy::find(profile);
        Some(Self {
            profile: profile.to_owned(),
            settings: match policy {
                Some(_) => Settings::lossless(),
                None => live_settings(profile)?,
            },
            policy,
            base_folder: None,
            tokenizer: Tokenizer::O200k,
            views: None,
            token_counter: EntrySize::measure_all,
            prices: Arc::default(),
            bytes_max: CONVERSATION_BYTES_MAX,
            handle_style: HandleStyle::default(),
            breakpoint_mode: BreakpointMode::default(),
            is_passthrough: false,
            settings_key: None,
            redactor: None,
        })
    }

    /// Returns rules under which nothing is reduced.
    pub fn passthrough() -> Option<Self> {
        let (profile, lets_pass) = (OFF.to_owned(), true);
        Some(Self { profile, is_passthrough: lets_pass, ..Self::from_profile("lossless")? })
    }

    /// Returns these rules with another profile; `None` if there is none of this name.
    pub(crate) fn with_profile(&self, profile: &str) -> Option<Self> {
        let Settings { pointers, tools_without_pointers, .. } = self.settings.clone();
        let settings = Settings { pointers, tools_without_pointers, ..live_settings(profile)? };
        Some(Self { profile: profile.to_owned(), settings, policy: None, ..self.clone() })
    }

    /// Returns the fingerprint of the empty prefix under these rules.
    pub(crate) fn root_fingerprint(&self, protocol: Protocol) -> ContentHash {
        fingerprint_chain::root_fingerprint(protocol, &self.rules_key())
    }

    /// Returns the key that separates decisions under these rules from others: the profile, the
    /// limits of a policy if they differ from the document's, and the key of the user's settings.
    pub fn rules_key(&self) -> Cow<'_, str> {
        let key = self.profile_key();
        match &self.settings_key {
            Some(settings) => Cow::Owned(format!("{key} {settings}")),
            None => key,
        }
    }

    fn profile_key(&self) -> Cow<'_, str> {
        match self.policy {
            Some(other) if Policy::find(&self.profile) != Some(other) => {
                Cow::Owned(format!("{} {other:?}", self.profile))
            }
            Some(_) | None => Cow::Borrowed(&self.profile),
        }
    }

    pub(crate) fn build_planner(&self, model: &ModelTraits) -> Planner {
        let planner = Planner::new(self.settings.clone(), model.prices.clone())
            .with_constraints(model.constraints);
        let planner = match self.policy {
            Some(policy) => planner.with_policy(policy),
            None => planner,
        };
        let planner = match &self.base_folder {
            Some(folder) => planner.with_base_file_loader(Arc::clone(folder)),
            None => planner,
        };
        match &self.views {
            Some(views) => planner.with_view_source(Arc::clone(views)),
            None => planner,
        }
    }
}

/// Returns the settings of a profile, restricted to changes that are possible for live clients.
fn live_settings(profile: &str) -> Option<Settings> {
    Some(match profile {
        "lossless" => Settings::lossless(),
        "balanced" => Settings::balanced(),
        "curated" => Settings::curated(),
        "max" => Settings::max(),
        _ => return None,
    })
}
