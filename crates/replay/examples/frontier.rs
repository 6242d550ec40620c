//! Prints cost against evidence for settings under study: `frontier FOLDER [half]`.

use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_context::transcript::Role;
use foveal_replay::run::Share;
use foveal_replay::{Prepared, Replay, replay};
use rayon::prelude::*;

#[path = "shared/load.rs"]
mod load;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let only = args.next();
    let conversations = load::conversations(&folder)?;
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
                let dump = std::env::var("FOV_DUMP").unwrap_or_default();
                replay(p, &mut projector, &prices, &mut |projector, step| {
                    let c = p.conversation;
                    if dump == c.id {
                        println!(
                            "=== request before step {} rewrite {:?}",
                            c.entry(step.answer).source.step,
                            step.rewrite
                        );
                        for (index, decision) in &step.changed {
                            let e = c.entry(*index);
                            if let (Some(shape), Some(r)) = (decision.shape(), e.result()) {
                                println!(
                                    "--- {:?} {} {:?} {} -> {}",
                                    e.source,
                                    p.observed.facts(*index).label(),
                                    shape.rule,
                                    r.content.len(),
                                    shape.rendered_len()
                                );
                                println!("{}", shape.render(&r.content));
                            }
                        }
                    }
                    if std::env::var("FOV_FILL").is_ok() {
                        let mut fill = FILL.lock().expect("not poisoned");
                        for index in projector.window() {
                            let e = c.entry(*index);
                            let f = p.observed.facts(*index);
                            let key = if e.role == Role::Tool {
                                format!("{:?} L{:?}", f.kind(), projector.item(*index).level)
                            } else {
                                format!("{:?}", e.role)
                            };
                            let slot = fill.entry(key).or_default();
                            slot.0 += f.tokens.0;
                            slot.1 += projector.item(*index).tokens.0;
                        }
                    }
                })
            })
            .collect();
        report(&name, &replays);
        let mut fill = FILL.lock().expect("not poisoned");
        let all: u64 = fill.values().map(|v| v.0).sum();
        for (k, (raw, shown)) in fill.iter() {
            println!(
                "   {k:30} raw {:5.1}% shown {:5.1}%",
                *raw as f64 / all as f64 * 100.,
                *shown as f64 / all as f64 * 100.
            );
        }
        fill.clear();
        eprintln!("{:?}", start.elapsed());
    }
    let tools = prepared.iter().flat_map(|p| &p.conversation.entries);
    eprintln!("{} results", tools.filter(|e| e.role == Role::Tool).count());
    Ok(())
}

static FILL: std::sync::Mutex<std::collections::BTreeMap<String, (u64, u64)>> =
    std::sync::Mutex::new(std::collections::BTreeMap::new());

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
    let grid = std::env::var("GRID").unwrap_or_default();
    for line in grid.lines() {
        let mut settings = Settings::max();
        for pair in line.split_whitespace() {
            let (key, value) = pair.split_once('=').expect("key=value");
            let number: f64 = value.parse().expect("a number");
            let rewrite = settings.rewrite.as_mut().expect("set");
            match key {
                "read" => rewrite.read_idle = number as u32,
                "other" => rewrite.other_idle = number as u32,
                "recent" => rewrite.recent_requests = number as u32,
                "min" => rewrite.tokens_min = foveal_context::tokens::Tokens(number as u64),
                "rent" => rewrite.rental = number,
                "free" => rewrite.free_idle = number,
                "keep" => rewrite.keep_edited = number > 0.0,
                "run" => settings.run_bytes_max = Some(number as usize),
                "search" => settings.search_bytes_max = Some(number as usize),
                "readcap" => settings.read_bytes_max = Some(number as usize),
                _ => panic!("{key}"),
            }
        }
        all.push((line.to_owned(), settings));
    }
    all
}
