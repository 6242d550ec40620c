//! Cumulated cost: recorded against every profile that is drawn.

use crate::axis::Axis;
use crate::data::{Detail, ReportData, SessionLine};
use crate::frame::{EndLabel, Frame, Key, Tip, Tips, line};
use crate::markup::Html;
use crate::number;
use crate::sampler::is_kept;

/// One line: its name, its class, and dollars at each horizontal value.
struct Series {
    name: String,
    class: String,
    dollars: Vec<f64>,
}

/// Draws one conversation, request by request.
pub(crate) fn draw_session(html: &mut Html, data: &ReportData, session: &SessionLine) {
    let Some(first) = session.details.first() else { return };
    let requests: Vec<f64> = first.points.iter().map(|p| f64::from(p.request)).collect();
    let recorded = first.points.iter().map(|point| point.raw_dollars).collect();
    let mut series = vec![recorded_series(recorded)];
    for (at, (profile, detail)) in data.profiles.iter().zip(&session.details).enumerate() {
        series.push(Series {
            name: profile.name.clone(),
            class: format!("series-{at}"),
            dollars: net_dollars(detail),
        });
    }
    draw(html, "Cumulated cost, in US dollars", "request", &requests, &series);
}

fn net_dollars(detail: &Detail) -> Vec<f64> {
    detail.points.iter().map(|point| point.net_dollars).collect()
}

fn recorded_series(dollars: Vec<f64>) -> Series {
    Series { name: "as recorded".to_owned(), class: "series-raw".to_owned(), dollars }
}

/// Draws all conversations, the dearest first.
pub(crate) fn draw_all(html: &mut Html, data: &ReportData) {
    let all = data.sessions.len();
    let mut ranks = Vec::new();
    let mut series = vec![recorded_series(Vec::new())];
    for (at, profile) in data.profiles.iter().take(data.drawn).enumerate() {
        let class = format!("series-{at}");
        series.push(Series { name: profile.name.clone(), class, dollars: Vec::new() });
    }
    let mut sums = vec![0.0; series.len()];
    for (at, session) in data.sessions.iter().enumerate() {
        sums[0] += session.raw_dollars();
        for (sum, totals) in sums[1..].iter_mut().zip(&session.totals) {
            *sum += totals.projected.dollars;
        }
        if is_kept(at, all, data.limits.points) {
            ranks.push((at + 1) as f64);
            for (line, sum) in series.iter_mut().zip(&sums) {
                line.dollars.push(*sum);
            }
        }
    }
    let title = "Cumulated cost of all conversations, the dearest first, in US dollars";
    draw(html, title, "conversation", &ranks, &series);
}

fn draw(html: &mut Html, title: &str, name: &str, values: &[f64], series: &[Series]) {
    let x = Axis::between(1.0, values.last().copied().unwrap_or(1.0), 8, 1.0);
    let most = series.iter().flat_map(|s| s.dollars.iter().copied()).fold(0.0, f64::max);
    let y = Axis::from_zero(most, 4);
    let mut marks = Html::default();
    let mut ends = Vec::new();
    let mut summary = format!("{title}. At the end:");
    // The first profile is drawn last, on top of the others.
    for line_of in series.iter().rev() {
        let places: Vec<(f64, f64)> =
            values.iter().zip(&line_of.dollars).map(|(v, d)| (x.place(*v), y.place(*d))).collect();
        let class = format!("line {}", line_of.class);
        if !places.is_empty() {
            marks.empty("path", &[("class", &class), ("d", &line(&places))]);
        }
    }
    for line_of in series {
        let end = line_of.dollars.last().copied().unwrap_or(0.0);
        let text = format!("{} {}", number::dollars(end), line_of.name);
        summary.push_str(&format!(" {text};"));
        ends.push(EndLabel { class: line_of.class.clone(), text, place: y.place(end) });
    }
    let keys: Vec<Key<'_>> =
        series.iter().map(|line| Key { class: &line.class, text: &line.name }).collect();
    Frame {
        title,
        summary: &summary,
        keys: &keys,
        x: &x,
        x_name: name,
        y: &y,
        y_text: number::dollars_tick,
        marks: &marks,
        ends,
        lanes: Vec::new(),
        tips: Some(tips(name, values, series, &x)),
    }
    .draw(html);
}

fn tips(name: &str, values: &[f64], series: &[Series], x: &Axis) -> Tips {
    let points = values.iter().enumerate().map(|(at, value)| {
        let text = |line: &Series| number::dollars(line.dollars.get(at).copied().unwrap_or(0.0));
        Tip {
            place: x.place(*value),
            title: format!("{name} {value}"),
            texts: series.iter().map(text).collect(),
        }
    });
    Tips { names: series.iter().map(|line| line.name.clone()).collect(), points: points.collect() }
}
