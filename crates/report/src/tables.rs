//! The tables of profiles and of conversations.

use foveal_context::bill::words;

use crate::data::{ProfileLine, ReportData, SessionLine, Totals};
use crate::markup::Html;
use crate::number;

/// Draws all profiles, the recorded prompts first.
pub(crate) fn profiles(html: &mut Html, data: &ReportData) {
    html.open("div", &[("class", "scroll"), ("tabindex", "0")]);
    html.open("table", &[("class", "profiles")]);
    let heads = [
        ("Profile", ""),
        ("Cost", "change of input cost, repairs included"),
        ("Bill", "change of the input as billed, which holds more than what is recorded"),
        ("Mean", "mean of the conversations’ own changes of cost"),
        ("Dollars", ""),
        ("Tokens", "change of input tokens"),
        ("Peak", "largest prompt, in tokens"),
        ("Evidence", "share of lines used in edits that were visible"),
        ("Refs", "share of identifiers and paths used that were visible"),
        ("Repairs", "repairs for each conversation"),
        ("Rewrites", "rewrites for each conversation"),
        ("Laws broken", ""),
    ];
    head(html, &heads);
    html.open("tbody", &[]);
    if let Some(totals) = data.totals.first() {
        recorded_row(html, totals);
    }
    // Bars are drawn to the scale of what is saved; a costly baseline fills its cell.
    let saved = data.totals.iter().filter_map(Totals::cost_change).map(|change| -change);
    let most = saved.fold(0.1, f64::max);
    for (at, (profile, totals)) in data.profiles.iter().zip(&data.totals).enumerate() {
        profile_row(html, (at, at < data.drawn), profile, totals, most);
    }
    html.close("tbody");
    html.close("table");
    html.close("div");
}

/// Draws what was billed, split by why, and what would have been with each profile.
pub(crate) fn bill(html: &mut Html, data: &ReportData) {
    let Some(recorded) = data.totals.first().map(|totals| totals.raw.billed) else { return };
    html.open("div", &[("class", "scroll"), ("tabindex", "0")]);
    html.open("table", &[]);
    let mut heads = vec![("Billed for", ""), ("Tokens", "as recorded"), ("Dollars", "as recorded")];
    heads.extend(data.profiles.iter().map(|profile| (profile.name.as_str(), "dollars")));
    head(html, &heads);
    html.open("tbody", &[]);
    for (at, (key, part)) in recorded.bill.parts().into_iter().enumerate() {
        html.open("tr", &[]);
        html.leaf("th", &[("scope", "row")], words(key));
        html.leaf("td", &[], &number::count(part.tokens as f64));
        html.leaf("td", &[], &number::dollars(part.dollars));
        for totals in &data.totals {
            let (_, with) = totals.projected.billed.bill.parts()[at];
            html.leaf("td", &[], &number::dollars(with.dollars));
        }
        html.close("tr");
    }
    html.close("tbody");
    html.close("table");
    html.close("div");
}

fn head(html: &mut Html, heads: &[(&str, &str)]) {
    html.open("thead", &[]);
    html.open("tr", &[]);
    for (name, about) in heads {
        if about.is_empty() {
            html.leaf("th", &[("scope", "col")], name);
        } else {
            html.leaf("th", &[("scope", "col"), ("title", about)], name);
        }
    }
    html.close("tr");
    html.close("thead");
}

fn recorded_row(html: &mut Html, totals: &Totals) {
    html.open("tr", &[("class", "recorded")]);
    html.open("th", &[("scope", "row")]);
    html.leaf("i", &[("class", "series-raw")], "");
    html.text("as recorded");
    html.close("th");
    let all = "100\u{202f}%";
    let billed = &totals.raw.billed;
    for text in [
        number::change(Some(0.0)),
        number::change(billed.input_change(billed)),
        number::change(Some(0.0)),
        number::dollars(totals.raw.dollars),
        number::count(totals.raw.tokens.0 as f64),
        number::count(totals.raw.peak.0 as f64),
        all.to_owned(),
        all.to_owned(),
        "0".to_owned(),
        "0".to_owned(),
        "0".to_owned(),
    ] {
        html.leaf("td", &[], &text);
    }
    html.close("tr");
}

fn profile_row(
    html: &mut Html,
    (at, drawn): (usize, bool),
    profile: &ProfileLine,
    totals: &Totals,
    most: f64,
) {
    html.open("tr", &[]);
    html.open("th", &[("scope", "row")]);
    let class = match (profile.own, drawn) {
        (true, true) => format!("series-{at}"),
        (true, false) => "own".to_owned(),
        (false, true) => format!("mark series-{at}"),
        (false, false) => "mark baseline".to_owned(),
    };
    html.leaf("i", &[("class", &class)], "");
    html.text(&profile.name);
    html.leaf("small", &[], &profile.about);
    html.close("th");
    let change = totals.cost_change();
    let side = if change.unwrap_or(0.0) > 0.0 { "worse" } else { "better" };
    html.open("td", &[("class", side)]);
    html.text(&number::change(change));
    let width = (change.unwrap_or(0.0).abs() / most * 100.0).min(100.0);
    html.leaf("i", &[("class", "bar"), ("style", &format!("width:{width:.1}%"))], "");
    html.close("td");
    for text in [
        number::change(totals.projected.billed.input_change(&totals.raw.billed)),
        number::change(totals.mean_change()),
        number::dollars(totals.projected.dollars),
        number::change(totals.token_change()),
        number::count(totals.projected.peak.0 as f64),
        number::share(totals.projected.evidence),
        number::share(totals.projected.references),
        number::each(totals.projected.repairs, totals.conversations),
        number::each(totals.projected.rewrites, totals.conversations),
    ] {
        html.leaf("td", &[], &text);
    }
    let class = if totals.projected.breaches.total() > 0 { "broken" } else { "" };
    html.leaf(
        "td",
        &[("class", class)],
        &number::thousands(u64::from(totals.projected.breaches.total())),
    );
    html.close("tr");
}

/// Draws the dearest conversations with a link to their drawings, and how many there are
/// beside them.
pub(crate) fn conversations(html: &mut Html, data: &ReportData) {
    let heads = [
        ("Conversation", ""),
        ("Requests", ""),
        ("Peak", "largest recorded prompt, in tokens"),
        ("Recorded", "cost as recorded"),
        ("Projected", "cost under the chosen profile, repairs included"),
        ("Cost", "change of cost"),
        ("Evidence", ""),
        ("Refs", ""),
        ("Repairs", ""),
    ];
    html.open("div", &[("class", "scroll tall"), ("tabindex", "0")]);
    html.open("table", &[("class", "conversations")]);
    head(html, &heads);
    html.open("tbody", &[]);
    let listed = data.limits.conversations_listed;
    for (at, session) in data.sessions.iter().take(listed).enumerate() {
        conversation_row(html, data, at, session);
    }
    html.close("tbody");
    html.close("table");
    html.close("div");
    let more = data.sessions.len().saturating_sub(listed);
    if more > 0 {
        let text = format!(
            "{} that cost less are counted but not listed.",
            number::plural(more as u64, "conversation")
        );
        html.leaf("p", &[("class", "note")], &text);
    }
}

fn conversation_row(html: &mut Html, data: &ReportData, at: usize, session: &SessionLine) {
    let first = session.totals.first().copied().unwrap_or_default();
    html.open("tr", &[]);
    html.open("th", &[("scope", "row")]);
    if session.details.is_empty() {
        html.leaf("span", &[("title", &session.session)], &session.session);
    } else {
        let target = format!("#conversation-{at}");
        html.leaf("a", &[("href", &target), ("title", &session.session)], &session.session);
    }
    if let Some(agent) = &session.agent {
        html.leaf("small", &[], agent);
    }
    html.close("th");
    html.leaf("td", &[], &number::thousands(first.projected.requests));
    html.leaf("td", &[], &number::count(first.raw.peak.0 as f64));
    html.leaf("td", &[], &number::dollars(first.raw.dollars));
    let figures: [fn(&Totals) -> String; 5] = [
        |totals| number::dollars(totals.projected.dollars),
        |totals| number::change(totals.cost_change()),
        |totals| number::share(totals.projected.evidence),
        |totals| number::share(totals.projected.references),
        |totals| number::thousands(totals.projected.repairs),
    ];
    for figure in figures {
        html.open("td", &[]);
        for (choice, totals) in session.totals.iter().take(data.drawn).enumerate() {
            let class = format!("variant variant-{choice}");
            html.leaf("span", &[("class", &class)], &figure(totals));
        }
        html.close("td");
    }
    html.close("tr");
}
