//! The profiles, by name: one plain table.

use crate::planner::Planner;
use crate::prices::PriceCard;
use crate::projector::Projector;
use crate::retention::{
    Policy, Recomputed, cap, clear_tool_uses, content_reset, first_last_sampled, keep_last,
    latest_read, prune, read_once,
};
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
    /// A projector for one conversation. What reads are told by is chosen by whom
    /// [`Projector::with_views`] gives it to ask.
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

/// The prompts as they were recorded, to compare others with; no profile to choose.
pub static RAW: Profile = Profile {
    name: "raw",
    about: "the prompts as they were recorded",
    origin: Origin::Baseline,
    start: |_| recomputed(|_| Vec::new()),
};

/// All profiles, own ones first, then those of the design documents, then other tools'.
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
    Profile {
        name: "curated",
        about: "as balanced, and of long files only what matters when they are first read",
        origin: Origin::Own,
        start: |prices| engine(Settings::curated(), prices),
    },
    Profile {
        name: "read-once",
        about: "re-reads of a file that was not written since become a note",
        origin: Origin::Baseline,
        start: |_| recomputed(read_once::decide),
    },
    Profile {
        name: "first-last-sampled",
        about: "by a table: of a file's reads the first, the last and samples",
        origin: Origin::Baseline,
        start: |_| recomputed(first_last_sampled::table),
    },
    Profile {
        name: "first-last-sampled-max5",
        about: "by a limit: at most five full reads of a file",
        origin: Origin::Baseline,
        start: |_| recomputed(first_last_sampled::code),
    },
    Profile {
        name: "content-reset",
        about: "contents of read files leave at 100,000 tokens, down to 50,000",
        origin: Origin::Baseline,
        start: |_| recomputed(content_reset::decide),
    },
    Profile {
        name: "keep-last-30",
        about: "all but the last 30 results dropped",
        origin: Origin::Baseline,
        start: |_| recomputed(|view| keep_last::drop_older(view, 30)),
    },
    Profile {
        name: "mask-10",
        about: "all but the last 10 results masked, as SWE-agent does",
        origin: Origin::Baseline,
        start: |_| recomputed(|view| keep_last::mask_older(view, 10)),
    },
    Profile {
        name: "clear-100k",
        about: "Anthropic's clear_tool_uses: all but 3 results cleared at 100,000 tokens",
        origin: Origin::Baseline,
        start: |_| recomputed(clear_tool_uses::decide),
    },
    Profile {
        name: "opencode-prune",
        about: "opencode's prune: old output beyond 40,000 tokens cleared between turns",
        origin: Origin::Baseline,
        start: |_| recomputed(prune::decide),
    },
    Profile {
        name: "cline-latest-read",
        about: "Cline's extension: only the latest read of a file stays at 160,000 tokens",
        origin: Origin::Baseline,
        start: |_| recomputed(latest_read::extension),
    },
    Profile {
        name: "cline-sdk-latest-read",
        about: "Cline's SDK: superseded reads leave in batches of 64 KiB",
        origin: Origin::Baseline,
        start: |_| recomputed(latest_read::sdk),
    },
    Profile {
        name: "cap-4k",
        about: "runs, searches and lists cut to 4,000 characters on arrival",
        origin: Origin::Baseline,
        start: |_| recomputed(cap::decide),
    },
];

fn engine(settings: Settings, prices: &PriceCard) -> Projector {
    Projector::Engine(Box::new(Planner::new(settings, prices.clone())))
}

fn recomputed(policy: Policy) -> Projector {
    Projector::Recomputed(Recomputed::new(policy))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_profile_is_found_by_its_own_name() {
        let names: HashSet<_> = PROFILES.iter().map(|profile| profile.name).collect();
        assert_eq!(names.len(), PROFILES.len());
        for profile in PROFILES {
            assert!(Profile::named(profile.name).is_some_and(|found| found.about == profile.about));
        }
        assert!(Profile::named(DEFAULT).is_some_and(|profile| profile.origin == Origin::Own));
        assert!(Profile::named("no such profile").is_none());
    }
}
