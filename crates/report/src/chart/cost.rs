//! Cumulative cost: recorded, and under every drawn profile.

use crate::axis::Axis;
use crate::data::{ConversationDetail, ReportConversation, ReportData};
use crate::frame::{EndLabel, LegendKey, PlotFrame, PlotTooltips, Tooltip, line_path};
use crate::markup::HtmlWriter;
use crate::number;
use crate::sampler::is_evenly_sampled;

/// One line of the plot: its name, its class, and dollars at each horizontal value.
struct CostSeries {
    name: String,
    class: String,
    dollars: Vec<f64>,
}

/// Draws one conversation, request by request.
pub(crate) fn draw_conversation(
    html: &mut HtmlWriter,
    data: &ReportData,
    session: &ReportConversation,
) {
    let Some(first) = session.details.first() else { return };
    let requests: Vec<f64> = first.points.iter().map(|p| f64::from(p.request)).collect();
    let recorded = first.points.iter().map(|point| point.raw_dollars).collect();
    let mut series = vec![recorded_series(recorded)];
    for (at, (profile, detail)) in data.profiles.iter().zip(&session.details).enumerate() {
        series.push(CostSeries {
            name: profile.name.clone(),
            class: format!("series-{at}"),
            dollars: net_dollars(detail),
        });
    }
    draw_plot(html, "Cumulative cost, in US dollars", "request", &requests, &series);
}

fn net_dollars(detail: &ConversationDetail) -> Vec<f64> {
    detail.points.iter().map(|point| point.net_dollars).collect()
}

fn recorded_series(dollars: Vec<f64>) -> CostSeries {
    CostSeries { name: "as recorded".to_owned(), class: "series-raw".to_owned(), dollars }
}

/// Draws all conversations, the most expensive first.
pub(crate) fn draw_all(html: &mut HtmlWriter, data: &ReportData) {
    let all = data.sessions.len();
    let mut ranks = Vec::new();
    let mut series = vec![recorded_series(Vec::new())];
    for (at, profile) in data.profiles.iter().take(data.drawn).enumerate() {
        let class = format!("series-{at}");
        series.push(CostSeries { name: profile.name.clone(), class, dollars: Vec::new() });
    }
    let mut sums = vec![0.0; series.len()];
    for (at, session) in data.sessions.iter().enumerate() {
        sums[0] += session.raw_dollars();
        for (sum, totals) in sums[1..].iter_mut().zip(&session.totals) {
            *sum += totals.projected.dollars;
        }
        if is_evenly_sampled(at, all, data.limits.points) {
            ranks.push((at + 1) as f64);
            for (line, sum) in series.iter_mut().zip(&sums) {
                line.dollars.push(*sum);
            }
        }
    }
    let title = "Cumulative cost of all conversations, the most expensive first, in US dollars";
    draw_plot(html, title, "conversation", &ranks, &series);
}

fn draw_plot(
    html: &mut HtmlWriter,
    title: &str,
    name: &str,
    values: &[f64],
    series: &[CostSeries],
) {
    let x = Axis::between(1.0, values.last().copied().unwrap_or(1.0), 8, 1.0);
    let most = series.iter().flat_map(|s| s.dollars.iter().copied()).fold(0.0, f64::max);
    let y = Axis::from_zero(most, 4);
    let mut marks = HtmlWriter::default();
    let mut ends = Vec::new();
    let mut summary = format!("{title}. At the end:");
    // The first profile is drawn last, on top of the others.
    for line_of in series.iter().rev() {
        let places: Vec<(f64, f64)> = values
            .iter()
            .zip(&line_of.dollars)
            .map(|(v, d)| (x.position(*v), y.position(*d)))
            .collect();
        let class = format!("line {}", line_of.class);
        if !places.is_empty() {
            marks.empty_element("path", &[("class", &class), ("d", &line_path(&places))]);
        }
    }
    for line_of in series {
        let end = line_of.dollars.last().copied().unwrap_or(0.0);
        let text = format!("{} {}", number::format_dollars(end), line_of.name);
        summary.push_str(&format!(" {text};"));
        ends.push(EndLabel { class: line_of.class.clone(), text, place: y.position(end) });
    }
    let keys: Vec<LegendKey<'_>> =
        series.iter().map(|line| LegendKey { class: &line.class, text: &line.name }).collect();
    PlotFrame {
        title,
        summary: &summary,
        keys: &keys,
        x: &x,
        x_name: name,
        y: &y,
        y_text: number::format_dollars_tick,
        marks: &marks,
        ends,
        mark_lanes: Vec::new(),
        tips: Some(build_tooltips(name, values, series, &x)),
    }
    .draw(html);
}

fn build_tooltips(name: &str, values: &[f64], series: &[CostSeries], x: &Axis) -> PlotTooltips {
    let points = values.iter().enumerate().map(|(at, value)| {
        let text = |line: &CostSeries| {
            number::format_dollars(line.dollars.get(at).copied().unwrap_or(0.0))
        };
        Tooltip {
            place: x.position(*value),
            title: format!("{name} {value}"),
            texts: series.iter().map(text).collect(),
        }
    });
    PlotTooltips {
        names: series.iter().map(|line| line.name.clone()).collect(),
        points: points.collect(),
    }
}
