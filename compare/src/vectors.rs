//! The nearest of all vectors: all compared, or a graph asked (HNSW).

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use foveal_relevance::embedding::{QuantizedVector, StaticModel, Vector, VectorTable};
use foveal_relevance::ranking::top_documents;
use instant_distance::{Builder, HnswMap, Point, Search};

use crate::measuring::{milliseconds, percentile, questions};
use crate::table;
use crate::tree::{self, Scratch};

/// Nearest vectors asked for.
const NEAREST: usize = 10;

/// How many candidates the graph keeps while it is built, and while it is asked.
const WIDTHS: [(usize, usize); 2] = [(40, 40), (100, 100)];

/// Products that are added up side by side, so that the compiler uses wide registers.
const LANES: usize = 16;

/// A vector of length 1.
#[derive(Clone)]
struct Place(Vec<f32>);

impl Place {
    fn of(vector: &Vector) -> Self {
        Self(vector.components().to_vec())
    }
}

impl Point for Place {
    fn distance(&self, other: &Self) -> f32 {
        let mut sums = [0.0_f32; LANES];
        for (a, b) in self.0.chunks_exact(LANES).zip(other.0.chunks_exact(LANES)) {
            for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                *sum += a * b;
            }
        }
        1.0 - sums.iter().sum::<f32>()
    }
}

/// Prints how long the nearest vectors of 400 questions take, and which are missed.
pub(crate) fn compare(folder: &Path) -> anyhow::Result<()> {
    let scratch = Scratch::new()?;
    let mut built = tree::build(folder, &scratch, false)?;
    let parts = tree::located(&mut built.index)?;
    let model = StaticModel::built_in();
    let begin = Instant::now();
    let vectors: Vec<Vector> = parts.iter().map(|part| model.embed_text(&part.told)).collect();
    let embedded = milliseconds(begin);
    let asked: Vec<Vector> =
        questions(&mut built.index)?.iter().map(|q| model.embed_text(q)).collect();

    println!(
        "{} vectors, made in {}; {} questions\n",
        vectors.len(),
        table::time(embedded),
        asked.len()
    );
    let headings = ["", "build", "memory", "recall@10", "question p50", "p99"];
    table::print_headings(&headings);
    let before = resident();
    let begin = Instant::now();
    let mut all = VectorTable::new(vectors.first().map_or(0, |vector| vector.components().len()));
    vectors.iter().for_each(|vector| all.push(&QuantizedVector::from_vector(vector)));
    let filled = milliseconds(begin);
    let (mut exact, mut times) = (Vec::new(), Vec::new());
    for question in &asked {
        let begin = Instant::now();
        let cosines = all.cosines(&QuantizedVector::from_vector(question));
        let found = top_documents(cosines.into_iter().enumerate(), NEAREST);
        times.push(milliseconds(begin));
        exact.push(found.iter().map(|one| one.document.index()).collect::<HashSet<usize>>());
    }
    table::print_row(&row("all compared, one thread", filled, resident() - before, 1.0, &times));
    for (construction, search) in WIDTHS {
        let points: Vec<Place> = vectors.iter().map(Place::of).collect();
        let numbers: Vec<usize> = (0..points.len()).collect();
        let before = resident();
        let begin = Instant::now();
        let builder = Builder::default().ef_construction(construction).ef_search(search).seed(1);
        let graph = builder.build(points, numbers);
        let built = milliseconds(begin);
        let memory = resident().saturating_sub(before);
        let (times, recall) = ask(&graph, &asked, &exact);
        table::print_row(&row(
            &format!("HNSW, {construction} / {search}"),
            built,
            memory,
            recall,
            &times,
        ));
    }
    println!(
        "\nMemory of HNSW beside its vectors of 4 bytes a component, which are {}.",
        table::size(vectors.iter().map(|vector| 4 * vector.components().len() as u64).sum())
    );
    Ok(())
}

/// Milliseconds of each question, and the share of the nearest vectors that is found.
fn ask(
    graph: &HnswMap<Place, usize>,
    asked: &[Vector],
    exact: &[HashSet<usize>],
) -> (Vec<f64>, f64) {
    let mut search = Search::default();
    let (mut times, mut found, mut wanted) = (Vec::new(), 0, 0);
    for (question, exact) in asked.iter().zip(exact) {
        let question = Place::of(question);
        let begin = Instant::now();
        let nearest: Vec<usize> =
            graph.search(&question, &mut search).take(NEAREST).map(|item| *item.value).collect();
        times.push(milliseconds(begin));
        found += nearest.iter().filter(|number| exact.contains(number)).count();
        wanted += exact.len();
    }
    (times, found as f64 / wanted.max(1) as f64)
}

fn row(name: &str, built: f64, memory: u64, recall: f64, times: &[f64]) -> Vec<String> {
    let [half, most] = [0.5, 0.99].map(|share| table::time(percentile(times, share)));
    vec![
        name.to_owned(),
        table::time(built),
        table::size(memory),
        format!("{recall:.3}"),
        half,
        most,
    ]
}

/// Memory resident now, in bytes; 0 where the system does not say.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4_096
}
