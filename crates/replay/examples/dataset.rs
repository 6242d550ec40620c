//! Prints one row for each result at sampled requests: group, tokens, features, and in how
//! many later requests its lines were needed. For fitting the weights of the score.

use std::io::Write;

use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::score::features;
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_context::transcript::Role;
use foveal_replay::needs::needs;
use foveal_replay::{Prepared, replay};

#[path = "shared/load.rs"]
mod load;

fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let prices = PriceCard::anthropic_5m();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (session, (name, conversation)) in load::conversations(&folder)?.iter().enumerate() {
        let prepared = Prepared::new(conversation, Tokenizer::O200k);
        let needs = needs(&prepared);
        let planner = Planner::new(Settings::lossless(), prices.clone());
        let mut projector = Projector::Engine(Box::new(planner));
        let mut rows = Vec::new();
        replay(&prepared, &mut projector, &prices, &mut |projector, _| {
            let Projector::Engine(planner) = projector else { return };
            let request = planner.requests();
            if request % 3 != 0 {
                return;
            }
            for index in planner.window() {
                let facts = prepared.observed.facts(*index);
                if conversation.entry(*index).role != Role::Tool || facts.tokens.0 < 100 {
                    continue;
                }
                let Some(life) = planner.life(*index) else { continue };
                if request <= life.arrived + 1 {
                    continue;
                }
                let future = needs.iter().filter(|n| n.source == *index && n.request + 1 > request);
                let mut requests: Vec<_> = future.map(|need| need.request).collect();
                let lines = requests.len();
                requests.dedup();
                let row = features(facts, life, planner.interest(), request);
                rows.push((index.0, request, facts.tokens.0, requests.len(), lines, row));
            }
        });
        for (index, request, tokens, uses, lines, row) in rows {
            write!(out, "{session}\t{name}\t{index}\t{request}\t{tokens}\t{uses}\t{lines}")?;
            for feature in row {
                write!(out, "\t{feature:.4}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}
