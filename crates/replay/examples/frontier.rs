//! Prints cost against evidence of every profile and of both oracles, and of settings under
//! study:
//!
//! ```text
//! cargo run --release -p foveal-replay --example frontier -- FOLDER [--half even|odd] [--card NAME] [--trees FILE | --curator NAME] [KEY=VALUE …]
//! ```
//!
//! FOLDER holds folders of ATIF files, one a source. `--half` takes every other source, so
//! that what is chosen on one half can be confirmed on the other. `--card` names a built-in price
//! card, `anthropic-5m` if not said. With `KEY=VALUE`, only the
//! oracles and the profile named by `base=` are printed, beside its settings so changed. With
//! `--trees`, lines of reads are ranked by those trees, as `fit_curator` writes them; with
//! `--curator`, they are chosen by one of those that `foveal bench reads` compares.

use std::fmt::Write;
use std::sync::Arc;

use anyhow::{Context, bail};
use foveal_code::curate::Curator;
use foveal_code::views::CuratedViews;
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::profile::PROFILES;
use foveal_context::projector::Projector;
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_context::views::Views;
use foveal_replay::Prepared;
use foveal_replay::oracle::{Hindsight, Oracle};
use rayon::prelude::*;
use row::{heading, row};

#[path = "shared/load.rs"]
mod load;
#[path = "shared/of_bench.rs"]
mod of_bench;
#[path = "shared/row.rs"]
mod row;
#[path = "shared/settings.rs"]
mod settings;

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let study = arguments.study()?;
    let mut conversations = load::conversations(&arguments.folder)?;
    if let Some(half) = arguments.half {
        conversations = half.of(conversations);
    }
    let prices = PriceCard::named(&arguments.card)
        .with_context(|| format!("there is no price card `{}`", arguments.card))?;
    let prepared: Vec<_> =
        conversations.into_par_iter().map(|(_, c)| Prepared::new(c, Tokenizer::O200k)).collect();
    let views = arguments.views()?;
    print!("{}", heading(prepared.len()));
    for profile in PROFILES {
        if study.as_ref().is_none_or(|study| study.base == profile.name) {
            let start = |_: &Prepared| profile.start(&prices).with_views(Arc::clone(&views));
            print!("{}", row(profile.name, &prepared, &prices, start));
        }
    }
    if let Some(study) = study {
        let start = |_: &Prepared| {
            let planner = Planner::new(study.settings.clone(), prices.clone());
            Projector::Engine(Box::new(planner.with_views(Arc::clone(&views))))
        };
        print!("{}", row(&study.name, &prepared, &prices, start));
    }
    for oracle in Oracle::ALL {
        let start = |prepared: &Prepared| Hindsight::of(prepared).start(oracle, &prices);
        print!("{}", row(oracle.name(), &prepared, &prices, start));
    }
    Ok(())
}

/// What the command line asks for.
struct Arguments {
    folder: String,
    half: Option<Half>,
    card: String,
    trees: Option<String>,
    curator: Option<String>,
    changes: Vec<(String, String)>,
}

/// Settings under study.
struct Study {
    name: String,
    base: String,
    settings: Settings,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let folder = words.next().context("the first argument is a folder of folders of ATIF")?;
        let (mut half, mut trees, mut curator, mut changes) = (None, None, None, Vec::new());
        let mut card = "anthropic-5m".to_owned();
        while let Some(word) = words.next() {
            if word == "--half" {
                half = Some(match words.next().as_deref() {
                    Some("even") => Half(0),
                    Some("odd") => Half(1),
                    other => bail!("--half is even or odd, not {other:?}"),
                });
            } else if word == "--card" {
                card = words.next().context("--card takes a name")?;
            } else if word == "--trees" {
                trees = Some(words.next().context("--trees takes a file")?);
            } else if word == "--curator" {
                curator = Some(words.next().context("--curator takes a name")?);
            } else if let Some((key, value)) = word.split_once('=') {
                changes.push((key.to_owned(), value.to_owned()));
            } else {
                bail!("`{word}` is neither --half, --card, --trees, --curator nor KEY=VALUE");
            }
        }
        Ok(Self { folder, half, card, trees, curator, changes })
    }

    fn views(&self) -> anyhow::Result<Arc<dyn Views>> {
        if let Some(name) = &self.curator {
            return Ok(Arc::new(of_bench::Compared::named(name)?));
        }
        let Some(file) = &self.trees else { return Ok(Arc::new(CuratedViews::default())) };
        let trees = std::fs::read_to_string(file).with_context(|| file.clone())?;
        let curator = Curator::with_forest(&trees).with_context(|| format!("{file}: no trees"))?;
        Ok(Arc::new(CuratedViews::from(curator)))
    }

    fn study(&self) -> anyhow::Result<Option<Study>> {
        if self.changes.is_empty() {
            return Ok(None);
        }
        let base = self.changes.iter().rev().find(|(key, _)| key == "base");
        let base = base.map_or(foveal_context::profile::DEFAULT, |(_, value)| value.as_str());
        let mut settings = settings::named(base)?;
        let mut name = base.to_owned();
        for (key, value) in self.changes.iter().filter(|(key, _)| key != "base") {
            settings::set(&mut settings, key, value)?;
            write!(name, " {key}={value}")?;
        }
        Ok(Some(Study { name, base: base.to_owned(), settings }))
    }
}

/// Every other source, beginning with this one.
#[derive(Clone, Copy)]
struct Half(usize);

impl Half {
    fn of<T>(self, conversations: Vec<(String, T)>) -> Vec<(String, T)> {
        let source = |name: &str| {
            let mut parts = name.rsplit('/').skip(1);
            parts.next().unwrap_or_default().to_owned()
        };
        let mut sources: Vec<_> = conversations.iter().map(|(name, _)| source(name)).collect();
        sources.dedup();
        let chosen = |name: &str| {
            let at = sources.iter().position(|known| *known == source(name));
            at.is_some_and(|at| at % 2 == self.0)
        };
        conversations.into_iter().filter(|(name, _)| chosen(name)).collect()
    }
}
