//! Context per request: the recorded prompt against the projected one.

use crate::axis::Axis;
use crate::data::{Detail, Point};
use crate::frame::{Frame, Key, Lane, Tip, Tips, area, line};
use crate::markup::Html;
use crate::number;

/// Draws one conversation under one profile.
pub(crate) fn draw(html: &mut Html, detail: &Detail, profile: &str) {
    let points = &detail.points;
    let last = points.last().map_or(1, |point| point.request);
    let peak = points.iter().map(|point| point.raw.max(point.tokens)).max().unwrap_or(0);
    let x = Axis::between(1.0, f64::from(last), 8, 1.0);
    let y = Axis::from_zero(peak as f64, 4);
    let at = |value: fn(&Point) -> u64| -> Vec<(f64, f64)> {
        let place =
            |point: &Point| (x.place(f64::from(point.request)), y.place(value(point) as f64));
        points.iter().map(place).collect()
    };
    let (raw, tokens, cached) = (at(|p| p.raw), at(|p| p.tokens), at(|p| p.cached));
    let floor = at(|_| 0);
    let mut marks = Html::default();
    for (class, data) in [
        ("raw-area", area(&raw, &floor)),
        ("cached-area", area(&cached, &floor)),
        ("fresh-area", area(&tokens, &cached)),
        ("raw-line", line(&raw)),
        ("own-line", line(&tokens)),
    ] {
        if !data.is_empty() {
            marks.empty("path", &[("class", class), ("d", &data)]);
        }
    }
    let places =
        |numbers: &[u32]| numbers.iter().map(|number| x.place(f64::from(*number))).collect();
    let mut keys = vec![
        Key { class: "raw-line", text: "as recorded" },
        Key { class: "cached-area", text: "projected, read from the cache" },
        Key { class: "fresh-area", text: "projected, written anew" },
    ];
    let mut lanes = Vec::new();
    if !detail.cold.is_empty() {
        keys.push(Key { class: "cold-mark", text: "cache expired" });
        lanes.push(Lane { class: "cold-mark", places: places(&detail.cold) });
    }
    if !detail.rewrites.is_empty() {
        keys.push(Key { class: "rewrite-mark", text: "results rewritten" });
        lanes.push(Lane { class: "rewrite-mark", places: places(&detail.rewrites) });
    }
    let end = |value: fn(&Point) -> u64| number::count(points.last().map_or(0, value) as f64);
    let summary = format!(
        "Tokens of each prompt over {}: at the end {} as recorded and {} under {profile}.",
        number::plural(u64::from(last), "request"),
        end(|p| p.raw),
        end(|p| p.tokens),
    );
    Frame {
        title: "Context per request, in tokens",
        summary: &summary,
        keys: &keys,
        x: &x,
        x_name: "request",
        y: &y,
        y_text: number::count_tick,
        marks: &marks,
        ends: Vec::new(),
        lanes,
        tips: Some(tips(detail, &x)),
    }
    .draw(html);
}

fn tips(detail: &Detail, x: &Axis) -> Tips {
    let names = ["as recorded", "projected", "from the cache", "written anew"];
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
        let texts = values.iter().map(|value| number::count(*value as f64)).collect();
        Tip { place: x.place(f64::from(point.request)), title, texts }
    });
    Tips { names: names.map(str::to_owned).to_vec(), points: points.collect() }
}
