//! The summary for people: tables, then one sentence in dollars.

use foveal_engine::profile::ProfileOrigin;
use foveal_pricing::bill::{BillAmount, part_label};
use foveal_pricing::tokens::Tokens;
use foveal_replay::conversation_replay::VisibleShare;
use foveal_replay::figures::ReplayFigures;

use super::keep_alive;
use super::summary_contents::{ReplaySummary, tokenizer_name};
use crate::numbers::{
    format_count, format_dollars, format_percent_change, format_plural, format_tokens,
};
use crate::replay_totals::ProfileTotals;
use crate::text_table::{Alignment, ColumnNarrowing, TextTable, wrap_text};

/// Renders the whole summary.
///
/// `width` is the number of columns of the terminal; `None` for no limit.
pub(crate) fn render_text(
    summary: &ReplaySummary<'_>,
    per_session: bool,
    width: Option<usize>,
) -> String {
    let within =
        |text: String| width.map_or(text.clone(), |width| wrap_text(text.trim_end(), width, ""));
    let mut text = within(heading(summary));
    text.push('\n');
    text.push_str(&within(shortened_bill_sentence(summary)));
    if summary.totals.raw.requests == 0 {
        text.push_str(
            "the files that were read contain no model requests, so there is nothing to compare\n",
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
        if let Some(table) = keep_alive::keep_alive_table(&summary.totals.warm, input, width) {
            text.push_str(&table);
            text.push('\n');
        }
    }
    text.push_str(&within(cost_sentence(summary)));
    text
}

fn heading(summary: &ReplaySummary<'_>) -> String {
    let so_far = if summary.interrupted { "stopped; so far: " } else { "" };
    let assumed = match summary.totals.assumed_prices {
        0 => String::new(),
        count => format!(" (assumed for {})", format_plural(count, "session")),
    };
    format!(
        "{so_far}{}, {}; prices {}{assumed}, tokens {}\n",
        format_plural(summary.totals.sessions, "session"),
        format_plural(summary.totals.conversations, "conversation"),
        summary.price_names(),
        tokenizer_name(summary.tokenizer),
    )
}

/// Returns the sentence on the bill of requests that foveal shortened, if there are any.
fn shortened_bill_sentence(summary: &ReplaySummary<'_>) -> String {
    let shortened = &summary.totals.raw.shortened;
    if shortened.requests == 0 {
        return String::new();
    }
    let cost = match summary.has_assumed_prices() {
        true => "at an unknown price".to_owned(),
        false => format_dollars(shortened.dollars),
    };
    let many = format_plural(shortened.requests, "request");
    format!(
        "the bill: {cost} for {many} that foveal had shortened, answers included; below, costs \
         are those of whole prompts without and with each profile\n"
    )
}

/// The column that is shown if a bill is recorded.
const BILL_COLUMN: &str = "vs bill";

const FIGURE_COLUMNS: [(&str, Alignment); 9] = [
    ("requests", Alignment::Right),
    ("tokens", Alignment::Right),
    ("peak", Alignment::Right),
    ("cost", Alignment::Right),
    ("vs raw", Alignment::Right),
    (BILL_COLUMN, Alignment::Right),
    ("mean", Alignment::Right),
    ("rewrites", Alignment::Right),
    ("evidence", Alignment::Right),
];

fn profile_table(summary: &ReplaySummary<'_>, width: Option<usize>) -> String {
    let is_billed = summary.totals.raw.billed.requests > 0;
    let mut columns = vec![("profile", Alignment::Left)];
    columns
        .extend(FIGURE_COLUMNS.into_iter().filter(|column| is_billed || column.0 != BILL_COLUMN));
    columns.extend([
        ("refs", Alignment::Right),
        ("repairs/session", Alignment::Right),
        ("laws broken", Alignment::Right),
    ]);
    let mut table = with_narrowing_order(TextTable::new(columns));
    let row =
        |name: &str, figures: &ReplayFigures, vs_raw: String, vs_bill: String, mean: String| {
            let repairs = figures.repairs as f64 / summary.totals.sessions.max(1) as f64;
            let mut cells = vec![
                name.to_owned(),
                format_count(figures.requests),
                format_tokens(figures.tokens),
                format_tokens(figures.peak),
                format_dollars(figures.dollars),
                vs_raw,
            ];
            cells.extend(is_billed.then_some(vs_bill));
            cells.extend([
                mean,
                format_count(figures.rewrites),
                format_share(figures.evidence),
                format_share(figures.references),
                format!("{repairs:.2}"),
                figures.breaches.total().to_string(),
            ]);
            cells
        };
    let recorded = &summary.totals.raw.billed;
    table.push_row(row("raw", &summary.totals.raw, String::new(), String::new(), String::new()));
    let compared = |name: &str, totals: &ProfileTotals| {
        let vs_raw = format_change(totals.figures.cost_change(&summary.totals.raw));
        let vs_bill = format_change(totals.figures.billed.input_cost_change(recorded));
        row(name, &totals.figures, vs_raw, vs_bill, format_change(totals.cost_change_mean))
    };
    let mut group = None;
    for (profile, totals) in summary.profile_rows() {
        if summary.sort.is_none() && group != Some(profile.origin) {
            table.push_separator(match profile.origin {
                ProfileOrigin::Own => "",
                ProfileOrigin::Baseline => {
                    "for comparison: other tools' rules and design documents"
                }
            });
            group = Some(profile.origin);
        }
        table.push_row(compared(profile.name, &totals));
    }
    for (at, (oracle, totals)) in summary.oracle_totals().enumerate() {
        if at == 0 {
            table.push_separator("for comparison: hindsight, which knows what will be used");
        }
        table.push_row(compared(oracle.name(), &totals));
    }
    table.render(width, HIDDEN_COLUMNS_HINT)
}

/// Renders the bill of the recorded requests, split by cause, beside the bill with the main
/// profile.
fn bill_table(summary: &ReplaySummary<'_>, width: Option<usize>) -> String {
    let main = summary.main_profile_index();
    let (raw, with) = (&summary.totals.raw, &summary.totals.profiles[main].figures);
    let name = summary.profiles[main].name;
    let mut table = TextTable::new(vec![
        ("billed for", Alignment::Left),
        ("tokens", Alignment::Right),
        ("cost", Alignment::Right),
        ("of input", Alignment::Right),
        (name, Alignment::Right),
    ]);
    let (recorded, with) = (&raw.billed, &with.billed);
    let input = recorded.bill.input();
    let parts = recorded.bill.parts().into_iter().zip(with.bill.parts());
    let parts = parts.filter(|((_, part), (_, with))| part.tokens > 0 || with.tokens > 0);
    let (output, prompts): (Vec<_>, Vec<_>) = parts.partition(|((key, _), _)| *key == "output");
    for ((key, part), (_, with)) in prompts {
        table.push_row(bill_row(part_label(key), part, input.dollars, with.dollars));
    }
    if with.repair_dollars > 0.0 {
        let cells = ["repairs: fetched again", "", "", "", &format_dollars(with.repair_dollars)];
        table.push_row(cells.map(str::to_owned).to_vec());
    }
    table.push_row(bill_row("all input", input, input.dollars, with.input_dollars()));
    for ((key, part), (_, with)) in output {
        // Output is no part of the input, so it has no share of it.
        table.push_row(bill_row(part_label(key), part, 0.0, with.dollars));
        let all = [
            "all",
            "",
            &format_dollars(recorded.dollars()),
            "",
            &format_dollars(main_profile_dollars(summary)),
        ];
        table.push_row(all.map(str::to_owned).to_vec());
    }
    let many = format_plural(raw.billed.requests, "request");
    let card = summary.price_names();
    let heading = match summary.has_assumed_prices() {
        true => format!(
            "the price of the recorded model is unknown: {many} if billed at {card}, and with \
             `{name}`:\n"
        ),
        false => format!(
            "the bill of {many} as recorded, and as it would be with `{name}`, at the prices of \
             {card}:\n"
        ),
    };
    heading + &table.render(width, HIDDEN_COLUMNS_HINT)
}

/// Returns the whole cost with the main profile, repairs included.
fn main_profile_dollars(summary: &ReplaySummary<'_>) -> f64 {
    summary.totals.profiles[summary.main_profile_index()].figures.billed.dollars()
}

fn bill_row(name: &str, part: BillAmount, input: f64, with: f64) -> Vec<String> {
    let share =
        if input > 0.0 { format!("{:.1} %", part.dollars / input * 100.0) } else { String::new() };
    vec![
        name.to_owned(),
        format_tokens(Tokens(part.tokens)),
        format_dollars(part.dollars),
        share,
        format_dollars(with),
    ]
}

/// Names the place of columns that a narrow terminal has no room for.
const HIDDEN_COLUMNS_HINT: &str = "--json shows all";

/// Sets the order in which columns are dropped in a narrow terminal.
fn with_narrowing_order(table: TextTable) -> TextTable {
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
    let table = table
        .with_narrowing(&["session", "folder"], ColumnNarrowing::CutEnd)
        .with_narrowing(&[FIRST_WORDS_COLUMN], ColumnNarrowing::CutEnd)
        .with_width_min(FIRST_WORDS_COLUMN, FIRST_WORDS_CHARS_MIN);
    (0..).zip(columns).fold(table, |table, (rank, column)| {
        table.with_narrowing(&[column], ColumnNarrowing::Dropped(rank))
    })
}

/// The column with the beginning of the user's first message.
const FIRST_WORDS_COLUMN: &str = "first words";

/// The smallest width of the first words, at which they still tell sessions apart.
const FIRST_WORDS_CHARS_MIN: usize = 24;

fn session_table(summary: &ReplaySummary<'_>, width: Option<usize>) -> String {
    let main = summary.main_profile_index();
    let mut table = with_narrowing_order(TextTable::new(vec![
        ("session", Alignment::Left),
        ("date", Alignment::Left),
        ("folder", Alignment::Left),
        (FIRST_WORDS_COLUMN, Alignment::Left),
        ("requests", Alignment::Right),
        ("raw tokens", Alignment::Right),
        ("tokens", Alignment::Right),
        ("peak", Alignment::Right),
        ("raw cost", Alignment::Right),
        ("cost", Alignment::Right),
        ("vs raw", Alignment::Right),
        ("rewrites", Alignment::Right),
        ("evidence", Alignment::Right),
        ("refs", Alignment::Right),
        ("repairs", Alignment::Right),
        ("laws broken", Alignment::Right),
    ]));
    for session in summary.sessions {
        let (raw, figures) = (&session.raw, &session.profiles[main]);
        table.push_row(vec![
            shorten_session_id(&session.session),
            session.label.date.clone(),
            session.label.folder_name().to_owned(),
            session.label.first_words.clone(),
            format_count(figures.requests),
            format_tokens(raw.tokens),
            format_tokens(figures.tokens),
            format_tokens(figures.peak),
            format_dollars(raw.dollars),
            format_dollars(figures.dollars),
            format_change(figures.cost_change(raw)),
            format_count(figures.rewrites),
            format_share(figures.evidence),
            format_share(figures.references),
            format_count(figures.repairs),
            figures.breaches.total().to_string(),
        ]);
    }
    let table = table.render(width, HIDDEN_COLUMNS_HINT);
    format!("with `{}`:\n{table}", summary.profiles[main].name)
}

/// The longest session id in the table, in characters.
const SESSION_CHARS_MAX: usize = 52;

/// Cuts the middle out of a long id: ids mostly differ at their ends.
fn shorten_session_id(id: &str) -> String {
    let chars: Vec<char> = id.chars().collect();
    if chars.len() <= SESSION_CHARS_MAX {
        return id.to_owned();
    }
    let half = SESSION_CHARS_MAX / 2;
    let start: String = chars[..half].iter().collect();
    let end: String = chars[chars.len() - half + 1..].iter().collect();
    format!("{start}…{end}")
}

fn format_change(ratio: Option<f64>) -> String {
    ratio.map(format_percent_change).unwrap_or_default()
}

/// Formats a share. It is rounded down, so that only a complete share reads as 1.
fn format_share(share: VisibleShare) -> String {
    if share.used == 0 {
        return "–".to_owned();
    }
    format!("{:.4}", (share.ratio() * 1e4).floor() / 1e4)
}

/// Returns the sentence on the main profile's cost in dollars.
fn cost_sentence(summary: &ReplaySummary<'_>) -> String {
    let main = summary.main_profile_index();
    let (name, raw) = (summary.profiles[main].name, &summary.totals.raw);
    let figures = &summary.totals.profiles[main].figures;
    let these = match summary.totals.sessions {
        1 => "this session".to_owned(),
        many => format!("these {} sessions", format_count(many)),
    };
    let Some(change) = figures.cost_change(raw) else {
        return format!(
            "{these}: all costs are 0 with these prices, so there is nothing to compare\n"
        );
    };
    let percent = (change.abs() * 100.0).round();
    let with = format_dollars(figures.dollars);
    // The recorded prompts were shorter than those that are compared.
    let without = if raw.shortened.requests > 0 { " without foveal" } else { "" };
    let recorded = format_dollars(raw.dollars) + without;
    let cost = match (change < 0.0, percent == 0.0) {
        (_, true) if with == recorded => {
            format!("{with} in input with `{name}`, about the same as recorded")
        }
        (_, true) => format!(
            "{with} instead of {recorded} in input with `{name}`: a difference of less than 1 %"
        ),
        (true, false) => {
            format!("{with} instead of {recorded} in input with `{name}`: {percent} % less")
        }
        (false, false) => {
            format!("{with} instead of {recorded} in input with `{name}`: {percent} % more")
        }
    };
    let repairs = match figures.repairs {
        0 => "with nothing fetched again".to_owned(),
        many => format!("including {} to fetch something again", format_plural(many, "request")),
    };
    let evidence = match figures.evidence.used {
        0 => "no edit used a line that was shown before".to_owned(),
        _ => format!(
            "of the lines that edits used, {:.2} % would have been in view (evidence)",
            (figures.evidence.ratio() * 1e4).floor() / 1e2
        ),
    };
    format!("{these} would have cost {cost}, {repairs}; {evidence}\n") + &bill_sentence(summary)
}

/// Returns the sentence on the change of the bill, if one is recorded.
fn bill_sentence(summary: &ReplaySummary<'_>) -> String {
    let recorded = &summary.totals.raw.billed;
    let with = &summary.totals.profiles[summary.main_profile_index()].figures.billed;
    let Some(of_bill) = with.input_cost_change(recorded) else { return String::new() };
    let input = match summary.has_assumed_prices() {
        true => "input at these prices",
        false => "billed input",
    };
    format!(
        "against the {input} ({}), which includes more than these messages: {}\n",
        format_dollars(recorded.input_dollars()),
        format_percent_change(of_bill),
    )
}

#[cfg(test)]
mod tests;
