//! The tables of profiles, bills and conversations.

use foveal_pricing::bill::part_label;

use crate::data::{ReportConversation, ReportData, ReportProfile, ReportTotals};
use crate::markup::HtmlWriter;
use crate::number;

/// Writes all profiles, after the recorded prompts.
pub(crate) fn write_profiles(html: &mut HtmlWriter, data: &ReportData) {
    html.open_element("div", &[("class", "scroll"), ("tabindex", "0")]);
    html.open_element("table", &[("class", "profiles")]);
    let heads = [
        ("Profile", ""),
        ("Cost", "change of input cost, repairs included"),
        ("Bill", "change of the billed input cost, which covers more than the recording"),
        ("Mean", "mean change of cost per conversation"),
        ("Dollars", ""),
        ("Tokens", "change of input tokens"),
        ("Peak", "largest prompt, in tokens"),
        ("Evidence", "share of the lines used in edits that were visible"),
        ("Refs", "share of the used identifiers and paths that were visible"),
        ("Repairs", "repairs per conversation"),
        ("Rewrites", "rewrites per conversation"),
        ("Laws broken", ""),
    ];
    write_table_head(html, &heads);
    html.open_element("tbody", &[]);
    if let Some(totals) = data.totals.first() {
        write_recorded_row(html, totals);
    }
    // Bars are scaled to the largest saving; an expensive baseline fills its cell.
    let saved = data.totals.iter().filter_map(ReportTotals::cost_change).map(|change| -change);
    let most = saved.fold(0.1, f64::max);
    for (at, (profile, totals)) in data.profiles.iter().zip(&data.totals).enumerate() {
        write_profile_row(html, at, at < data.drawn, profile, totals, most);
    }
    html.close_element("tbody");
    html.close_element("table");
    html.close_element("div");
}

/// Writes the recorded bill by cause, and the calculated one of each profile.
pub(crate) fn write_bill(html: &mut HtmlWriter, data: &ReportData) {
    let Some(recorded) = data.totals.first().map(|totals| totals.raw.billed) else { return };
    html.open_element("div", &[("class", "scroll"), ("tabindex", "0")]);
    html.open_element("table", &[]);
    let mut heads = vec![("Billed for", ""), ("Tokens", "as recorded"), ("Dollars", "as recorded")];
    heads.extend(data.profiles.iter().map(|profile| (profile.name.as_str(), "dollars")));
    write_table_head(html, &heads);
    html.open_element("tbody", &[]);
    for (at, (key, part)) in recorded.bill.parts().into_iter().enumerate() {
        html.open_element("tr", &[]);
        html.text_element("th", &[("scope", "row")], part_label(key));
        html.text_element("td", &[], &number::format_count(part.tokens as f64));
        html.text_element("td", &[], &number::format_dollars(part.dollars));
        for totals in &data.totals {
            let (_, with) = totals.projected.billed.bill.parts()[at];
            html.text_element("td", &[], &number::format_dollars(with.dollars));
        }
        html.close_element("tr");
    }
    write_repairs_row(html, data);
    html.close_element("tbody");
    html.close_element("table");
    html.close_element("div");
}

/// Writes the dollars of repairs, which are part of each profile's bill, but of no recorded one.
fn write_repairs_row(html: &mut HtmlWriter, data: &ReportData) {
    let repairs = |totals: &ReportTotals| totals.projected.billed.repair_dollars;
    if data.totals.iter().all(|totals| repairs(totals) <= 0.0) {
        return;
    }
    html.open_element("tr", &[]);
    html.text_element("th", &[("scope", "row")], "repairs: fetched again");
    html.text_element("td", &[], "");
    html.text_element("td", &[], "");
    for totals in &data.totals {
        html.text_element("td", &[], &number::format_dollars(repairs(totals)));
    }
    html.close_element("tr");
}

fn write_table_head(html: &mut HtmlWriter, heads: &[(&str, &str)]) {
    html.open_element("thead", &[]);
    html.open_element("tr", &[]);
    for (name, about) in heads {
        if about.is_empty() {
            html.text_element("th", &[("scope", "col")], name);
        } else {
            html.text_element("th", &[("scope", "col"), ("title", about)], name);
        }
    }
    html.close_element("tr");
    html.close_element("thead");
}

fn write_recorded_row(html: &mut HtmlWriter, totals: &ReportTotals) {
    html.open_element("tr", &[("class", "recorded")]);
    html.open_element("th", &[("scope", "row")]);
    html.text_element("i", &[("class", "series-raw")], "");
    html.push_text("as recorded");
    html.close_element("th");
    let billed = &totals.raw.billed;
    for text in [
        number::format_change(Some(0.0)),
        number::format_change(billed.input_cost_change(billed)),
        number::format_change(Some(0.0)),
        number::format_dollars(totals.raw.dollars),
        number::format_count(totals.raw.tokens.0 as f64),
        number::format_count(totals.raw.peak.0 as f64),
        number::format_share(totals.raw.evidence),
        number::format_share(totals.raw.references),
        "0".to_owned(),
        "0".to_owned(),
        "0".to_owned(),
    ] {
        html.text_element("td", &[], &text);
    }
    html.close_element("tr");
}

fn write_profile_row(
    html: &mut HtmlWriter,
    at: usize,
    drawn: bool,
    profile: &ReportProfile,
    totals: &ReportTotals,
    most: f64,
) {
    html.open_element("tr", &[]);
    html.open_element("th", &[("scope", "row")]);
    let class = match (profile.own, drawn) {
        (true, true) => format!("series-{at}"),
        (true, false) => "own".to_owned(),
        (false, true) => format!("mark series-{at}"),
        (false, false) => "mark baseline".to_owned(),
    };
    html.text_element("i", &[("class", &class)], "");
    html.push_text(&profile.name);
    html.text_element("small", &[], &profile.about);
    html.close_element("th");
    let change = totals.cost_change();
    let side = if change.unwrap_or(0.0) > 0.0 { "worse" } else { "better" };
    html.open_element("td", &[("class", side)]);
    html.push_text(&number::format_change(change));
    let width = (change.unwrap_or(0.0).abs() / most * 100.0).min(100.0);
    html.text_element("i", &[("class", "bar"), ("style", &format!("width:{width:.1}%"))], "");
    html.close_element("td");
    for text in [
        number::format_change(totals.projected.billed.input_cost_change(&totals.raw.billed)),
        number::format_change(totals.mean_cost_change()),
        number::format_dollars(totals.projected.dollars),
        number::format_change(totals.token_change()),
        number::format_count(totals.projected.peak.0 as f64),
        number::format_share(totals.projected.evidence),
        number::format_share(totals.projected.references),
        number::format_mean(totals.projected.repairs, totals.conversations),
        number::format_mean(totals.projected.rewrites, totals.conversations),
    ] {
        html.text_element("td", &[], &text);
    }
    let class = if totals.projected.breaches.total() > 0 { "broken" } else { "" };
    html.text_element(
        "td",
        &[("class", class)],
        &number::format_thousands(u64::from(totals.projected.breaches.total())),
    );
    html.close_element("tr");
}

/// Writes the most expensive conversations with links to their drawings, and the number of the
/// others.
pub(crate) fn write_conversations(html: &mut HtmlWriter, data: &ReportData) {
    let heads = [
        ("Conversation", ""),
        ("Requests", ""),
        ("Peak", "largest recorded prompt, in tokens"),
        ("Recorded", "input cost as billed, or as recorded without a bill"),
        ("Projected", "cost under the chosen profile, repairs included"),
        ("Cost", "change of cost"),
        ("Evidence", ""),
        ("Refs", ""),
        ("Repairs", ""),
    ];
    html.open_element("div", &[("class", "scroll tall"), ("tabindex", "0")]);
    html.open_element("table", &[("class", "conversations")]);
    write_table_head(html, &heads);
    html.open_element("tbody", &[]);
    let listed = data.limits.conversations_listed;
    for (at, session) in data.sessions.iter().take(listed).enumerate() {
        write_conversation_row(html, data, at, session);
    }
    html.close_element("tbody");
    html.close_element("table");
    html.close_element("div");
    let more = data.sessions.len().saturating_sub(listed);
    if more > 0 {
        let text = format!(
            "Counted but not listed: {} with a lower cost.",
            number::format_plural(more as u64, "conversation")
        );
        html.text_element("p", &[("class", "note")], &text);
    }
}

fn write_conversation_row(
    html: &mut HtmlWriter,
    data: &ReportData,
    at: usize,
    session: &ReportConversation,
) {
    let first = session.totals.first().copied().unwrap_or_default();
    html.open_element("tr", &[]);
    html.open_element("th", &[("scope", "row")]);
    let about =
        if session.label.folder.is_empty() { &session.session } else { &session.label.folder };
    if session.details.is_empty() {
        html.text_element("span", &[("title", about)], session.title());
    } else {
        let target = format!("#conversation-{at}");
        html.text_element("a", &[("href", &target), ("title", about)], session.title());
    }
    let mut facts = vec![session.origin()];
    if !session.label.first_words.is_empty() {
        facts.push(session.session.clone());
    }
    facts.retain(|fact| !fact.is_empty());
    if !facts.is_empty() {
        html.text_element("small", &[], &facts.join(" · "));
    }
    html.close_element("th");
    html.text_element("td", &[], &number::format_thousands(first.projected.requests));
    html.text_element("td", &[], &number::format_count(first.raw.peak.0 as f64));
    html.text_element("td", &[], &number::format_dollars(first.recorded_input_dollars()));
    let figures: [fn(&ReportTotals) -> String; 5] = [
        |totals| number::format_dollars(totals.projected_input_dollars()),
        |totals| number::format_change(totals.headline_change()),
        |totals| number::format_share(totals.projected.evidence),
        |totals| number::format_share(totals.projected.references),
        |totals| number::format_thousands(totals.projected.repairs),
    ];
    for figure in figures {
        html.open_element("td", &[]);
        for (choice, totals) in session.totals.iter().take(data.drawn).enumerate() {
            let class = format!("variant variant-{choice}");
            html.text_element("span", &[("class", &class)], &figure(totals));
        }
        html.close_element("td");
    }
    html.close_element("tr");
}
