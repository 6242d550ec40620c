//! Context per request: the recorded prompt and the projected one.

use crate::axis::Axis;
use crate::data::{ConversationDetail, RequestPoint};
use crate::frame::{LegendKey, MarkLane, PlotFrame, PlotTooltips, Tooltip, area_path, line_path};
use crate::markup::HtmlWriter;
use crate::number;

/// Draws one conversation under one profile.
pub(crate) fn draw(html: &mut HtmlWriter, detail: &ConversationDetail, profile: &str) {
    let points = &detail.points;
    let last = points.last().map_or(1, |point| point.request);
    let peak = points.iter().map(|point| point.raw.max(point.tokens)).max().unwrap_or(0);
    let x = Axis::between(1.0, f64::from(last), 8, 1.0);
    let y = Axis::from_zero(peak as f64, 4);
    let at = |value: fn(&RequestPoint) -> u64| -> Vec<(f64, f64)> {
        let place = |point: &RequestPoint| {
            (x.position(f64::from(point.request)), y.position(value(point) as f64))
        };
        points.iter().map(place).collect()
    };
    let (raw, tokens, cached) = (at(|p| p.raw), at(|p| p.tokens), at(|p| p.cached));
    let floor = at(|_| 0);
    let mut marks = HtmlWriter::default();
    for (class, data) in [
        ("raw-area", area_path(&raw, &floor)),
        ("cached-area", area_path(&cached, &floor)),
        ("fresh-area", area_path(&tokens, &cached)),
        ("raw-line", line_path(&raw)),
        ("own-line", line_path(&tokens)),
    ] {
        if !data.is_empty() {
            marks.empty_element("path", &[("class", class), ("d", &data)]);
        }
    }
    let places =
        |numbers: &[u32]| numbers.iter().map(|number| x.position(f64::from(*number))).collect();
    let mut keys = vec![
        LegendKey { class: "raw-line", text: "as recorded" },
        LegendKey { class: "cached-area", text: "projected, read from the cache" },
        LegendKey { class: "fresh-area", text: "projected, written to the cache" },
    ];
    let mut lanes = Vec::new();
    if !detail.cold.is_empty() {
        keys.push(LegendKey { class: "cold-mark", text: "cache expired" });
        lanes.push(MarkLane { class: "cold-mark", places: places(&detail.cold) });
    }
    if !detail.rewrites.is_empty() {
        keys.push(LegendKey { class: "rewrite-mark", text: "results rewritten" });
        lanes.push(MarkLane { class: "rewrite-mark", places: places(&detail.rewrites) });
    }
    let end = |value: fn(&RequestPoint) -> u64| {
        number::format_count(points.last().map_or(0, value) as f64)
    };
    let summary = format!(
        "Tokens of each prompt over {}: at the end {} as recorded and {} under {profile}.",
        number::format_plural(u64::from(last), "request"),
        end(|p| p.raw),
        end(|p| p.tokens),
    );
    PlotFrame {
        title: "Context per request, in tokens",
        summary: &summary,
        keys: &keys,
        x: &x,
        x_name: "request",
        y: &y,
        y_text: number::format_count_tick,
        marks: &marks,
        ends: Vec::new(),
        mark_lanes: lanes,
        tips: Some(build_tooltips(detail, &x)),
    }
    .draw(html);
}

fn build_tooltips(detail: &ConversationDetail, x: &Axis) -> PlotTooltips {
    let names = ["as recorded", "projected", "from the cache", "written to the cache"];
    let points = detail.points.iter().map(|point| {
        let mut title = format!("request {}", point.request);
        if detail.cold.binary_search(&point.request).is_ok() {
            title.push_str(", cache expired");
        }
        if detail.rewrites.binary_search(&point.request).is_ok() {
            title.push_str(", results rewritten");
        }
        let fresh = point.tokens.saturating_sub(point.cached);
        let values = [point.raw, point.tokens, point.cached, fresh];
        let texts = values.iter().map(|value| number::format_count(*value as f64)).collect();
        Tooltip { place: x.position(f64::from(point.request)), title, texts }
    });
    PlotTooltips { names: names.map(str::to_owned).to_vec(), points: points.collect() }
}
