//! The profiles, by name: one plain table.

use crate::planner::Planner;
use crate::prices::PriceCard;
use crate::projector::Projector;
use crate::settings::Settings;

/// Where a profile comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Origin {
    /// foveal's own.
    Own,
    /// Another tool's rule or a design document's, for comparison.
    Baseline,
}

/// A way to decide what the model sees.
#[derive(Clone, Copy)]
pub struct Profile {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    start: fn(&PriceCard) -> Projector,
}

impl Profile {
    /// A projector for one conversation.
    pub fn start(&self, prices: &PriceCard) -> Projector {
        (self.start)(prices)
    }

    /// The profile called `name`.
    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name == name)
    }
}

impl std::fmt::Debug for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Profile({})", self.name)
    }
}

/// The profile used where none is named.
pub const DEFAULT: &str = "balanced";

/// All profiles, own ones first.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "lossless",
        about: "everything visible stays visible somewhere in the prompt",
        origin: Origin::Own,
        start: |prices| engine(Settings::lossless(), prices),
    },
    Profile {
        name: "balanced",
        about: "long output excerpted, what is no longer needed reduced in rare batches",
        origin: Origin::Own,
        start: |prices| engine(Settings::balanced(), prices),
    },
    Profile {
        name: "max",
        about: "as balanced, sooner and further",
        origin: Origin::Own,
        start: |prices| engine(Settings::max(), prices),
    },
];

fn engine(settings: Settings, prices: &PriceCard) -> Projector {
    Projector::Engine(Box::new(Planner::new(settings, prices.clone())))
}
