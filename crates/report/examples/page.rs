//! Writes the report of a folder of ATIF sessions: `page FOLDER OUT.html`.

use std::path::PathBuf;

use anyhow::Context;
use foveal_context::prices::PriceCard;
use foveal_context::profile::{DEFAULT, PROFILES};
use foveal_context::tokens::Tokenizer;
use foveal_context::transcript::Conversation;
use foveal_replay::{Prepared, replay};
use foveal_report::{FillSampler, Limits, Measured, ProfileLine, ReportBuilder};
use rayon::prelude::*;

fn load(folder: &str) -> anyhow::Result<Vec<(String, Conversation)>> {
    let mut files: Vec<PathBuf> = Vec::new();
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
        let named = |c: Conversation| {
            (path.file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned()), c)
        };
        Ok(sessions.into_iter().flat_map(|session| session.conversations).map(named).collect())
    };
    let all: anyhow::Result<Vec<_>> = files.par_iter().map(read).collect();
    Ok(all?.into_iter().flatten().collect())
}

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().context("a folder of sessions is needed")?;
    let out = args.next().context("a file to write is needed")?;
    let (prices, limits) = (PriceCard::anthropic_5m(), Limits::default());
    let mut profiles: Vec<_> = PROFILES.iter().collect();
    profiles.sort_by_key(|profile| profile.name != DEFAULT);
    let measured: Vec<Measured> = load(&folder)?
        .par_iter()
        .map(|(name, conversation)| {
            let prepared = Prepared::new(conversation, Tokenizer::O200k);
            let mut measured = Measured::new(name, conversation);
            for profile in &profiles {
                let mut fill = FillSampler::new(&prepared);
                let mut projector = profile.start(&prices);
                let replay =
                    replay(&prepared, &mut projector, &prices, &mut |p, _| fill.observe(p));
                measured.add(&replay, Some(fill.finish()), &prices, limits);
            }
            measured
        })
        .collect();
    let lines = profiles.iter().map(|profile| ProfileLine::from(*profile)).collect();
    let mut builder = ReportBuilder::new(lines, prices, limits);
    for one in measured {
        builder.add(one);
    }
    std::fs::write(&out, foveal_report::render(&builder.finish()))?;
    Ok(())
}
