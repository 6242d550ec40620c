//! Scores of parts of results (functions, hunks, hits in one file, paragraphs) beside the score of
//! whole results that is in use, each fitted where it is not tested:
//!
//! ```text
//! cargo run --release -p foveal-replay --example part_scores -- FOLDER
//! ```
//!
//! FOLDER holds folders of ATIF files, one a source. Each source is judged by what was fitted on the
//! others. A part counts as used if an answer later edits a line that it was the first to show.

use std::collections::HashMap;

use foveal_code::embed::{StaticModel, Vector};
use foveal_context::facts::Facts;
use foveal_context::level::Life;
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::score::{FEATURES, WEIGHTS, features};
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_replay::needs::{Need, needs};
use foveal_replay::{Prepared, replay};
use foveal_transcript::{EntryIndex, Role};
use rayon::prelude::*;

#[path = "../../bench/examples/fit_curator/boost.rs"]
mod boost;
#[path = "shared/load.rs"]
mod load;
#[path = "shared/parts.rs"]
mod parts;
#[path = "shared/quality.rs"]
mod quality;
#[path = "shared/regression.rs"]
mod regression;
#[path = "shared/sampled.rs"]
mod sampled;
#[path = "shared/tried.rs"]
mod tried;
#[path = "shared/watched.rs"]
mod watched;

use parts::{Part, parts};
use regression::{Row, probability};
use tried::{Tried, shares};
use watched::{OF_FILES, Watched};

/// Names of what is told of a part beside what is told of its result, in order.
const OF_PARTS: [&str; 10] = [
    "tokens",
    "share",
    "place",
    "defines",
    "defines what was said",
    "edited since",
    "edited beside",
    "shown since",
    "like the user's words",
    "like the last answer",
];

const TRIED: [Tried; 4] = [
    Tried { name: "parts, as results", sees: |at| at < FEATURES, is_trees: false },
    Tried {
        name: "parts, what is in them",
        sees: |at| !OF_FILES_AT.contains(&at),
        is_trees: false,
    },
    Tried { name: "parts, with files", sees: |_| true, is_trees: false },
    Tried { name: "trees of all", sees: |_| true, is_trees: true },
];

const OF_FILES_AT: std::ops::Range<usize> = FEATURES..FEATURES + OF_FILES.len();

/// One source of sessions, with the rows of their parts. In front of each row's features stands what
/// the score in use expects of it: its share of what is expected of the result.
struct Source {
    name: String,
    rows: Vec<(f64, Row)>,
}

fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let sources = sources(&folder)?;
    for source in &sources {
        let used = source.rows.iter().filter(|(_, row)| row.used).count();
        println!("{}: {} parts before requests, {used} used later", source.name, source.rows.len());
    }
    println!("share of the tokens that go before 1, 3 and 10 % of the uses are lost");
    let in_use: Vec<(f64, &Row)> =
        sources.iter().flat_map(|it| it.rows.iter().map(|(guess, row)| (*guess, row))).collect();
    println!("{:24} {}", "in use", shares(&in_use));
    for tried in &TRIED {
        let guessed: Vec<(f64, &Row)> = (0..sources.len())
            .into_par_iter()
            .flat_map(|held| judged(&sources, held, tried))
            .collect();
        println!("{:24} {}", tried.name, shares(&guessed));
        quality::print_calibration(tried.name, &guessed);
    }
    Ok(())
}

fn sources(folder: &str) -> anyhow::Result<Vec<Source>> {
    let model = StaticModel::built_in();
    let source = |name: &str| name.rsplit('/').nth(1).unwrap_or_default().to_owned();
    let rows: Vec<(String, Vec<(f64, Row)>)> = load::conversations(folder)?
        .into_par_iter()
        .map(|(name, conversation)| {
            (source(&name), rows(&Prepared::new(conversation, Tokenizer::O200k), &model))
        })
        .collect();
    let mut sources: Vec<Source> = Vec::new();
    for (name, rows) in rows {
        match sources.iter_mut().find(|source| source.name == name) {
            Some(source) => source.rows.extend(rows),
            None => sources.push(Source { name, rows }),
        }
    }
    Ok(sources)
}

/// Results of fewer tokens are not worth parts.
const TOKENS_MIN: u64 = 100;

/// What is known of one conversation beside [`Watched`].
struct Seen<'a> {
    prepared: &'a Prepared,
    model: &'a StaticModel,
    next: u32,
    parts: HashMap<EntryIndex, Vec<Part>>,
    /// Before which requests an edit used a line.
    edited: HashMap<u64, Vec<u32>>,
    /// The last result that showed a line.
    shown: HashMap<u64, EntryIndex>,
    /// What the user and the last answer spoke of.
    asked: Option<Vector>,
    said: Option<Vector>,
}

impl<'a> Seen<'a> {
    fn new(prepared: &'a Prepared, model: &'a StaticModel) -> Self {
        let (parts, edited, shown) = Default::default();
        Self { prepared, model, next: 0, parts, edited, shown, asked: None, said: None }
    }

    fn take(&mut self, answer: EntryIndex, request: u32) {
        while self.next < answer.0 {
            let index = EntryIndex(self.next);
            self.next += 1;
            let entry = self.prepared.record.entry(index);
            match entry.role {
                Role::User | Role::System => {
                    self.asked = Some(self.model.vector(&entry.prompt_text()));
                }
                Role::Assistant => {
                    self.said = Some(self.model.vector(&entry.prompt_text()));
                    for line in self.prepared.evidence(index) {
                        self.edited.entry(*line).or_default().push(request);
                    }
                }
                Role::Tool => {
                    for line in &self.prepared.scan(index).lines {
                        self.shown.insert(*line, index);
                    }
                    let facts = self.prepared.record.facts(index);
                    if let Some(result) = entry.result().filter(|_| facts.tokens.0 >= TOKENS_MIN) {
                        let parts = parts(facts, &result.content, self.model);
                        self.parts.insert(index, parts);
                    }
                }
            }
        }
    }

    /// How many lines of a part edits have used since.
    fn edited(&self, part: &Part, life: &Life) -> f64 {
        let is_since = |line: &&u64| {
            let edits = self.edited.get(line).map_or(&[][..], Vec::as_slice);
            edits.last().is_some_and(|at| *at > life.arrived)
        };
        part.scan.lines.iter().filter(is_since).count() as f64
    }

    /// What is told of the part at `at` of a result, as [`OF_PARTS`].
    fn of_part(
        &self,
        index: EntryIndex,
        at: usize,
        (life, watched): (&Life, &Watched),
        request: u32,
    ) -> [f64; OF_PARTS.len()] {
        let all = &self.parts[&index];
        let part = &all[at];
        let beside = [at.wrapping_sub(1), at + 1].into_iter().filter_map(|at| all.get(at));
        let whole: f64 = all.iter().map(|part| part.tokens).sum();
        let said = watched.of_words(&part.defines, life, request);
        let is_later = |line: &&u64| self.shown.get(line).is_some_and(|last| *last > index);
        let later = part.scan.lines.iter().filter(is_later).count() as f64;
        let like = |other: &Option<Vector>| {
            other.as_ref().map_or(0.0, |other| f64::from(part.vector.cosine(other)))
        };
        [
            part.tokens.ln(),
            part.tokens / whole,
            part.place,
            (part.defines.len() as f64).ln_1p(),
            said[1],
            self.edited(part, life).ln_1p(),
            beside.map(|part| self.edited(part, life)).sum::<f64>().ln_1p(),
            later / part.scan.lines.len().max(1) as f64,
            like(&self.asked),
            like(&self.said),
        ]
    }
}

/// Every part of a result before every third request but the two that the result is new in.
fn rows(prepared: &Prepared, model: &StaticModel) -> Vec<(f64, Row)> {
    let prices = PriceCard::anthropic_5m();
    let needs = needs(prepared);
    let planner = Planner::new(Settings::lossless(), prices.clone());
    let mut projector = Projector::Engine(Box::new(planner));
    let (mut watched, mut seen) = (Watched::default(), Seen::new(prepared, model));
    let mut rows = Vec::new();
    replay(prepared, &mut projector, &prices, &mut |projector, step| {
        let Projector::Engine(planner) = projector else { return };
        let request = planner.requests();
        watched.take(prepared, step.answer, request);
        seen.take(step.answer, request);
        for index in planner.window() {
            let facts = prepared.record.facts(*index);
            let Some(life) = planner.life(*index) else { continue };
            if request % 3 != 0 || request <= life.arrived + 1 || !seen.parts.contains_key(index) {
                continue;
            }
            let of_result = features(facts, life, planner.interest(), request);
            of_parts(&seen, (*index, facts), (life, &watched), &of_result, request, &needs)
                .for_each(|row| rows.push(row));
        }
    });
    let weight = 1.0 / rows.len().max(1) as f64;
    rows.iter_mut().for_each(|(_, row)| row.weight = weight);
    rows
}

/// The rows of the parts of one result before a request.
fn of_parts<'s>(
    seen: &'s Seen<'_>,
    (index, facts): (EntryIndex, &'s Facts),
    (life, watched): (&'s Life, &'s Watched),
    of_result: &'s [f64],
    request: u32,
    needs: &'s [Need],
) -> impl Iterator<Item = (f64, Row)> + 's {
    let all = &seen.parts[&index];
    let whole: f64 = all.iter().map(|part| part.tokens).sum();
    let expected = probability(of_result, &WEIGHTS);
    let of_files = watched.of_files(facts, life, request);
    let later = needs.iter().filter(move |need| need.first == index && need.request + 1 > request);
    let later: Vec<u64> = later.map(|need| need.line).collect();
    all.iter().enumerate().map(move |(at, part)| {
        let mut features = of_result.to_vec();
        features.extend(&of_files);
        features.extend(watched.of_words(&part.scan.references, life, request));
        features.extend(seen.of_part(index, at, (life, watched), request));
        let used = later.iter().any(|line| part.scan.lines.binary_search(line).is_ok());
        (expected * part.tokens / whole, Row { features, used, tokens: part.tokens, weight: 1.0 })
    })
}

/// What is expected of the parts of one source by what was fitted on the others.
fn judged<'s>(sources: &'s [Source], held: usize, tried: &'static Tried) -> Vec<(f64, &'s Row)> {
    let others = sources.iter().enumerate().filter(|(at, _)| *at != held);
    let judge = tried.judge(others.flat_map(|(_, source)| source.rows.iter().map(|(_, row)| row)));
    sources[held].rows.iter().map(|(_, row)| (judge(row), row)).collect()
}
