//! `note-tokens`: prints the tokens of all notes that foveal's profiles put into prompts, by kind.
//! A note counts once for each decision, however often it is sent.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use foveal_engine::message_shape::Decision;
use foveal_engine::note::Note;
use foveal_engine::profile::Profile;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_replay::baselines::find_profile;
use foveal_replay::{PreparedConversation, replay};
use foveal_transcript::Conversation;
use rayon::prelude::*;

use crate::recorded_sessions::load_conversations;

/// The command line of `note-tokens`.
#[derive(Debug, clap::Args)]
pub(crate) struct NoteTokensArguments {
    /// A folder of recorded sessions.
    #[arg(default_value = "../shared/sessions/atif")]
    folder: PathBuf,
}

/// The number of notes of each kind, and their tokens.
type NoteCounts = BTreeMap<String, (u64, u64)>;

/// Replays the sessions and prints the notes.
///
/// # Errors
/// If the sessions cannot be read.
pub(super) fn run(arguments: &NoteTokensArguments) -> anyhow::Result<()> {
    let conversations = load_conversations(std::slice::from_ref(&arguments.folder))?;
    for name in ["lossless", "balanced", "max", "curated"] {
        let profile = find_profile(name).context("no such profile")?;
        let counts: Vec<NoteCounts> = conversations
            .par_iter()
            .map(|recorded| count_notes(profile, &recorded.conversation))
            .collect();
        let mut all = NoteCounts::new();
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

fn count_notes(profile: &Profile, conversation: &Conversation) -> NoteCounts {
    let prices = PriceCard::anthropic_5m();
    let prepared = PreparedConversation::new(conversation.clone(), Tokenizer::O200k);
    let mut projector =
        profile.new_projector(&prices).with_view_source(Arc::new(CuratedViewSource::default()));
    let mut all = NoteCounts::new();
    replay(&prepared, &mut projector, &prices, &mut |_, step| {
        let shapes = step.changed.iter().filter_map(|(_, decision)| match decision {
            Decision::Keep => None,
            Decision::Replace(shape) => Some(shape),
        });
        for note in shapes.flat_map(|shape| shape.notes()) {
            let sum = all.entry(kind_name(note)).or_default();
            let tokens = Tokenizer::O200k.count(&note.to_string()).0;
            *sum = (sum.0 + 1, sum.1 + tokens);
        }
    });
    all
}

/// Returns the name of a note's kind.
fn kind_name(note: &Note) -> String {
    match serde_json::to_value(&note.kind) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(serde_json::Value::Object(map)) => map.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}
