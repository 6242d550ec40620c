//! Old turns told in words, in the bodies of three APIs.

use std::fmt::Write as _;
use std::sync::Arc;

use foveal_context::gist::{Gist, Question};
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_live::Conversations;
use foveal_live::recorder::InMemory;
use foveal_live::request::{Asked, Wait};
use foveal_live::rules::{CacheMarks, Rules};
use foveal_testkit::bodies::Api;
use foveal_testkit::fixture;
use foveal_transcript::{Conversation, Handle};

use crate::support::{asked, bytes, messages, requests_of, shaped};

const TELLING: &str = "It looked at one thing after the other, and all was well.";

/// Who may tell turns of prompts that are soon too long.
fn telling(kept: &Arc<InMemory>) -> Conversations {
    let mut rules = Rules::named("max").expect("a profile");
    (rules.tells, rules.marks) = (true, CacheMarks::Off);
    let rewrite = rules.settings.rewrite.as_mut().expect("it rewrites");
    (rewrite.high, rewrite.low) = (Tokens(2_500), Tokens(1_200));
    Conversations::new(rules, Arc::clone(kept) as _).asking_to_tell()
}

/// A conversation in which the model says much.
fn talk() -> Conversation {
    let mut text = "//- user\nlook\n".to_owned();
    for turn in 0..30 {
        let words = (0..22).fold(String::new(), |all, n| all + &format!(" thing {turn} is {n}"));
        let _ = writeln!(text, "//- assistant\nI \"see\" {turn}.{words}");
        let _ = writeln!(text, "//- call Bash {{\"command\":\"cargo test t{turn}\"}}");
        let _ = writeln!(text, "//- result\nok {turn}");
    }
    fixture(&text)
}

fn gist(question: &Question) -> Gist {
    let answer = format!("{{\"gist\": \"{TELLING}\"}}");
    question.check(&answer, Tokenizer::O200k).expect("it is short and names nothing")
}

/// What is told goes again in the same bytes: by the process that was told it, by another, and by one
/// that has no time to decide; and changes nothing undeclared.
#[test]
fn what_is_told_stays_whoever_sends_it() {
    for api in [Api::Messages, Api::Chat, Api::Responses] {
        let kept = Arc::new(InMemory::default());
        let one = telling(&kept);
        let (mut told, mut before) = (0, Vec::<String>::new());
        for sent in requests_of(&talk(), api) {
            let wait = Wait::impatient();
            telling(&kept).shape(&Asked { counts: true, ..asked(&sent, &wait) });
            let late = wait.give_up(&sent.body).expect("nothing was decided");
            let late = messages(api, &late.unwrap_or_else(|| sent.body.clone()));
            assert!(late.starts_with(&before), "{api:?}: other bytes without time");
            let shaped = shaped(&one, &sent);
            if let Some(to_tell) = &shaped.about.to_tell {
                one.tell(to_tell, gist(&to_tell.question));
            }
            if let Some(it) = shaped.about.told {
                assert!(it.turns > 0 && it.tokens.0 * 2 < it.tokens_before.0, "{it:?}");
                assert!(shaped.about.rewrite.is_some(), "it is not declared");
                told += 1;
            }
            let is_declared = shaped.about.rewrite.is_some();
            let went = bytes(shaped, &sent);
            let other = crate::support::shaped(&telling(&kept), &sent);
            assert_eq!(went, bytes(other, &sent), "{api:?}: other bytes after a restart");
            let went = messages(api, &went);
            assert!(is_declared || went.starts_with(&before), "{api:?}: undeclared");
            before = went;
        }
        assert!(told > 0, "{api:?}: nothing is told");
        let all = before.concat();
        assert_eq!(all.matches(TELLING).count(), told, "{api:?}");
        // Its way back was kept.
        let (_, handle) = all.split_once("told in short by a model; expand ").expect("a note");
        let contents = kept.contents();
        let of =
            |content: &&String| handle.starts_with(&Handle::of(content.as_bytes()).to_string());
        let content = contents.iter().find(of).expect("it is kept");
        assert!(content.contains("I \"see\" 0. thing 0 is 0"), "{content}");
    }
}

/// Others' words are not told: their bytes are their clients'.
#[test]
fn nobody_is_asked_about_what_others_said() {
    let kept = Arc::new(InMemory::default());
    let mut rules = Rules::named("max").expect("a profile");
    let rewrite = rules.settings.rewrite.as_mut().expect("it rewrites");
    (rewrite.high, rewrite.low) = (Tokens(2_500), Tokens(1_200));
    let gateway = Conversations::new(rules, kept).asking_to_tell();
    for sent in requests_of(&talk(), Api::Chat) {
        assert_eq!(shaped(&gateway, &sent).about.to_tell, None);
    }
}
