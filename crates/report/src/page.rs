//! The page: its sections in order.

use foveal_pricing::prices::{PriceCard, join_card_names};

use crate::chart::{composition, context, cost, frontier};
use crate::data::{ReportConversation, ReportData, ReportProfile, ReportTotals};
use crate::markup::HtmlWriter;
use crate::{number, tables};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Renders the whole page as one HTML document without external resources.
///
/// ```
/// use foveal_pricing::prices::PriceCard;
/// use foveal_pricing::tokens::Tokenizer;
/// use foveal_transcript::Conversation;
/// use foveal_replay::baselines::all_profiles;
/// use foveal_replay::{PreparedConversation, replay};
/// use foveal_report::{
///     CompositionSampler, MeasuredConversation, ReportBuilder, ReportLimits, ReportProfile,
///     render,
/// };
///
/// let (prices, limits) = (PriceCard::anthropic_5m(), ReportLimits::default());
/// let profiles: Vec<_> = all_profiles().map(ReportProfile::from).collect();
/// let mut builder = ReportBuilder::new(profiles, limits);
/// for (name, conversation) in [("a session", Conversation::default())] {
///     let prepared = PreparedConversation::new(conversation.clone(), Tokenizer::O200k);
///     let mut measured = MeasuredConversation::new(name, &conversation, &prices, limits);
///     for profile in all_profiles() {
///         let mut sampler = CompositionSampler::new(&prepared);
///         let mut projector = profile.new_projector(&prices);
///         let replayed = replay(&prepared, &mut projector, &prices, &mut |projector, step| {
///             sampler.observe(projector, step);
///         });
///         measured.add(&replayed, Some(sampler.finish()));
///     }
///     builder.add(measured);
/// }
/// assert!(render(&builder.finish(vec![prices])).starts_with("<!DOCTYPE html>"));
/// ```
pub fn render(data: &ReportData) -> String {
    let mut html = HtmlWriter::default();
    html.push_markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    html.push_markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    html.push_markup("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    html.push_markup("<meta name=\"robots\" content=\"noindex\"/>\n");
    html.push_markup("<title>foveal replay</title>\n<style>\n");
    html.push_markup(STYLE);
    html.push_markup("</style>\n</head>\n<body>\n<main>\n");
    write_header(&mut html, data);
    write_profile_choice(&mut html, data);
    for (at, (profile, totals)) in selectable_profiles(data) {
        write_profile_variant(&mut html, at, "section", |html| {
            write_key_figures(html, profile, totals);
        });
    }
    write_section(&mut html, "Profiles", |html| {
        tables::write_profiles(html, data);
        frontier::draw(html, data);
    });
    if data.totals.first().is_some_and(|totals| totals.raw.billed.requests > 0) {
        write_section(&mut html, "The bill as recorded", |html| {
            let text = "What the provider billed, split by cause, and what it would have billed \
                        under each profile. Prompts contain more than their recordings: system \
                        prompt, tools, reminders and thinking.";
            html.text_element("p", &[("class", "note")], text);
            tables::write_bill(html, data);
        });
    }
    write_section(&mut html, "All conversations", |html| write_all_conversations(html, data));
    write_section(&mut html, "Conversations by cost", |html| {
        tables::write_conversations(html, data);
    });
    write_section(&mut html, "Each conversation", |html| {
        let drawn = data.sessions.iter().filter(|session| !session.details.is_empty()).count();
        let text = format!(
            "The most expensive {}, request by request.",
            number::format_plural(drawn as u64, "conversation")
        );
        html.text_element("p", &[("class", "note")], &text);
        for (at, session) in data.sessions.iter().enumerate() {
            if !session.details.is_empty() {
                write_conversation(html, data, at, session);
            }
        }
    });
    write_footnotes(&mut html, &data.prices);
    html.push_markup("</main>\n<script>\n");
    html.push_markup(SCRIPT);
    html.push_markup("</script>\n</body>\n</html>\n");
    html.finish()
}

fn selectable_profiles(
    data: &ReportData,
) -> impl Iterator<Item = (usize, (&ReportProfile, &ReportTotals))> {
    data.profiles.iter().zip(&data.totals).take(data.drawn).enumerate()
}

fn write_section(html: &mut HtmlWriter, title: &str, body: impl FnOnce(&mut HtmlWriter)) {
    html.open_element("section", &[]);
    html.text_element("h2", &[], title);
    body(html);
    html.close_element("section");
    html.push_markup("\n");
}

/// Writes content that is visible only while the profile at `at` is selected.
fn write_profile_variant(
    html: &mut HtmlWriter,
    at: usize,
    tag: &str,
    body: impl FnOnce(&mut HtmlWriter),
) {
    html.open_element(tag, &[("class", &format!("variant variant-{at}"))]);
    body(html);
    html.close_element(tag);
}

fn write_header(html: &mut HtmlWriter, data: &ReportData) {
    let totals = data.totals.first().copied().unwrap_or_default();
    html.open_element("header", &[]);
    html.text_element("h1", &[], "foveal replay");
    let cost = match totals.raw.recorded_bill_dollars() {
        Some(billed) => format!("{} as billed, answers included", number::format_dollars(billed)),
        None => format!("{} for input as recorded", number::format_dollars(totals.raw.dollars)),
    };
    let text = format!(
        "{}, {}, {} input tokens, {cost}, priced by {}",
        number::format_plural(totals.conversations, "conversation"),
        number::format_plural(totals.projected.requests, "request"),
        number::format_count(totals.raw.tokens.0 as f64),
        join_card_names(&data.prices)
            .unwrap_or_else(|| format!("the price cards of {} models", data.prices.len())),
    );
    html.text_element("p", &[], &text);
    html.close_element("header");
}

/// Writes the choice of a profile: plain radio buttons that the style sheet refers to, so it works
/// without the script.
fn write_profile_choice(html: &mut HtmlWriter, data: &ReportData) {
    if data.drawn == 0 {
        return;
    }
    html.open_element("fieldset", &[("class", "choice")]);
    html.text_element("legend", &[], "Profile");
    for (at, (profile, totals)) in selectable_profiles(data) {
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
        html.empty_element("input", &attributes);
        html.open_element("label", &[("for", &id), ("title", &profile.about)]);
        html.text_element("i", &[("class", &format!("series-{at}"))], "");
        html.push_text(&profile.name);
        html.text_element("small", &[], &number::format_change(totals.headline_change()));
        html.close_element("label");
    }
    html.close_element("fieldset");
}

fn write_saving(html: &mut HtmlWriter, totals: &ReportTotals) {
    let raw = &totals.raw;
    let (from, to) = (totals.recorded_input_dollars(), totals.projected_input_dollars());
    let name = match totals.is_billed() {
        true => "of the input as billed, repairs included",
        false => "input cost of the messages, repairs included",
    };
    let (word, kind) = if to > from { ("more", "worse") } else { ("saved", "better") };
    html.open_element("div", &[("class", "figure hero")]);
    html.text_element("b", &[("class", kind)], &number::format_change(totals.headline_change()));
    html.text_element("span", &[], name);
    let mut text = format!(
        "{} {word}: {} → {}",
        number::format_dollars((from - to).abs()),
        number::format_dollars(from),
        number::format_dollars(to)
    );
    if totals.is_billed() && raw.billed.requests < raw.requests {
        let billed = number::format_thousands(raw.billed.requests);
        text += &format!(
            " ({billed} of {} have a bill)",
            number::format_plural(raw.requests, "request")
        );
    }
    let shortened = raw.shortened;
    if shortened.requests > 0 {
        text += &format!(
            " (whole prompts; foveal had shortened {}, which were billed {})",
            number::format_plural(shortened.requests, "request"),
            number::format_dollars(shortened.dollars)
        );
    }
    html.text_element("small", &[], &text);
    html.close_element("div");
}

fn write_key_figures(html: &mut HtmlWriter, profile: &ReportProfile, totals: &ReportTotals) {
    html.open_element("div", &[("class", "figures")]);
    write_saving(html, totals);
    let messages = number::format_change(totals.cost_change());
    let mean = number::format_change(totals.mean_cost_change());
    let peak = format!(
        "peak {} → {}",
        number::format_count(totals.raw.peak.0 as f64),
        number::format_count(totals.projected.peak.0 as f64)
    );
    let of = |share: foveal_replay::conversation_replay::VisibleShare| {
        format!(
            "{} of {}",
            number::format_thousands(share.visible),
            number::format_thousands(share.used)
        )
    };
    let repairs = format!("{} in total", number::format_thousands(totals.projected.repairs));
    let rewrites = format!("{} in total", number::format_thousands(totals.projected.rewrites));
    for (value, name, note) in [
        (number::format_change(totals.token_change()), "input tokens", peak),
        (
            number::format_share(totals.projected.evidence),
            "evidence visible",
            of(totals.projected.evidence),
        ),
        (
            number::format_share(totals.projected.references),
            "refs visible",
            of(totals.projected.references),
        ),
        (
            number::format_mean(totals.projected.repairs, totals.conversations),
            "repairs per conversation",
            repairs,
        ),
        (
            number::format_mean(totals.projected.rewrites, totals.conversations),
            "rewrites per conversation",
            rewrites,
        ),
        (
            number::format_thousands(u64::from(totals.projected.breaches.total())),
            "laws broken",
            "must be 0".to_owned(),
        ),
    ] {
        html.open_element("div", &[("class", "figure")]);
        let class = if name == "laws broken" && totals.projected.breaches.total() > 0 {
            "broken"
        } else {
            ""
        };
        html.text_element("b", &[("class", class)], &value);
        html.text_element("span", &[], name);
        html.text_element("small", &[], &note);
        html.close_element("div");
    }
    html.close_element("div");
    let mut text = format!("{}: {}.", profile.name, profile.about);
    if totals.is_billed() {
        text += &format!(" Change of cost for the recorded messages alone: {messages}.");
    }
    text += &format!(" Mean change of cost per conversation: {mean}.");
    html.text_element("p", &[("class", "note")], &text);
}

fn write_all_conversations(html: &mut HtmlWriter, data: &ReportData) {
    cost::draw_all(html, data);
    for (at, sums) in data.fills.iter().enumerate() {
        write_profile_variant(html, at, "div", |html| {
            html.open_element("div", &[("class", "pair")]);
            composition::draw_kind_bars(html, sums, "Tokens sent by kind, recorded → projected");
            composition::draw_file_bars(
                html,
                sums,
                "Files with the most tokens, recorded → projected",
                None,
            );
            html.close_element("div");
        });
    }
}

fn write_conversation(
    html: &mut HtmlWriter,
    data: &ReportData,
    at: usize,
    session: &ReportConversation,
) {
    let id = format!("conversation-{at}");
    let mut attributes = vec![("id", id.as_str())];
    if at == 0 {
        attributes.push(("open", "open"));
    }
    html.open_element("details", &attributes);
    html.open_element("summary", &[]);
    html.text_element("span", &[("class", "name"), ("title", &session.session)], session.title());
    let first = session.totals.first().copied().unwrap_or_default();
    let mut facts = vec![session.origin()];
    facts.push(number::format_plural(first.projected.requests, "request"));
    facts.push(match first.raw.recorded_bill_dollars() {
        Some(billed) => format!("billed {}", number::format_dollars(billed)),
        None => number::format_dollars(first.raw.dollars),
    });
    facts.retain(|fact| !fact.is_empty());
    html.text_element("span", &[("class", "facts")], &facts.join(" · "));
    for (choice, totals) in session.totals.iter().take(data.drawn).enumerate() {
        let class = format!("change variant variant-{choice}");
        html.text_element(
            "b",
            &[("class", &class)],
            &number::format_change(totals.headline_change()),
        );
    }
    html.close_element("summary");
    for (choice, (profile, detail)) in data.profiles.iter().zip(&session.details).enumerate() {
        write_profile_variant(html, choice, "div", |html| {
            context::draw(html, detail, &profile.name);
        });
    }
    cost::draw_conversation(html, data, session);
    for (choice, detail) in session.details.iter().enumerate() {
        write_profile_variant(html, choice, "div", |html| {
            composition::draw_kind_legend(html, &detail.fill);
            composition::draw_areas(html, &detail.fill);
            html.open_element("div", &[("class", "pair")]);
            composition::draw_kind_bars(
                html,
                &detail.fill,
                "Tokens sent by kind, recorded → projected",
            );
            let directory = Some(session.label.folder.as_str()).filter(|folder| !folder.is_empty());
            let title = "Files with the most tokens, recorded → projected";
            composition::draw_file_bars(html, &detail.fill, title, directory);
            html.close_element("div");
        });
    }
    html.close_element("details");
    html.push_markup("\n");
}

/// The terms of the page with their explanations.
const TERMS: [(&str, &str); 7] = [
    (
        "Profile",
        "A named set of rules that decides what foveal leaves out: lossless omits only what \
         appears elsewhere in the same prompt, balanced is the default, max omits the most.",
    ),
    (
        "Request",
        "One call of the model: the whole conversation so far goes in, one answer comes out.",
    ),
    (
        "As recorded, projected",
        "What the agent sent, and what foveal would have sent in its place under the chosen profile.",
    ),
    (
        "Cache read, cache write",
        "The provider caches the beginning of a prompt. Cached tokens are charged at a reduced \
         price (read); new and changed ones at the full price or more (write).",
    ),
    (
        "Bill",
        "What the provider charged for the input by the token counts that the agent recorded. It \
         contains the system prompt, tools and thinking, which the recorded messages do not.",
    ),
    (
        "Mean",
        "The average of each conversation’s own change, so that long conversations do not count more.",
    ),
    (
        "Baselines and hindsight",
        "Rules of other tools and of design documents, and a rule that knows what will be used. \
         They are there to compare with. foveal’s own agent offers the rules of design documents \
         (`foveal run --profile`), the gateway none of them.",
    ),
];

/// The measures with their explanations.
const MEASURES: [(&str, &str); 10] = [
    (
        "Cost",
        "US dollars for the input of all requests under the price card below: the part in the \
         provider’s cache (the longest common prefix with the previous prompt, unless it had \
         expired by the recorded times) is charged as cache reads, the rest as cache writes. The \
         price of repairs is added to projected cost. Output is the same on both sides and is not \
         counted.",
    ),
    (
        "Tokens",
        "The sum of the input tokens of all requests: content that stays in the context counts \
         again with each request.",
    ),
    ("Peak", "The largest single prompt."),
    (
        "Evidence",
        "Of the lines in edit arguments that earlier tool results had shown, the share that was \
         still visible in the projection when the edit was made.",
    ),
    ("Refs", "The same for identifiers and paths in the model’s texts and calls."),
    (
        "Repair",
        "A use of lines that were no longer visible. It is charged as one more cached request, 150 output tokens and the region that was left out.",
    ),
    (
        "Rewrite",
        "A request that changed results that had already been sent. The provider then writes its \
         cache again from there on.",
    ),
    (
        "Laws broken",
        "Content left out that cannot be fetched again, notes that refer to nothing, changes \
         before a declared rewrite, replacements that are larger than the original. Must be 0.",
    ),
    (
        "Cost against evidence",
        "The vertical scale is the square root of the missed share. The stepped line joins the \
         profiles that no other profile beats in both measures. Profiles that cost far more than \
         recorded are drawn at the right edge with their number.",
    ),
    (
        "Tokens sent",
        "The sum over all requests of the tokens of one kind, or of one file’s reads. A result \
         that shows several files is divided evenly.",
    ),
];

fn write_footnotes(html: &mut HtmlWriter, prices: &[PriceCard]) {
    html.open_element("footer", &[]);
    for (title, entries) in [("Terms", &TERMS[..]), ("What is measured", &MEASURES[..])] {
        html.text_element("h2", &[], title);
        html.open_element("dl", &[]);
        for (name, about) in entries {
            html.text_element("dt", &[], name);
            html.text_element("dd", &[], about);
        }
        html.close_element("dl");
    }
    for card in prices {
        write_price_card(html, card);
    }
    html.text_element("p", &[("class", "note")], "US dollars per million tokens.");
    html.close_element("footer");
}

fn write_price_card(html: &mut HtmlWriter, prices: &PriceCard) {
    html.text_element("h2", &[], "Price card");
    let lifetime = match prices.cache_lifetime_ms {
        Some(lifetime) => format!(
            "expires after {} s without use",
            number::format_thousands(lifetime.unsigned_abs() / 1000)
        ),
        None => "none".to_owned(),
    };
    html.open_element("dl", &[("class", "prices")]);
    for (name, value) in [
        ("Name", prices.name.clone()),
        ("Input", number::format_dollars(prices.input)),
        ("Cache write", number::format_dollars(prices.cache_write)),
        ("Cache read", number::format_dollars(prices.cache_read)),
        ("Output", number::format_dollars(prices.output)),
        ("Cache", lifetime),
        (
            "Smallest cached prompt",
            format!("{} tokens", number::format_thousands(prices.cache_minimum.0)),
        ),
    ] {
        html.text_element("dt", &[], name);
        html.text_element("dd", &[], &value);
    }
    html.close_element("dl");
}
