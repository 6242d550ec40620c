//! Prints cost against evidence for settings under study: `frontier FOLDER [half]`.

use std::path::PathBuf;

use anyhow::Context;
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_context::transcript::{Conversation, Role};
use foveal_replay::run::Share;
use foveal_replay::{Prepared, Replay, replay};
use rayon::prelude::*;

fn load(folder: &str) -> anyhow::Result<Vec<(String, Conversation)>> {
    let mut files = Vec::new();
    for group in std::fs::read_dir(folder).context("the folder of sessions")? {
        for file in std::fs::read_dir(group?.path())? {
            files.push(file?.path());
        }
    }
    files.sort();
    let read = |path: &PathBuf| -> anyhow::Result<Vec<(String, Conversation)>> {
        let file = std::io::BufReader::new(std::fs::File::open(path)?);
        let name = path.display().to_string();
        let (sessions, _) = foveal_wire::read_all(foveal_wire::Format::Atif, &name, file)?;
        Ok(sessions.into_iter().flat_map(|s| s.conversations).map(|c| (name.clone(), c)).collect())
    };
    let all: anyhow::Result<Vec<_>> = files.par_iter().map(read).collect();
    Ok(all?.into_iter().flatten().collect())
}

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let only = args.next();
    let conversations = load(&folder)?;
    let prices = PriceCard::anthropic_5m();
    let prepared: Vec<_> =
        conversations.par_iter().map(|(_, c)| Prepared::new(c, Tokenizer::O200k)).collect();
    println!(
        "{:28} {:>7} {:>7} {:>7} {:>8} {:>7} {:>6} {:>6} {:>5}",
        "profile", "cost", "mean", "tokens", "evidence", "refs", "rep/s", "rewr", "laws"
    );
    for (name, settings) in candidates() {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let start = std::time::Instant::now();
        let replays: Vec<Replay> = prepared
            .par_iter()
            .map(|p| {
                let planner = Planner::new(settings.clone(), prices.clone());
                let mut projector = Projector::Engine(Box::new(planner));
                replay(p, &mut projector, &prices, &mut |_, _| {})
            })
            .collect();
        report(&name, &replays);
        eprintln!("{:?}", start.elapsed());
    }
    let tools = prepared.iter().flat_map(|p| &p.conversation.entries);
    eprintln!("{} results", tools.filter(|e| e.role == Role::Tool).count());
    Ok(())
}

fn report(name: &str, replays: &[Replay]) {
    let raw: f64 = replays.iter().map(Replay::raw_dollars).sum();
    let net: f64 = replays.iter().map(Replay::net_dollars).sum();
    let ratios: Vec<f64> = replays
        .iter()
        .filter(|r| r.raw_dollars() > 0.0)
        .map(|r| r.net_dollars() / r.raw_dollars() - 1.0)
        .collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let (mut evidence, mut references) = (Share::default(), Share::default());
    let (mut raw_tokens, mut tokens, mut repairs, mut rewrites) = (0, 0, 0, 0);
    let mut laws = 0;
    for replay in replays {
        laws += replay.breaches.total();
        for request in &replay.requests {
            evidence += request.evidence;
            references += request.references;
            raw_tokens += request.raw.prompt.0;
            tokens += request.projected.prompt.0;
            repairs += request.repairs;
            rewrites += u32::from(request.rewrite.is_some());
        }
    }
    println!(
        "{name:28} {:+6.1}% {:+6.1}% {:+6.1}% {:8.4} {:7.4} {:6.2} {:6} {:5}   ${raw:.2} ev {} refs {}",
        (net / raw - 1.0) * 100.0,
        mean * 100.0,
        (tokens as f64 / raw_tokens as f64 - 1.0) * 100.0,
        evidence.ratio(),
        references.ratio(),
        f64::from(repairs) / replays.len() as f64,
        rewrites,
        laws,
        evidence.used,
        references.used
    );
}

fn candidates() -> Vec<(String, Settings)> {
    let mut all = vec![
        ("lossless".to_owned(), Settings::lossless()),
        ("balanced".to_owned(), Settings::balanced()),
        ("max".to_owned(), Settings::max()),
    ];
    for (read_idle, other_idle) in
        [(10, 5), (10, 10), (20, 5), (20, 10), (40, 10), (1000, 10), (1000, 3), (10, 1000), (5, 5)]
    {
        for keep_edited in [true, false] {
            for rental in [1.0] {
                let mut settings = Settings::balanced();
                let rewrite = settings.rewrite.as_mut().unwrap();
                rewrite.read_idle = read_idle;
                rewrite.other_idle = other_idle;
                rewrite.keep_edited = keep_edited;
                rewrite.rental = rental;
                all.push((
                    format!("r{read_idle} o{other_idle} keep {keep_edited} rent {rental}"),
                    settings,
                ));
            }
        }
    }
    all
}
