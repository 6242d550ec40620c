//! The summary for people: tables, then one sentence in dollars.

use foveal_context::bill::{Amount, words};
use foveal_context::profile::Origin;
use foveal_context::tokens::Tokens;
use foveal_replay::figures::Figures;
use foveal_replay::run::Share;

use super::data::{Summary, tokenizer_name};
use super::warm;
use crate::figures::ProfileTotals;
use crate::numbers::{change, count, dollars, plural, tokens};
use crate::table::{Narrow, Side, Table, wrapped};

/// The whole summary.
///
/// In so many columns of a terminal; `None`: as wide as it is.
pub(crate) fn render(summary: &Summary<'_>, per_session: bool, width: Option<usize>) -> String {
    let within =
        |text: String| width.map_or(text.clone(), |width| wrapped(text.trim_end(), width, ""));
    let mut text = within(heading(summary));
    text.push('\n');
    if summary.totals.raw.requests == 0 {
        text.push_str(
            "the model was never asked anything in what was read, so there is nothing to compare\n",
        );
        return text;
    }
    if per_session {
        text.push_str(&session_table(summary, width));
        text.push('\n');
    }
    text.push_str(&profile_table(summary, width));
    text.push('\n');
    if summary.totals.raw.billed.requests > 0 {
        text.push_str(&bill_table(summary, width));
        text.push('\n');
        let input = summary.totals.raw.billed.input_dollars();
        if let Some(table) = warm::table(&summary.totals.warm, input, width) {
            text.push_str(&table);
            text.push('\n');
        }
    }
    text.push_str(&within(sentence(summary)));
    text
}

fn heading(summary: &Summary<'_>) -> String {
    let so_far = if summary.interrupted { "stopped; so far: " } else { "" };
    format!(
        "{so_far}{}, {}; prices {}, tokens {}\n",
        plural(summary.totals.sessions, "session"),
        plural(summary.totals.conversations, "conversation"),
        summary.prices.name,
        tokenizer_name(summary.tokenizer),
    )
}

/// The column that is there where a bill is recorded.
const VS_BILL: &str = "vs bill";

const FIGURES: [(&str, Side); 9] = [
    ("requests", Side::Right),
    ("tokens", Side::Right),
    ("peak", Side::Right),
    ("cost", Side::Right),
    ("vs raw", Side::Right),
    (VS_BILL, Side::Right),
    ("mean", Side::Right),
    ("rewrites", Side::Right),
    ("evidence", Side::Right),
];

fn profile_table(summary: &Summary<'_>, width: Option<usize>) -> String {
    let is_billed = summary.totals.raw.billed.requests > 0;
    let mut columns = vec![("profile", Side::Left)];
    columns.extend(FIGURES.into_iter().filter(|column| is_billed || column.0 != VS_BILL));
    columns.extend([
        ("refs", Side::Right),
        ("repairs/session", Side::Right),
        ("laws broken", Side::Right),
    ]);
    let mut table = narrowing(Table::new(columns));
    let row = |name: &str, figures: &Figures, vs_raw: String, vs_bill: String, mean: String| {
        let repairs = figures.repairs as f64 / summary.totals.sessions.max(1) as f64;
        let mut cells = vec![
            name.to_owned(),
            count(figures.requests),
            tokens(figures.tokens),
            tokens(figures.peak),
            dollars(figures.dollars),
            vs_raw,
        ];
        cells.extend(is_billed.then_some(vs_bill));
        cells.extend([
            mean,
            count(figures.rewrites),
            share(figures.evidence),
            share(figures.references),
            format!("{repairs:.2}"),
            figures.breaches.total().to_string(),
        ]);
        cells
    };
    let recorded = &summary.totals.raw.billed;
    table.row(row("raw", &summary.totals.raw, String::new(), String::new(), String::new()));
    let compared = |name: &str, totals: &ProfileTotals| {
        let vs_raw = percent(totals.figures.cost_change(&summary.totals.raw));
        let vs_bill = percent(totals.figures.billed.input_change(recorded));
        row(name, &totals.figures, vs_raw, vs_bill, percent(totals.cost_change_mean))
    };
    let mut group = None;
    for (profile, totals) in summary.rows() {
        if summary.sort.is_none() && group != Some(profile.origin) {
            table.rule(match profile.origin {
                Origin::Own => "",
                Origin::Baseline => "for comparison: other tools' rules and design documents",
            });
            group = Some(profile.origin);
        }
        table.row(compared(profile.name, &totals));
    }
    for (at, (oracle, totals)) in summary.oracles().enumerate() {
        if at == 0 {
            table.rule("for comparison: hindsight, which knows what will be used");
        }
        table.row(compared(oracle.name(), &totals));
    }
    table.render_within(width, ELSEWHERE)
}

/// What was billed for the recorded requests, split by why, and what would have been.
fn bill_table(summary: &Summary<'_>, width: Option<usize>) -> String {
    let main = summary.main_profile();
    let (raw, with) = (&summary.totals.raw, &summary.totals.profiles[main].figures);
    let name = summary.profiles[main].name;
    let mut table = Table::new(vec![
        ("billed for", Side::Left),
        ("tokens", Side::Right),
        ("cost", Side::Right),
        ("of input", Side::Right),
        (name, Side::Right),
    ]);
    let (recorded, with) = (&raw.billed, &with.billed);
    let input = recorded.bill.input();
    let parts = recorded.bill.parts().into_iter().zip(with.bill.parts());
    let parts = parts.filter(|((_, part), (_, with))| part.tokens > 0 || with.tokens > 0);
    let (output, prompts): (Vec<_>, Vec<_>) = parts.partition(|((key, _), _)| *key == "output");
    for ((key, part), (_, with)) in prompts {
        table.row(bill_row(words(key), part, input.dollars, with.dollars));
    }
    if with.repair_dollars > 0.0 {
        let cells = ["repairs: fetched again", "", "", "", &dollars(with.repair_dollars)];
        table.row(cells.map(str::to_owned).to_vec());
    }
    table.row(bill_row("all input", input, input.dollars, with.input_dollars()));
    for ((key, part), (_, with)) in output {
        // No part of the input: it has no share in that.
        table.row(bill_row(words(key), part, 0.0, with.dollars));
        let all = ["all", "", &dollars(recorded.dollars()), "", &dollars(with_all(summary))];
        table.row(all.map(str::to_owned).to_vec());
    }
    let many = plural(raw.billed.requests, "request");
    let heading = format!("the bill of {many} as recorded, and as it would be with `{name}`:\n");
    heading + &table.render_within(width, ELSEWHERE)
}

/// What all would have cost with the main profile, repairs included.
fn with_all(summary: &Summary<'_>) -> f64 {
    summary.totals.profiles[summary.main_profile()].figures.billed.dollars()
}

fn bill_row(name: &str, part: Amount, input: f64, with: f64) -> Vec<String> {
    let share =
        if input > 0.0 { format!("{:.1} %", part.dollars / input * 100.0) } else { String::new() };
    vec![name.to_owned(), tokens(Tokens(part.tokens)), dollars(part.dollars), share, dollars(with)]
}

/// Where columns are that a narrow terminal has no room for.
const ELSEWHERE: &str = "--json has all";

/// Which columns a narrow terminal can do without, the first ones soonest.
fn narrowing(table: Table) -> Table {
    let columns = [
        "raw tokens",
        "requests",
        "peak",
        "mean",
        "rewrites",
        "laws broken",
        "repairs/session",
        "repairs",
        "raw cost",
        "refs",
        "tokens",
    ];
    let table = table.narrowing(&["session"], Narrow::LosesEnd);
    (0..)
        .zip(columns)
        .fold(table, |table, (rank, column)| table.narrowing(&[column], Narrow::Goes(rank)))
}

fn session_table(summary: &Summary<'_>, width: Option<usize>) -> String {
    let main = summary.main_profile();
    let mut table = narrowing(Table::new(vec![
        ("session", Side::Left),
        ("requests", Side::Right),
        ("raw tokens", Side::Right),
        ("tokens", Side::Right),
        ("peak", Side::Right),
        ("raw cost", Side::Right),
        ("cost", Side::Right),
        ("vs raw", Side::Right),
        ("rewrites", Side::Right),
        ("evidence", Side::Right),
        ("refs", Side::Right),
        ("repairs", Side::Right),
        ("laws broken", Side::Right),
    ]));
    for session in summary.sessions {
        let (raw, figures) = (&session.raw, &session.profiles[main]);
        table.row(vec![
            shortened(&session.session),
            count(figures.requests),
            tokens(raw.tokens),
            tokens(figures.tokens),
            tokens(figures.peak),
            dollars(raw.dollars),
            dollars(figures.dollars),
            percent(figures.cost_change(raw)),
            count(figures.rewrites),
            share(figures.evidence),
            share(figures.references),
            count(figures.repairs),
            figures.breaches.total().to_string(),
        ]);
    }
    let table = table.render_within(width, ELSEWHERE);
    format!("with `{}`:\n{table}", summary.profiles[main].name)
}

/// Longest session id in the table, in characters.
const SESSION_CHARS_MAX: usize = 52;

/// A long id without its middle: what tells sessions apart is mostly at the ends.
fn shortened(id: &str) -> String {
    let chars: Vec<char> = id.chars().collect();
    if chars.len() <= SESSION_CHARS_MAX {
        return id.to_owned();
    }
    let half = SESSION_CHARS_MAX / 2;
    let start: String = chars[..half].iter().collect();
    let end: String = chars[chars.len() - half + 1..].iter().collect();
    format!("{start}…{end}")
}

fn percent(ratio: Option<f64>) -> String {
    ratio.map(change).unwrap_or_default()
}

/// Rounded down, so that only what is whole reads as 1.
fn share(share: Share) -> String {
    format!("{:.4}", (share.ratio() * 1e4).floor() / 1e4)
}

/// What the main profile would have meant in dollars.
fn sentence(summary: &Summary<'_>) -> String {
    let main = summary.main_profile();
    let (name, raw) = (summary.profiles[main].name, &summary.totals.raw);
    let figures = &summary.totals.profiles[main].figures;
    let these = match summary.totals.sessions {
        1 => "this session".to_owned(),
        many => format!("these {} sessions", count(many)),
    };
    let Some(change) = figures.cost_change(raw) else {
        return format!(
            "{these}: with these prices nothing costs anything, so there is nothing to compare\n"
        );
    };
    let percent = (change.abs() * 100.0).round();
    let verdict = match (change < 0.0, percent == 0.0) {
        (_, true) => "hardly a difference".to_owned(),
        (true, false) => format!("{percent} % less"),
        (false, false) => format!("{percent} % more"),
    };
    let repairs = match figures.repairs {
        0 => "with nothing to fetch again".to_owned(),
        many => format!("{} to fetch something again included", plural(many, "request")),
    };
    format!(
        "{these} would have cost {} instead of {} in input with `{name}`: {verdict}, {repairs}; \
         of the lines that edits used, {:.2} % would have been in view (evidence)\n",
        dollars(figures.dollars),
        dollars(raw.dollars),
        (figures.evidence.ratio() * 1e4).floor() / 1e2,
    ) + &bill_sentence(summary)
}

/// What that is of the bill, where one is recorded.
fn bill_sentence(summary: &Summary<'_>) -> String {
    let recorded = &summary.totals.raw.billed;
    let with = &summary.totals.profiles[summary.main_profile()].figures.billed;
    let Some(of_bill) = with.input_change(recorded) else { return String::new() };
    format!(
        "of the input as billed ({}), which holds more than these messages: {}\n",
        dollars(recorded.input_dollars()),
        change(of_bill),
    )
}

#[cfg(test)]
mod tests;
