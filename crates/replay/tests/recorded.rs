//! The engine's laws on recorded sessions.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::plan_step::{PlanStep, RewriteReason};
use foveal_engine::profile::PROFILES;
use foveal_engine::projector::Projector;
use foveal_engine::settings::Settings;
use foveal_engine::views::ViewSource;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_replay::conversation_replay::ConversationReplay;
use foveal_replay::{PreparedConversation, replay};
use foveal_testkit::laws::{
    self, CheckScope, Law, LawSubject, content, determinism, eager_view_settings, frozen_prefix,
    own_profiles, pointers, rewrites,
};
use foveal_transcript::Conversation;
use rayon::prelude::*;

/// Unoptimised builds test only every nth file, so that the test can run often.
const EVERY: usize = if cfg!(debug_assertions) { 6 } else { 1 };

pub(crate) fn sessions() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/sessions/atif");
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten());
    let mut files: Vec<_> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    if files.is_empty() {
        eprintln!("skipped: ../shared/sessions/atif is missing");
    }
    files.into_iter().step_by(EVERY).collect()
}

pub(crate) fn conversations(path: &Path) -> Vec<Conversation> {
    let file = std::fs::File::open(path).expect("a session is readable");
    let name = path.display().to_string();
    let read = foveal_session_readers::read_all_sessions(
        foveal_session_readers::SessionFormat::Atif,
        &name,
        std::io::BufReader::new(file),
    );
    let (sessions, _) = read.expect("a session is readable to its end");
    sessions.into_iter().flat_map(|session| session.conversations).collect()
}

/// The built-in curator, created once.
fn curator() -> Arc<dyn ViewSource> {
    static CURATOR: LazyLock<Arc<CuratedViewSource>> = LazyLock::new(Arc::default);
    Arc::clone(&*CURATOR) as Arc<dyn ViewSource>
}

fn for_each(check: impl Fn(&ConversationRecord) + Sync) {
    sessions().par_iter().for_each(|path| {
        for conversation in conversations(path) {
            let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
            check(&record);
        }
    });
}

#[test]
fn every_law_holds_at_every_request() {
    const LAWS: &[Law] = &[
        content::handles_resolve,
        content::replacements_are_smaller,
        content::other_content_is_unchanged,
        frozen_prefix::prefix_is_frozen,
        pointers::repeated_calls_return_content,
        pointers::ledger_is_bounded,
        pointers::pointers_resolve,
        pointers::omissions_are_noted,
        rewrites::rewrites_are_justified,
    ];
    for_each(|record| {
        for (_, settings) in own_profiles() {
            let subject = LawSubject::from_settings(settings);
            laws::check_laws(record, subject, CheckScope::Changes, LAWS);
        }
    });
}

#[test]
fn notes_are_true() {
    for_each(|record| {
        for (_, settings) in own_profiles() {
            let laws: &[Law] = &[pointers::notes_are_true];
            laws::check_laws(
                record,
                LawSubject::from_settings(settings),
                CheckScope::Changes,
                laws,
            );
        }
    });
}

/// Settings with curated first reads of 100 lines, and old reads reduced to a few tokens.
fn curated_early() -> Settings {
    let mut settings = eager_view_settings();
    settings.curate.iter_mut().for_each(|curate| curate.lines_min = 100);
    settings
}

#[test]
fn the_laws_hold_with_the_built_in_curator() {
    const LAWS: &[Law] = &[
        content::handles_resolve,
        content::replacements_are_smaller,
        content::other_content_is_unchanged,
        frozen_prefix::prefix_is_frozen,
        pointers::repeated_calls_return_content,
        pointers::pointers_resolve,
        pointers::omissions_are_noted,
        pointers::notes_are_true,
        rewrites::rewrites_are_justified,
    ];
    for_each(|record| {
        for settings in [curated_early(), Settings::curated(), Settings::max()] {
            let subject = LawSubject::from_settings_and_views(settings, curator());
            laws::check_laws(record, subject, CheckScope::Changes, LAWS);
        }
    });
}

#[test]
fn repeats_follow_their_line() {
    for_each(|record| {
        for (_, settings) in own_profiles() {
            let laws: &[Law] = &[pointers::repeats_follow_their_line];
            laws::check_laws(
                record,
                LawSubject::from_settings(settings),
                CheckScope::Changes,
                laws,
            );
        }
    });
}

#[test]
fn a_passed_high_mark_leads_to_few_rewrites() {
    for_each(|record| {
        let mut settings = Settings::balanced();
        if let Some(rewrite) = &mut settings.rewrite {
            rewrite.high = Tokens(30_000);
            rewrite.low = Tokens(15_000);
        }
        let steps =
            laws::check_laws(record, LawSubject::from_settings(settings), CheckScope::Changes, &[]);
        let high = |step: &&PlanStep| step.rewrite == Some(RewriteReason::HighMark);
        let rewrites = steps.iter().filter(high).count();
        assert!(rewrites <= 3 + steps.len() / 10, "{rewrites} in {} requests", steps.len());
    });
}

#[test]
fn lossless_shows_everything() {
    for_each(|record| {
        let subject = LawSubject::from_settings(Settings::lossless());
        let laws: &[Law] = &[content::all_lines_are_visible];
        laws::check_laws(record, subject, CheckScope::Changes, laws);
    });
}

#[test]
fn a_plan_can_be_taken_up_and_knows_no_future() {
    for_each(|record| {
        let requests = laws::answers_to_plan(record).len();
        for settings in [Settings::balanced(), Settings::max(), Settings::curated()] {
            let (places, views) = ([requests / 3, requests * 2 / 3], curator());
            determinism::resuming_is_deterministic(&settings, &views, record, places);
            determinism::later_entries_change_no_step(&settings, &views, record);
        }
    });
}

#[test]
fn the_measures_find_no_breach_and_lossless_keeps_the_evidence() {
    for_each(|record| {
        let prepared = PreparedConversation::new(record.conversation().clone(), Tokenizer::O200k);
        for (name, settings) in own_profiles() {
            let ConversationReplay { requests, breaches, .. } = replay_under(&prepared, settings);
            assert_eq!(breaches.total(), 0, "{name}: {breaches:?}");
            let seen = |r: &foveal_replay::RequestFigures| r.evidence.visible <= r.evidence.used;
            assert!(requests.iter().all(seen), "{name}");
            if name == "lossless" {
                let lost: u64 = requests.iter().map(|r| r.evidence.used - r.evidence.visible).sum();
                assert_eq!(
                    lost,
                    0,
                    "lines of edits are lost in {}",
                    prepared.record.conversation().id
                );
            }
        }
    });
}

fn replay_under(prepared: &PreparedConversation, settings: Settings) -> ConversationReplay {
    let LawSubject { mut projector, prices, .. } =
        LawSubject::from_settings_and_views(settings, curator());
    replay(prepared, &mut projector, &prices, &mut |_: &Projector, _| {})
}

#[test]
fn no_session_costs_more_on_any_card_with_repairs() {
    for_each(|record| {
        let prepared = PreparedConversation::new(record.conversation().clone(), Tokenizer::O200k);
        for profile in PROFILES {
            let name = profile.name;
            for card in PriceCard::built_in_cards() {
                let mut projector = profile.new_projector(&card).with_view_source(curator());
                let done: ConversationReplay =
                    replay(&prepared, &mut projector, &card, &mut |_, _| {});
                let (raw, net) = (done.raw_dollars(), done.net_dollars());
                let id = &prepared.record.conversation().id;
                assert!(net <= raw + 1e-9, "{name}, {}: {net} for {raw} in {id}", card.name);
            }
        }
    });
}

#[test]
fn rewrites_are_rare() {
    for_each(|record| {
        let prepared = PreparedConversation::new(record.conversation().clone(), Tokenizer::O200k);
        for settings in [Settings::balanced(), Settings::max()] {
            let replay = replay_under(&prepared, settings);
            // What goes after one look has its own bounds.
            let is_rare = |why| why != RewriteReason::LookedOnce;
            let rewritten = replay.requests.iter().filter(|r| r.rewrite.is_some_and(is_rare));
            let rewrites = rewritten.count();
            let requests = replay.requests.len();
            // A few for the first dead weight, and not more than one in ten after that.
            assert!(rewrites <= 3 + requests / 10, "{rewrites} rewrites, {requests} requests");
        }
    });
}
