//! Profiles for comparison: the rules of other tools and of the design documents.
//!
//! Each file holds one rule: a function from the present prompt to the shapes of its results.
//! [`BaselineProjector`] makes a projector of a rule and declares every change as a rewrite, so that
//! the effect of moving windows on the provider's cache is counted.

pub mod clear_tool_uses;
pub mod last_results;
pub mod latest_read;
pub mod opencode_prune;
pub mod output_cap;
pub mod read_once;
pub mod read_tracker;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::{Decision, MessageShape};
use foveal_engine::plan_step::{EntryState, PlanStep, RewriteReason};
use foveal_engine::policies::content_reset::{self, ResetMarks};
use foveal_engine::policies::first_last_sampled::{self, SamplingForm, SamplingSettings};
use foveal_engine::policies::policy_view::{PolicyView, decide_by_size};
use foveal_engine::profile::{PROFILES, Profile, ProfileOrigin};
use foveal_engine::projector::{Projector, RequestPlanner};
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{ClientPrompt, ClientPromptChange, EntryIndex, Timestamp};

/// A rule returns the results that are not sent as recorded, with their shapes. A shape that is
/// larger than the original is ignored.
pub type BaselineRule = fn(&PolicyView<'_>) -> Vec<(EntryIndex, MessageShape)>;

/// The recorded prompts, for comparison; no profile that a user can choose.
pub static RAW: Profile = Profile {
    name: "raw",
    about: "the prompts as they were recorded",
    origin: ProfileOrigin::Baseline,
    create_projector: |_| baseline_projector(|_| Vec::new()),
};

/// The profiles of the design documents, then those of other tools.
pub static BASELINES: &[Profile] = &[
    Profile {
        name: "read-once",
        about: "a repeated read of an unchanged file becomes a note",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| baseline_projector(read_once::decide),
    },
    Profile {
        name: "first-last-sampled",
        about: "the first and last read of a file, and samples chosen by a table",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| {
            baseline_projector(|view| {
                first_last_sampled::decide(view, &SamplingSettings::new(SamplingForm::Table))
            })
        },
    },
    Profile {
        name: "first-last-sampled-max5",
        about: "first and last read and samples, at most five full reads of a file",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| {
            baseline_projector(|view| {
                first_last_sampled::decide(view, &SamplingSettings::new(SamplingForm::Code))
            })
        },
    },
    Profile {
        name: "content-reset",
        about: "at 100,000 tokens, contents of read files dropped down to 50,000",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| {
            baseline_projector(|view| {
                content_reset::decide_between_marks(view, ResetMarks::default())
            })
        },
    },
    Profile {
        name: "keep-last-30",
        about: "all but the last 30 results dropped",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| baseline_projector(|view| last_results::drop_old_results(view, 30)),
    },
    Profile {
        name: "mask-10",
        about: "all but the last 10 results masked, as SWE-agent does",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| baseline_projector(|view| last_results::mask_old_results(view, 10)),
    },
    Profile {
        name: "clear-100k",
        about: "Anthropic's clear_tool_uses: all but 3 results cleared at 100,000 tokens",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| baseline_projector(clear_tool_uses::decide),
    },
    Profile {
        name: "opencode-prune",
        about: "opencode's prune: old output beyond 40,000 tokens cleared between turns",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| baseline_projector(opencode_prune::decide),
    },
    Profile {
        name: "cline-latest-read",
        about: "Cline's extension: at 160,000 tokens, only the latest read of a file kept",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| baseline_projector(latest_read::decide_like_extension),
    },
    Profile {
        name: "cline-sdk-latest-read",
        about: "Cline's SDK: superseded reads dropped in batches of 64 KiB",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| baseline_projector(latest_read::decide_like_sdk),
    },
    Profile {
        name: "cap-4k",
        about: "output of commands, searches and lists cut to 4,000 characters on arrival",
        origin: ProfileOrigin::Baseline,
        create_projector: |_| baseline_projector(output_cap::decide),
    },
];

/// Returns foveal's own profiles, then the baselines.
pub fn all_profiles() -> impl Iterator<Item = &'static Profile> {
    PROFILES.iter().chain(BASELINES)
}

/// Returns the profile called `name`, foveal's own or a baseline.
pub fn find_profile(name: &str) -> Option<&'static Profile> {
    all_profiles().find(|profile| profile.name == name)
}

fn baseline_projector(rule: BaselineRule) -> Projector {
    Projector::Comparison(Box::new(BaselineProjector::new(rule)))
}

/// Applies a [`BaselineRule`] at every request.
#[derive(Debug, Clone)]
pub struct BaselineProjector {
    rule: BaselineRule,
    window: ClientPrompt,
    entry_states: Vec<EntryState>,
    sent_len: usize,
}

impl BaselineProjector {
    /// Creates a projector at the start of a conversation.
    pub fn new(rule: BaselineRule) -> Self {
        Self { rule, window: ClientPrompt::default(), entry_states: Vec::new(), sent_len: 0 }
    }
}

impl RequestPlanner for BaselineProjector {
    fn advance(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> PlanStep {
        let mut kept = self.sent_len;
        while self.entry_states.len() < answer.as_usize() {
            let index = EntryIndex(self.entry_states.len() as u32);
            self.entry_states
                .push(EntryState { tokens: record.facts(index).tokens, ..EntryState::default() });
            if let ClientPromptChange::Cut { from } = self.window.push(record.conversation()) {
                kept = kept.min(from);
            }
        }
        let window = self.window.entries().to_vec();
        let view = PolicyView {
            record,
            window: &window,
            entry_states: self.entry_states.as_slice(),
            prelude: Tokens(0),
        };
        let mut shapes = (self.rule)(&view);
        shapes.sort_by_key(|(index, _)| *index);
        let mut changed = Vec::new();
        let mut rewritten = false;
        for (at, index) in window.iter().enumerate() {
            let place = shapes.binary_search_by_key(index, |(shaped, _)| *shaped).ok();
            let (decision, tokens) = match place {
                Some(place)
                    if Some(&shapes[place].1)
                        == self.entry_states[index.as_usize()].decision.shape() =>
                {
                    continue;
                }
                Some(place) => decide_by_size(record, *index, &shapes[place].1),
                None => (Decision::Keep, record.facts(*index).tokens),
            };
            let item = &mut self.entry_states[index.as_usize()];
            if item.decision != decision {
                rewritten |= at < self.sent_len;
                kept = kept.min(at);
                changed.push((*index, decision.clone()));
                item.decision = decision;
                item.tokens = tokens;
            }
        }
        self.sent_len = window.len();
        PlanStep {
            changed,
            rewrite: rewritten.then_some(RewriteReason::Recomputed),
            ..PlanStep::unchanged(answer, now, kept)
        }
    }

    fn window(&self) -> &[EntryIndex] {
        self.window.entries()
    }

    fn entry_state(&self, index: EntryIndex) -> &EntryState {
        &self.entry_states[index.as_usize()]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_of_profiles_are_unique() {
        let names: HashSet<_> = all_profiles().map(|profile| profile.name).collect();
        assert_eq!(names.len(), PROFILES.len() + BASELINES.len());
    }
}
