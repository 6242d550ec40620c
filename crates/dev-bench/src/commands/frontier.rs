//! `frontier`: prints cost against evidence of every profile, of the oracles, and of settings under
//! study.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use foveal_engine::planner::Planner;
use foveal_engine::profile::DEFAULT_PROFILE;
use foveal_engine::projector::Projector;
use foveal_engine::settings::Settings;
use foveal_engine::views::ViewSource;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_relevance::curation::Curator;
use foveal_replay::PreparedConversation;
use foveal_replay::baselines::all_profiles;
use foveal_replay::oracle::{Hindsight, Oracle};
use rayon::prelude::*;

use crate::recorded_sessions::{RecordedConversation, load_conversations};
use crate::replay_frontier::baseline_views::BaselineViews;
use crate::replay_frontier::cost_row::{cost_heading, cost_row};
use crate::replay_frontier::settings;

/// The command line of `frontier`.
#[derive(Debug, clap::Args)]
pub(crate) struct FrontierArguments {
    /// A folder with one folder of recorded sessions per source.
    folder: PathBuf,
    /// Use only every other source: what is chosen on one half can be confirmed on the other.
    #[arg(long, value_name = "HALF")]
    half: Option<SourceHalf>,
    /// A built-in price card.
    #[arg(long, value_name = "NAME", default_value = "anthropic-5m")]
    card: String,
    /// Rank the lines of reads by these trees, as `fit-curator` writes them.
    #[arg(long, value_name = "FILE", conflicts_with = "curator")]
    trees: Option<PathBuf>,
    /// Choose the lines of reads by one of the curators that `reads` compares.
    #[arg(long, value_name = "NAME")]
    curator: Option<String>,
    /// Settings to change in the profile named by `base=`. Only that profile, the changed one and
    /// the oracles are then printed.
    #[arg(value_name = "KEY=VALUE", value_parser = parse_change)]
    changes: Vec<(String, String)>,
}

fn parse_change(text: &str) -> anyhow::Result<(String, String)> {
    let (key, value) = text.split_once('=').context("expected KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Replays the sessions and prints a row for each profile.
///
/// # Errors
/// If an argument or a file cannot be used.
pub(super) fn run(arguments: &FrontierArguments) -> anyhow::Result<()> {
    let variant = arguments.settings_variant()?;
    let mut conversations = load_conversations(std::slice::from_ref(&arguments.folder))?;
    if let Some(half) = arguments.half {
        conversations = half.filter_sources(conversations);
    }
    let prices = PriceCard::find(&arguments.card)
        .with_context(|| format!("unknown price card `{}`", arguments.card))?;
    let prepared: Vec<_> = conversations
        .into_par_iter()
        .map(|recorded| PreparedConversation::new(recorded.conversation, Tokenizer::O200k))
        .collect();
    let views = arguments.views()?;
    print!("{}", cost_heading(prepared.len()));
    for profile in all_profiles() {
        if variant.as_ref().is_none_or(|variant| variant.base == profile.name) {
            let start = |_: &PreparedConversation| {
                profile.new_projector(&prices).with_view_source(Arc::clone(&views))
            };
            print!("{}", cost_row(profile.name, &prepared, &prices, start));
        }
    }
    if let Some(variant) = variant {
        let start = |_: &PreparedConversation| {
            let planner = Planner::new(variant.settings.clone(), prices.clone());
            Projector::Engine(Box::new(planner.with_view_source(Arc::clone(&views))))
        };
        print!("{}", cost_row(&variant.name, &prepared, &prices, start));
    }
    for oracle in Oracle::ALL {
        let start = |prepared: &PreparedConversation| {
            Hindsight::from_prepared(prepared).projector(oracle, &prices)
        };
        print!("{}", cost_row(oracle.name(), &prepared, &prices, start));
    }
    Ok(())
}

/// Settings under study.
struct SettingsVariant {
    name: String,
    base: String,
    settings: Settings,
}

impl FrontierArguments {
    fn views(&self) -> anyhow::Result<Arc<dyn ViewSource>> {
        if let Some(name) = &self.curator {
            return Ok(Arc::new(BaselineViews::from_name(name)?));
        }
        let Some(path) = &self.trees else { return Ok(Arc::new(CuratedViewSource::default())) };
        let name = path.display();
        let trees = std::fs::read_to_string(path).with_context(|| name.to_string())?;
        let curator =
            Curator::with_forest(&trees).with_context(|| format!("{name}: not valid trees"))?;
        Ok(Arc::new(CuratedViewSource::from(curator)))
    }

    fn settings_variant(&self) -> anyhow::Result<Option<SettingsVariant>> {
        if self.changes.is_empty() {
            return Ok(None);
        }
        let base = self.changes.iter().rev().find(|(key, _)| key == "base");
        let base = base.map_or(DEFAULT_PROFILE, |(_, value)| value.as_str());
        let mut settings = settings::profile_settings(base)?;
        let mut name = base.to_owned();
        for (key, value) in self.changes.iter().filter(|(key, _)| key != "base") {
            settings::change_setting(&mut settings, key, value)?;
            write!(name, " {key}={value}")?;
        }
        Ok(Some(SettingsVariant { name, base: base.to_owned(), settings }))
    }
}

/// Every other source.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SourceHalf {
    Even,
    Odd,
}

impl SourceHalf {
    fn filter_sources(self, conversations: Vec<RecordedConversation>) -> Vec<RecordedConversation> {
        let mut sources: Vec<String> =
            conversations.iter().map(|recorded| recorded.source.clone()).collect();
        sources.dedup();
        let is_chosen = |recorded: &RecordedConversation| {
            let at = sources.iter().position(|source| *source == recorded.source);
            at.is_some_and(|at| at % 2 == self as usize)
        };
        conversations.into_iter().filter(is_chosen).collect()
    }
}
