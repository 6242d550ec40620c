//! The whole page, for small, empty and hostile data.

use foveal_engine::plan_step::RewriteReason;
use foveal_pricing::bill::{Bill, BillAmount, RequestCosts};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_replay::conversation_replay::VisibleShare;
use foveal_replay::cost::PromptCharge;
use foveal_replay::{ConversationReplay, RequestFigures};
use foveal_report::{
    CompositionSample, FileTokens, MeasuredConversation, PromptComposition, ReportBuilder,
    ReportData, ReportLimits, ReportProfile, render,
};
use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, EntryMark, MessageRole, RecordingPosition, Timestamp,
    TranscriptEntry,
};

const LIMITS: ReportLimits = ReportLimits {
    conversations_drawn: 2,
    conversations_listed: 3,
    profiles_drawn: 2,
    points: 10,
    files: 3,
};

fn profiles(names: &[&str]) -> Vec<ReportProfile> {
    let line = |name: &&str| ReportProfile {
        name: (*name).to_owned(),
        about: format!("about {name}"),
        own: !name.starts_with("base"),
    };
    names.iter().map(line).collect()
}

/// A replay of `requests` requests, a minute apart, each 1000 tokens longer than the last.
fn a_replay(requests: u32, factor: f64) -> ConversationReplay {
    let charge = |prompt: f64| PromptCharge {
        prompt: Tokens(prompt as u64),
        cached: Tokens((prompt * 0.8) as u64),
        dollars: prompt / 1e5,
        ..PromptCharge::default()
    };
    let figures = |at: u32| {
        let prompt = f64::from(at + 1) * 1000.0;
        RequestFigures {
            answer: EntryIndex(at),
            time: Some(Timestamp(i64::from(at) * 60_000)),
            raw: charge(prompt),
            projected: charge(prompt * factor),
            evidence: VisibleShare { used: 10, visible: 9 },
            references: VisibleShare { used: 0, visible: 0 },
            repairs: 0,
            repair_dollars: 0.0,
            rewrite: None,
            bill: None,
            bill_repair_dollars: 0.0,
            shortened_bill_dollars: None,
        }
    };
    ConversationReplay {
        requests: (0..requests).map(figures).collect(),
        ..ConversationReplay::default()
    }
}

fn a_fill(path: &str) -> PromptComposition {
    let raw = [10, 20, 300, 0, 5, 40, 0].map(Tokens);
    let projected = [10, 20, 200, 0, 5, 30, 0].map(Tokens);
    let files = (0..5).map(|at| FileTokens {
        path: format!("{path}{at}"),
        raw: Tokens(100 - at),
        projected: Tokens(50),
    });
    let samples = vec![CompositionSample { request: 1, raw, projected }];
    PromptComposition { raw, projected, samples, files: files.collect() }
}

/// One conversation under each of `factors`.
fn measured(session: &str, requests: u32, factors: &[f64]) -> MeasuredConversation {
    let mut conversation = Conversation::default();
    conversation.agent = Some(format!("agent of {session}"));
    conversation.directory = Some("/project".to_owned());
    let mut measured =
        MeasuredConversation::new(session, &conversation, &PriceCard::anthropic_5m(), LIMITS);
    for factor in factors {
        let fill = a_fill(&format!("/project/{session}"));
        let replay = a_replay(requests, *factor);
        measured.add(&replay, Some(fill));
    }
    measured
}

fn data_of(names: &[&str], conversations: Vec<MeasuredConversation>) -> ReportData {
    let mut builder = ReportBuilder::new(profiles(names), LIMITS);
    for conversation in conversations {
        builder.add(conversation);
    }
    builder.finish(vec![PriceCard::anthropic_5m()])
}

/// Returns the text up to the end of a tag, and the rest; a quoted `>` does not end the tag.
fn tag_of(text: &str) -> (&str, &str) {
    let mut quoted = false;
    let end = text.find(|character| {
        quoted ^= character == '"';
        character == '>' && !quoted
    });
    text.split_at(end.expect("every tag ends"))
}

/// Checks that the page is a well-formed tree of elements without NaN or infinite numbers.
fn check(page: &str) {
    let body = page.strip_prefix("<!DOCTYPE html>").expect("a document type comes first");
    let mut rest = body;
    let mut open: Vec<&str> = Vec::new();
    while let Some(at) = rest.find('<') {
        let (text, from) = rest.split_at(at);
        for wrong in ["NaN", "inf", "undefined"] {
            assert!(!text.split_whitespace().any(|word| word == wrong), "{wrong} in {text}");
        }
        let (tag, after) = tag_of(&from[1..]);
        rest = &after[1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closes what is open");
        } else if !tag.ends_with('/') {
            let name = tag.split_whitespace().next().expect("a tag has a name");
            open.push(name);
            if matches!(name, "script" | "style") {
                let end = rest.find("</").expect("closed again");
                rest = &rest[end..];
            }
        }
        assert!(!tag.contains("NaN") && !tag.contains(":inf"), "{tag}");
        for path in tag.split(" d=\"").skip(1) {
            assert!(!path.starts_with('"') && !path.contains("inf"), "{tag}");
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    for wrong in ["http:", "https:", "src=", "url(", "@import"] {
        assert!(!page.contains(wrong), "the page loads nothing: {wrong}");
    }
}

#[test]
fn pages_of_little_or_nothing_are_whole() {
    let nothing: Vec<(&[&str], Vec<MeasuredConversation>)> = vec![
        (&[], vec![]),
        (&["balanced"], vec![]),
        (&["balanced"], vec![measured("none", 0, &[1.0])]),
        (&["balanced"], vec![measured("one", 1, &[0.5])]),
        (&["balanced", "base"], vec![measured("free", 3, &[0.0, 0.0])]),
        (&["balanced", "base"], vec![measured("dear", 3, &[9.0, 500.0])]),
        (
            &["a", "b", "base c"],
            vec![measured("some", 40, &[0.7, 0.8, 1.5]), measured("x", 2, &[1.0])],
        ),
    ];
    for (names, conversations) in nothing {
        check(&render(&data_of(names, conversations)));
    }
}

#[test]
fn a_conversation_without_cost_has_no_change() {
    let mut measured = MeasuredConversation::new(
        "free",
        &Conversation::default(),
        &PriceCard::anthropic_5m(),
        LIMITS,
    );
    let mut replay = a_replay(2, 1.0);
    for request in &mut replay.requests {
        request.raw = PromptCharge::default();
        request.projected = PromptCharge::default();
    }
    measured.add(&replay, None);
    let data = data_of(&["balanced"], vec![measured]);
    assert_eq!(data.totals[0].cost_change(), None);
    assert_eq!(data.totals[0].mean_cost_change(), None);
    check(&render(&data));
}

#[test]
fn names_cannot_become_markup() {
    let hostile = "</script><script>alert(1)</script>\"'<!--&\u{0}\u{202e}\t\n]]>";
    let conversations = vec![measured(hostile, 3, &[0.5, 0.6])];
    let mut data = data_of(&[hostile, "b"], conversations);
    data.prices[0].name = hostile.to_owned();
    let page = render(&data);
    check(&page);
    assert!(!page.contains("<script>alert"), "no element comes from a name");
    assert!(!page.contains("<!--"), "no comment comes from a name");
    assert!(page.contains("&lt;script&gt;alert(1)"), "the name is shown");
    assert_eq!(page.matches("<script>").count(), 1);
}

#[test]
fn only_the_dearest_are_drawn_and_listed() {
    let of = |requests: &u32| measured(&format!("s{requests}"), *requests, &[0.5, 0.6, 0.7]);
    for order in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 5, 1, 4, 2]] {
        let data = data_of(&["a", "b", "base"], order.iter().map(of).collect());
        let sessions: Vec<(&str, usize)> =
            data.sessions.iter().map(|s| (s.session.as_str(), s.details.len())).collect();
        assert_eq!(sessions, [("s5", 2), ("s4", 2), ("s3", 0), ("s2", 0), ("s1", 0)]);
        assert_eq!(data.totals[0].projected.requests, 15);
        let page = render(&data);
        check(&page);
        assert_eq!(page.matches("<details").count(), 2);
        assert!(page.contains("Counted but not listed: 2 conversations with a lower cost."));
    }
}

#[test]
fn sums_are_those_of_the_replays() {
    let data =
        data_of(&["a", "base"], vec![measured("x", 4, &[0.5, 2.0]), measured("y", 1, &[0.5, 2.0])]);
    let totals = data.totals[0];
    assert_eq!(
        (totals.conversations, totals.projected.requests, totals.raw.tokens.0),
        (2, 5, 11_000)
    );
    assert_eq!(
        (totals.projected.tokens.0, totals.raw.peak.0, totals.projected.peak.0),
        (5_500, 4_000, 2_000)
    );
    assert_eq!(totals.projected.evidence, VisibleShare { used: 50, visible: 45 });
    assert_eq!(totals.cost_change().map(|change| (change * 100.0).round()), Some(-50.0));
    assert_eq!(
        data.totals[1].mean_cost_change().map(|change| (change * 100.0).round()),
        Some(100.0)
    );
    assert_eq!(data.fills[0].raw[2], Tokens(600));
    assert_eq!(data.fills[0].files.len(), 3);
    assert_eq!(data.fills[0].files[0].path, "/project/x0");
}

#[test]
fn marks_stand_where_the_cache_expired_and_results_were_rewritten() {
    let mut replay = a_replay(30, 0.5);
    for request in &mut replay.requests[20..] {
        request.time = request.time.map(|time| Timestamp(time.0 + 600_000));
    }
    replay.requests[7].time = None;
    replay.requests[12].rewrite = Some(RewriteReason::SkiRental);
    let mut measured = MeasuredConversation::new(
        "x",
        &Conversation::default(),
        &PriceCard::anthropic_5m(),
        LIMITS,
    );
    measured.add(&replay, None);
    let data = data_of(&["a"], vec![measured]);
    let detail = &data.sessions[0].details[0];
    assert_eq!((detail.cold.as_slice(), detail.rewrites.as_slice()), (&[21][..], &[13][..]));
    let requests: Vec<u32> = detail.points.iter().map(|point| point.request).collect();
    assert_eq!((requests.len(), requests[0], requests[9]), (10, 1, 30));
    let page = render(&data);
    assert!(page.contains("cache expired") && page.contains("results rewritten"));
}

#[test]
fn data_survives_json() {
    let data = data_of(&["a", "base"], vec![measured("x", 4, &[0.5, 2.0])]);
    let text = serde_json::to_string(&data).expect("plain data");
    let again: ReportData = serde_json::from_str(&text).expect("what was written");
    assert_eq!(again, data);
}

#[test]
fn a_recorded_bill_has_a_table_of_its_own() {
    let names = ["balanced"];
    let page = render(&data_of(&names, vec![measured("a", 2, &[0.7])]));
    assert!(!page.contains("The bill as recorded"));
    assert!(page.contains("input cost of the messages, repairs included"));
    let conversation = Conversation::default();
    let mut one = MeasuredConversation::new("b", &conversation, &PriceCard::anthropic_5m(), LIMITS);
    let mut replay = a_replay(1, 0.7);
    let written = BillAmount { tokens: 1_000, dollars: 2.5 };
    let bill = Bill { written, ..Bill::default() };
    replay.requests[0].bill =
        Some(RequestCosts { billed: bill, otherwise: bill.scale_dollars(0.5) });
    one.add(&replay, None);
    let page = render(&data_of(&names, vec![one]));
    check(&page);
    assert!(!page.contains("repairs: fetched again"));
    assert!(page.contains("The bill as recorded") && page.contains("new, written to the cache"));
    // The large figure is the change of the bill, not of the messages.
    let hero = page.split("figure hero").nth(1).expect("a figure");
    let hero = hero.split("</div>").next().expect("closed again");
    assert!(hero.contains("−50.0\u{202f}%") && hero.contains("of the input as billed"), "{hero}");
    assert!(hero.contains("$2.50 → $1.25"), "{hero}");
}

/// The rows of the recorded bill add up to the figure above them.
#[test]
fn repairs_have_a_row_in_the_bill() {
    let conversation = Conversation::default();
    let mut one = MeasuredConversation::new("b", &conversation, &PriceCard::anthropic_5m(), LIMITS);
    let mut replay = a_replay(1, 0.7);
    let written = BillAmount { tokens: 1_000, dollars: 2.5 };
    let bill = Bill { written, ..Bill::default() };
    replay.requests[0].bill =
        Some(RequestCosts { billed: bill, otherwise: bill.scale_dollars(0.5) });
    replay.requests[0].bill_repair_dollars = 0.75;
    one.add(&replay, None);
    let page = render(&data_of(&["balanced"], vec![one]));
    check(&page);
    assert!(page.contains("$2.50 → $2.00"), "1.25 and the repairs");
    let row = page.split("repairs: fetched again").nth(1).expect("a row");
    let row = row.split("</tr>").next().expect("closed again");
    assert!(row.contains("$0.75"), "{row}");
}

#[test]
fn conversations_are_named_by_day_folder_and_first_words() {
    let user = TranscriptEntry {
        source: RecordingPosition { step: 1, result: None },
        role: MessageRole::User,
        time: Some(Timestamp(1_763_681_581_550)),
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks: vec![ContentBlock::Text("make parcels cheaper".to_owned())],
    };
    let mut conversation: Conversation = [user].into_iter().collect();
    conversation.directory = Some("/home/me/shop".to_owned());
    conversation.agent = Some("Codex".to_owned());
    let mut one =
        MeasuredConversation::new("id-7", &conversation, &PriceCard::anthropic_5m(), LIMITS);
    one.add(&a_replay(1, 0.7), None);
    let page = render(&data_of(&["balanced"], vec![one]));
    check(&page);
    assert_eq!(page.matches(">make parcels cheaper<").count(), 2, "table and drawing");
    assert!(page.contains("2025-11-20 · shop · Codex · id-7"));
}

/// The page is read by people who know neither foveal nor its glossary.
#[test]
fn the_terms_of_the_page_are_explained_in_its_footer() {
    let page = render(&data_of(&["balanced"], vec![measured("a", 2, &[0.7])]));
    let footer = page.split("<footer>").nth(1).expect("a footer");
    for term in ["Profile", "Request", "Bill", "Mean", "Cache read, cache write", "Evidence"] {
        assert!(footer.contains(&format!("<dt>{term}</dt>")), "{term}");
    }
}
