//! Other scores than the one in use, fitted where they are not tested, and what `balanced` makes of
//! each:
//!
//! ```text
//! cargo run --release -p foveal-replay --example scores -- FOLDER [sources|sessions]
//! ```
//!
//! FOLDER holds folders of ATIF files, one a source. Each source (or every sixth session) is judged
//! by what was fitted on all others. The last score is hindsight: it knows which results will be
//! needed. What it saves no score can pass, as long as the same moments are chosen to act.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::bail;
use foveal_code::views::CuratedViews;
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::score::{FEATURES, Score, WEIGHTS, features};
use foveal_context::settings::{ReadsOnce, Settings};
use foveal_context::tokens::Tokenizer;
use foveal_replay::needs::needs;
use foveal_replay::{Prepared, replay};
use foveal_transcript::{EntryIndex, Role};
use rayon::prelude::*;

#[path = "../../bench/examples/fit_curator/boost.rs"]
mod boost;
#[path = "shared/load.rs"]
mod load;
#[path = "shared/quality.rs"]
mod quality;
#[path = "shared/regression.rs"]
mod regression;
#[path = "shared/row.rs"]
mod row;
#[path = "shared/sampled.rs"]
mod sampled;
#[path = "shared/tried.rs"]
mod tried;
#[path = "shared/watched.rs"]
mod watched;

use regression::{Row, probability};
use tried::{Judge, Tried, shares};
use watched::{OF_FILES, Watched};

/// The first feature that is told of words; those of files stand before, those in use first.
const WORDS: usize = FEATURES + OF_FILES.len();

const TRIED: [Tried; 5] = [
    Tried { name: "the same, fitted anew", sees: |at| at < FEATURES, is_trees: false },
    Tried { name: "with words", sees: |at| !(FEATURES..WORDS).contains(&at), is_trees: false },
    Tried { name: "with files", sees: |at| at < WORDS, is_trees: false },
    Tried { name: "with files and words", sees: |_| true, is_trees: false },
    Tried { name: "trees of all", sees: |_| true, is_trees: true },
];

/// A result before a request.
type Before = (EntryIndex, u32);

/// What is known of the results of one conversation.
struct Known {
    /// Which of the parts it belongs to that are judged by what was fitted on the others.
    part: usize,
    prepared: Prepared,
    rows: Vec<(Before, Row)>,
}

/// Answers with what was worked out before.
#[derive(Debug)]
struct Table(HashMap<Before, f64>);

impl Score for Table {
    fn probability(&self, result: EntryIndex, request: u32) -> Option<f64> {
        self.0.get(&(result, request)).copied()
    }
}

fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let by_source = match words.next().as_deref() {
        None | Some("sources") => true,
        Some("sessions") => false,
        Some(other) => bail!("parts are sources or sessions, not {other}"),
    };
    let known = known(&folder, by_source)?;
    println!("share of the tokens that go before 1, 3 and 10 % of the uses are lost");
    println!(
        "{:24} {}",
        "in use",
        shares(&guessed(&known, &|_, row| probability(&row.features, &WEIGHTS)))
    );
    let mut scores: Vec<(&str, Vec<Arc<dyn Score>>)> = Vec::new();
    for tried in &TRIED {
        let judges = judges(&known, tried);
        let guess = |one: &Known, row: &Row| judges[one.part](row);
        let guessed = guessed(&known, &guess);
        println!("{:24} {}", tried.name, shares(&guessed));
        quality::print_calibration(tried.name, &guessed);
        let table = |one: &Known| -> Arc<dyn Score> {
            let rows = one.rows.iter().map(|(at, row)| (*at, guess(one, row)));
            Arc::new(Table(rows.collect()))
        };
        scores.push((tried.name, known.iter().map(table).collect()));
    }
    scores.push(("hindsight", known.iter().map(|one| in_hindsight(&one.prepared)).collect()));
    print_frontier(&known, &scores);
    Ok(())
}

fn known(folder: &str, by_source: bool) -> anyhow::Result<Vec<Known>> {
    let conversations = load::conversations(folder)?;
    let source = |name: &str| name.rsplit('/').nth(1).unwrap_or_default().to_owned();
    let mut sources: Vec<_> = conversations.iter().map(|(name, _)| source(name)).collect();
    sources.dedup();
    let known = conversations.into_par_iter().enumerate().map(|(at, (name, conversation))| {
        let place = sources.iter().position(|known| *known == source(&name)).unwrap_or(0);
        let prepared = Prepared::new(conversation, Tokenizer::O200k);
        let rows = rows(&prepared);
        Known { part: if by_source { place } else { at % PARTS }, prepared, rows }
    });
    Ok(known.collect())
}

/// Parts that sessions are dealt into.
const PARTS: usize = 6;

/// Every result of at least as many tokens before every request but the two that it is new in.
fn rows(prepared: &Prepared) -> Vec<(Before, Row)> {
    let prices = PriceCard::anthropic_5m();
    let needs = needs(prepared);
    let planner = Planner::new(Settings::lossless(), prices.clone());
    let mut projector = Projector::Engine(Box::new(planner));
    let mut watched = Watched::default();
    let mut rows = Vec::new();
    replay(prepared, &mut projector, &prices, &mut |projector, step| {
        let Projector::Engine(planner) = projector else { return };
        let request = planner.requests();
        watched.take(prepared, step.answer, request);
        for index in planner.window() {
            let facts = prepared.record.facts(*index);
            let Some(life) = planner.life(*index) else { continue };
            let is_result = prepared.record.entry(*index).role == Role::Tool;
            if !is_result || facts.tokens.0 < TOKENS_MIN || request <= life.arrived + 1 {
                continue;
            }
            let mut told = features(facts, life, planner.interest(), request).to_vec();
            told.extend(watched.of_files(facts, life, request));
            told.extend(watched.of_words(&prepared.scan(*index).references, life, request));
            let row = Row {
                features: told,
                used: needs.iter().any(|need| need.first == *index && need.request + 1 > request),
                tokens: facts.tokens.0 as f64,
                weight: 1.0,
            };
            rows.push(((*index, request), row));
        }
    });
    let weight = 1.0 / rows.len().max(1) as f64;
    rows.iter_mut().for_each(|(_, row)| row.weight = weight);
    rows
}

const TOKENS_MIN: u64 = 100;

/// One row of three is fitted on and counted: those of one result are much alike.
fn is_counted((_, request): Before) -> bool {
    request % 3 == 0
}

/// For each part, what judges its rows: fitted on all others.
fn judges(known: &[Known], tried: &'static Tried) -> Vec<Judge> {
    let parts = known.iter().map(|one| one.part).max().map_or(0, |last| last + 1);
    let others = |part: usize| counted(known.iter().filter(move |one| one.part != part));
    (0..parts).map(|part| tried.judge(others(part))).collect()
}

fn counted<'k>(known: impl Iterator<Item = &'k Known>) -> impl Iterator<Item = &'k Row> {
    known.flat_map(|one| one.rows.iter().filter(|(at, _)| is_counted(*at)).map(|(_, row)| row))
}

/// What will be needed, for certain.
fn in_hindsight(prepared: &Prepared) -> Arc<dyn Score> {
    #[derive(Debug)]
    struct Last(HashMap<EntryIndex, u32>);
    impl Score for Last {
        fn probability(&self, result: EntryIndex, request: u32) -> Option<f64> {
            let is_needed = self.0.get(&result).is_some_and(|last| *last >= request);
            Some(f64::from(u8::from(is_needed)))
        }
    }
    let mut last = HashMap::new();
    for need in needs(prepared) {
        last.insert(need.first, need.request);
        last.insert(need.source, need.request);
    }
    Arc::new(Last(last))
}

fn guessed<'k>(known: &'k [Known], guess: &dyn Fn(&Known, &Row) -> f64) -> Vec<(f64, &'k Row)> {
    let each = |one: &'k Known| -> Vec<_> {
        counted(std::iter::once(one)).map(|row| (guess(one, row), row)).collect()
    };
    known.iter().flat_map(each).collect()
}

/// A conversation and what judges its results.
struct Judged<'k> {
    prepared: &'k Prepared,
    score: Option<Arc<dyn Score>>,
}

impl std::borrow::Borrow<Prepared> for Judged<'_> {
    fn borrow(&self) -> &Prepared {
        self.prepared
    }
}

/// Thresholds of expected uses at which each score is tried.
const USES: [f64; 4] = [0.0014, 0.0028, 0.0056, 0.0112];

fn print_frontier(known: &[Known], scores: &[(&str, Vec<Arc<dyn Score>>)]) {
    let prices = PriceCard::anthropic_5m();
    let views = Arc::new(CuratedViews::default());
    print!("{}", row::heading(known.len()));
    let print = |name: &str, uses: f64, scores: Option<&[Arc<dyn Score>]>, reads: Option<u32>| {
        let mut settings = Settings::balanced();
        if let Some(rewrite) = &mut settings.rewrite {
            rewrite.uses_min = uses;
            if let (Some(once), Some(after)) = (&mut rewrite.look_once, reads) {
                once.reads = Some(ReadsOnce { after, uses_min: uses });
            }
        }
        let score = |at: usize| scores.map(|scores| Arc::clone(&scores[at]));
        let judged: Vec<Judged<'_>> = (0..known.len())
            .map(|at| Judged { prepared: &known[at].prepared, score: score(at) })
            .collect();
        let start = |one: &Judged<'_>| {
            let planner = Planner::new(settings.clone(), prices.clone());
            let planner = planner.with_views(Arc::<CuratedViews>::clone(&views));
            Projector::Engine(Box::new(match &one.score {
                Some(score) => planner.with_score(Arc::clone(score)),
                None => planner,
            }))
        };
        print!("{}", row::row(&format!("{name} {uses}"), &judged, &prices, start));
    };
    for uses in USES {
        print("in use", uses, None, None);
    }
    for (name, scores) in scores {
        USES.iter().for_each(|uses| print(name, *uses, Some(scores), None));
    }
    if let Some((name, scores)) = scores.last() {
        print(&format!("{name}, reads after 1"), USES[1], Some(scores), Some(1));
    }
}
