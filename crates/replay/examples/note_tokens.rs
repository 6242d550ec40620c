//! Prints the tokens of all notes that the engine's profiles put into prompts, by kind:
//! `cargo run --release -p foveal-replay --example note_tokens -- FOLDER`.
//!
//! FOLDER holds folders of ATIF files, one a source. A note counts once for each time that it
//! is decided, however often it is sent.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context;
use foveal_code::views::CuratedViews;
use foveal_context::note::Note;
use foveal_context::prices::PriceCard;
use foveal_context::profile::Profile;
use foveal_context::shape::Decision;
use foveal_context::tokens::Tokenizer;
use foveal_replay::{Prepared, replay};
use foveal_transcript::Conversation;
use rayon::prelude::*;

#[path = "shared/load.rs"]
mod load;

/// How many notes of a kind there are, and their tokens.
type ByKind = BTreeMap<String, (u64, u64)>;

fn main() -> anyhow::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "../shared/sessions/atif".to_owned());
    let conversations = load::conversations(&folder)?;
    for name in ["lossless", "balanced", "max", "curated"] {
        let profile = Profile::named(name).context("no such profile")?;
        let counts: Vec<ByKind> =
            conversations.par_iter().map(|(_, one)| counts(profile, one)).collect();
        let mut all = ByKind::new();
        for (kind, (notes, tokens)) in counts.into_iter().flatten() {
            let sum = all.entry(kind).or_default();
            *sum = (sum.0 + notes, sum.1 + tokens);
        }
        let sum = all.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        println!("{name:14} {:>8} notes {:>10} tokens", sum.0, sum.1);
        for (kind, (notes, tokens)) in &all {
            println!("  {kind:14} {notes:>6} notes {tokens:>10} tokens");
        }
    }
    Ok(())
}

fn counts(profile: &Profile, conversation: &Conversation) -> ByKind {
    let prices = PriceCard::anthropic_5m();
    let prepared = Prepared::new(conversation.clone(), Tokenizer::O200k);
    let mut projector = profile.start(&prices).with_views(Arc::new(CuratedViews::default()));
    let mut all = ByKind::new();
    replay(&prepared, &mut projector, &prices, &mut |_, step| {
        let shapes = step.changed.iter().filter_map(|(_, decision)| match decision {
            Decision::Keep => None,
            Decision::Replace(shape) => Some(shape),
        });
        for note in shapes.flat_map(|shape| shape.notes()) {
            let sum = all.entry(kind(note)).or_default();
            let tokens = Tokenizer::O200k.count(&note.to_string()).0;
            *sum = (sum.0 + 1, sum.1 + tokens);
        }
    });
    all
}

/// The name of a note's kind.
fn kind(note: &Note) -> String {
    match serde_json::to_value(&note.kind) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(serde_json::Value::Object(map)) => map.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}
