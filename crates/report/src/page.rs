//! The page: its parts in order.

use foveal_context::prices::PriceCard;

use crate::chart::{context, cost, fill, frontier};
use crate::data::{ProfileLine, ReportData, SessionLine, Totals};
use crate::markup::Html;
use crate::{number, tables};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The whole page as one HTML document that loads nothing.
///
/// ```
/// use foveal_context::prices::PriceCard;
/// use foveal_context::profile::PROFILES;
/// use foveal_context::tokens::Tokenizer;
/// use foveal_transcript::Conversation;
/// use foveal_replay::{Prepared, replay};
/// use foveal_report::{FillSampler, Limits, Measured, ProfileLine, ReportBuilder, render};
///
/// let (prices, limits) = (PriceCard::anthropic_5m(), Limits::default());
/// let profiles: Vec<_> = PROFILES.iter().map(ProfileLine::from).collect();
/// let mut builder = ReportBuilder::new(profiles, prices.clone(), limits);
/// for (name, conversation) in [("a session", Conversation::default())] {
///     let prepared = Prepared::new(conversation.clone(), Tokenizer::O200k);
///     let mut measured = Measured::new(name, &conversation, &prices, limits);
///     for profile in PROFILES {
///         let mut fill = FillSampler::new(&prepared);
///         let mut projector = profile.start(&prices);
///         let replayed = replay(&prepared, &mut projector, &prices, &mut |projector, step| {
///             fill.observe(projector, step);
///         });
///         measured.add(&replayed, Some(fill.finish()));
///     }
///     builder.add(measured);
/// }
/// assert!(render(&builder.finish()).starts_with("<!DOCTYPE html>"));
/// ```
pub fn render(data: &ReportData) -> String {
    let mut html = Html::default();
    html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    html.raw("<meta name=\"robots\" content=\"noindex\"/>\n");
    html.raw("<title>foveal replay</title>\n<style>\n");
    html.raw(STYLE);
    html.raw("</style>\n</head>\n<body>\n<main>\n");
    header(&mut html, data);
    choice(&mut html, data);
    for (at, (profile, totals)) in chosen(data) {
        variant(&mut html, at, "section", |html| figures(html, profile, totals));
    }
    section(&mut html, "Profiles", |html| {
        tables::profiles(html, data);
        frontier::draw(html, data);
    });
    if data.totals.first().is_some_and(|totals| totals.raw.billed.requests > 0) {
        section(&mut html, "The bill as recorded", |html| {
            let text = "What the provider billed, split by why, and what it would have. Prompts \
                        hold more than what is recorded of them: system prompt, tools, reminders \
                        and thinking.";
            html.leaf("p", &[("class", "note")], text);
            tables::bill(html, data);
        });
    }
    section(&mut html, "All conversations", |html| all(html, data));
    section(&mut html, "Conversations by cost", |html| {
        tables::conversations(html, data);
    });
    section(&mut html, "One by one", |html| {
        let drawn = data.sessions.iter().filter(|session| !session.details.is_empty()).count();
        let text = format!(
            "The dearest {}, request by request.",
            number::plural(drawn as u64, "conversation")
        );
        html.leaf("p", &[("class", "note")], &text);
        for (at, session) in data.sessions.iter().enumerate() {
            if !session.details.is_empty() {
                conversation(html, data, at, session);
            }
        }
    });
    footnotes(&mut html, &data.prices);
    html.raw("</main>\n<script>\n");
    html.raw(SCRIPT);
    html.raw("</script>\n</body>\n</html>\n");
    html.finish()
}

fn chosen(data: &ReportData) -> impl Iterator<Item = (usize, (&ProfileLine, &Totals))> {
    data.profiles.iter().zip(&data.totals).take(data.drawn).enumerate()
}

fn section(html: &mut Html, title: &str, body: impl FnOnce(&mut Html)) {
    html.open("section", &[]);
    html.leaf("h2", &[], title);
    body(html);
    html.close("section");
    html.raw("\n");
}

/// Something that is shown only while the profile at `at` is chosen.
fn variant(html: &mut Html, at: usize, tag: &str, body: impl FnOnce(&mut Html)) {
    html.open(tag, &[("class", &format!("variant variant-{at}"))]);
    body(html);
    html.close(tag);
}

fn header(html: &mut Html, data: &ReportData) {
    let totals = data.totals.first().copied().unwrap_or_default();
    html.open("header", &[]);
    html.leaf("h1", &[], "foveal replay");
    let text = format!(
        "{}, {}, {} input tokens, {} as recorded, priced by {}",
        number::plural(totals.conversations, "conversation"),
        number::plural(totals.projected.requests, "request"),
        number::count(totals.raw.tokens.0 as f64),
        number::dollars(totals.raw.dollars),
        data.prices.name,
    );
    html.leaf("p", &[], &text);
    html.close("header");
}

/// The choice of a profile. It is made of plain radio buttons that the style sheet looks at,
/// so it works without the script.
fn choice(html: &mut Html, data: &ReportData) {
    if data.drawn == 0 {
        return;
    }
    html.open("fieldset", &[("class", "choice")]);
    html.leaf("legend", &[], "Profile");
    for (at, (profile, totals)) in chosen(data) {
        let id = format!("profile-{at}");
        let mut attributes = vec![
            ("type", "radio"),
            ("name", "profile"),
            ("id", id.as_str()),
            ("autocomplete", "off"),
        ];
        if at == 0 {
            attributes.push(("checked", "checked"));
        }
        html.empty("input", &attributes);
        html.open("label", &[("for", &id), ("title", &profile.about)]);
        html.leaf("i", &[("class", &format!("series-{at}"))], "");
        html.text(&profile.name);
        html.leaf("small", &[], &number::change(totals.cost_change()));
        html.close("label");
    }
    html.close("fieldset");
}

fn figures(html: &mut Html, profile: &ProfileLine, totals: &Totals) {
    let saved = totals.raw.dollars - totals.projected.dollars;
    let (word, kind) = if saved < 0.0 { ("more", "worse") } else { ("saved", "better") };
    html.open("div", &[("class", "figures")]);
    html.open("div", &[("class", "figure hero")]);
    html.leaf("b", &[("class", kind)], &number::change(totals.cost_change()));
    html.leaf("span", &[], "input cost, repairs included");
    let from = number::dollars(totals.raw.dollars);
    let text = format!(
        "{} {word}: {from} → {}",
        number::dollars(saved.abs()),
        number::dollars(totals.projected.dollars)
    );
    html.leaf("small", &[], &text);
    html.close("div");
    let mean =
        format!("mean of the conversations’ own changes: {}", number::change(totals.mean_change()));
    let peak = format!(
        "peak {} → {}",
        number::count(totals.raw.peak.0 as f64),
        number::count(totals.projected.peak.0 as f64)
    );
    let of = |share: foveal_replay::run::Share| {
        format!("{} of {}", number::thousands(share.visible), number::thousands(share.used))
    };
    let repairs = format!("{} in all", number::thousands(totals.projected.repairs));
    let rewrites = format!("{} in all", number::thousands(totals.projected.rewrites));
    for (value, name, note) in [
        (number::change(totals.token_change()), "input tokens", peak),
        (
            number::share(totals.projected.evidence),
            "evidence visible",
            of(totals.projected.evidence),
        ),
        (
            number::share(totals.projected.references),
            "refs visible",
            of(totals.projected.references),
        ),
        (number::each(totals.projected.repairs, totals.conversations), "repairs each", repairs),
        (number::each(totals.projected.rewrites, totals.conversations), "rewrites each", rewrites),
        (
            number::thousands(u64::from(totals.projected.breaches.total())),
            "laws broken",
            "must be 0".to_owned(),
        ),
    ] {
        html.open("div", &[("class", "figure")]);
        let class = if name == "laws broken" && totals.projected.breaches.total() > 0 {
            "broken"
        } else {
            ""
        };
        html.leaf("b", &[("class", class)], &value);
        html.leaf("span", &[], name);
        html.leaf("small", &[], &note);
        html.close("div");
    }
    html.close("div");
    let text = format!("{}: {}. Cost, {mean}.", profile.name, profile.about);
    html.leaf("p", &[("class", "note")], &text);
}

fn all(html: &mut Html, data: &ReportData) {
    cost::draw_all(html, data);
    for (at, sums) in data.fills.iter().enumerate() {
        variant(html, at, "div", |html| {
            html.open("div", &[("class", "pair")]);
            fill::draw_parts(html, sums, "Tokens sent by effect, recorded → projected");
            fill::draw_files(html, sums, "Files that took most tokens, recorded → projected", None);
            html.close("div");
        });
    }
}

fn conversation(html: &mut Html, data: &ReportData, at: usize, session: &SessionLine) {
    let id = format!("conversation-{at}");
    let mut attributes = vec![("id", id.as_str())];
    if at == 0 {
        attributes.push(("open", "open"));
    }
    html.open("details", &attributes);
    html.open("summary", &[]);
    html.leaf("span", &[("class", "name"), ("title", &session.session)], &session.session);
    let first = session.totals.first().copied().unwrap_or_default();
    let text = format!(
        "{} · {}",
        number::plural(first.projected.requests, "request"),
        number::dollars(first.raw.dollars)
    );
    html.leaf("span", &[("class", "facts")], &text);
    for (choice, totals) in session.totals.iter().take(data.drawn).enumerate() {
        let class = format!("change variant variant-{choice}");
        html.leaf("b", &[("class", &class)], &number::change(totals.cost_change()));
    }
    html.close("summary");
    for (choice, (profile, detail)) in data.profiles.iter().zip(&session.details).enumerate() {
        variant(html, choice, "div", |html| context::draw(html, detail, &profile.name));
    }
    cost::draw_session(html, data, session);
    for (choice, detail) in session.details.iter().enumerate() {
        variant(html, choice, "div", |html| {
            fill::draw_legend(html, &detail.fill);
            fill::draw_areas(html, &detail.fill);
            html.open("div", &[("class", "pair")]);
            fill::draw_parts(html, &detail.fill, "Tokens sent by effect, recorded → projected");
            let directory = session.directory.as_deref();
            let title = "Files that took most tokens, recorded → projected";
            fill::draw_files(html, &detail.fill, title, directory);
            html.close("div");
        });
    }
    html.close("details");
    html.raw("\n");
}

/// What the measures mean, by name.
const MEASURES: [(&str, &str); 10] = [
    (
        "Cost",
        "US dollars for the input of all requests under the price card below: what stands in \
         the provider’s cache (the longest common beginning with the prompt before, unless it \
         expired by the recorded times) is charged as cache reads, the rest as cache writes. \
         The price of repairs is added to projected cost. Output is the same on both sides and \
         left out.",
    ),
    (
        "Tokens",
        "Input tokens of all requests added up, so that what stays in the context counts again with each request.",
    ),
    ("Peak", "The largest single prompt."),
    (
        "Evidence",
        "Of the lines in the arguments of edits that tool results had shown before, the share that was still visible in the projection when the edit was made.",
    ),
    ("Refs", "The same for identifiers and paths in the model’s texts and calls."),
    (
        "Repair",
        "A use of lines that were no longer visible. It is charged as one more cached request, 150 output tokens and the region that was left out.",
    ),
    (
        "Rewrite",
        "A request at which results that had already been sent were changed, which makes the provider write its cache anew from there on.",
    ),
    (
        "Laws broken",
        "Content left out that cannot be fetched again, notes that point at nothing, changes before a declared rewrite, replacements that are larger than what they replace. Must be 0.",
    ),
    (
        "Cost against evidence",
        "The vertical scale is spread by the square root of what is missed. The stepped line \
         joins the profiles that no other beats in both. What costs far more than recorded is \
         drawn at the right edge with its number.",
    ),
    (
        "Tokens sent",
        "Tokens of one kind, or of one file’s reads, added up over all requests. A result that shows several files is divided evenly.",
    ),
];

fn footnotes(html: &mut Html, prices: &PriceCard) {
    html.open("footer", &[]);
    html.leaf("h2", &[], "What is measured");
    html.open("dl", &[]);
    for (name, about) in MEASURES {
        html.leaf("dt", &[], name);
        html.leaf("dd", &[], about);
    }
    html.close("dl");
    html.leaf("h2", &[], "Price card");
    let lifetime = match prices.cache_lifetime_ms {
        Some(lifetime) => format!(
            "expires after {} s without use",
            number::thousands(lifetime.unsigned_abs() / 1000)
        ),
        None => "none".to_owned(),
    };
    html.open("dl", &[("class", "prices")]);
    for (name, value) in [
        ("Name", prices.name.clone()),
        ("Input", number::dollars(prices.input)),
        ("Cache write", number::dollars(prices.cache_write)),
        ("Cache read", number::dollars(prices.cache_read)),
        ("Output", number::dollars(prices.output)),
        ("Cache", lifetime),
        ("Smallest cached prompt", format!("{} tokens", number::thousands(prices.cache_minimum.0))),
    ] {
        html.leaf("dt", &[], name);
        html.leaf("dd", &[], &value);
    }
    html.close("dl");
    html.leaf("p", &[("class", "note")], "US dollars per million tokens.");
    html.close("footer");
}
