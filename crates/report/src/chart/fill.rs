//! What fills the context, by effect and by file.

use crate::axis::Axis;
use crate::data::{ByPart, Fill, FillSample, Part};
use crate::frame::{Frame, Key, Tip, Tips, area, legend};
use crate::markup::Html;
use crate::number;

/// Draws two stacked areas on one scale: prompts as recorded and as projected.
pub(crate) fn draw_areas(html: &mut Html, fill: &Fill) {
    let sum = |parts: &ByPart| parts.iter().map(|tokens| tokens.0).sum::<u64>();
    let last = fill.samples.last().map_or(1, |sample| sample.request);
    let peak = fill.samples.iter().map(|s| sum(&s.raw).max(sum(&s.projected))).max().unwrap_or(0);
    let x = Axis::between(1.0, f64::from(last), 6, 1.0);
    let y = Axis::from_zero(peak as f64, 4);
    let present = present(fill);
    html.open("div", &[("class", "pair")]);
    draw_area(html, &fill.samples, "What fills it, as recorded", |s| &s.raw, (&x, &y), &present);
    draw_area(html, &fill.samples, "… as projected", |s| &s.projected, (&x, &y), &present);
    html.close("div");
}

fn draw_area(
    html: &mut Html,
    samples: &[FillSample],
    title: &str,
    parts: fn(&FillSample) -> &ByPart,
    (x, y): (&Axis, &Axis),
    present: &[Part],
) {
    let mut marks = Html::default();
    let mut lower: Vec<(f64, f64)> =
        samples.iter().map(|s| (x.place(f64::from(s.request)), 0.0)).collect();
    let mut sums = vec![0u64; samples.len()];
    for part in present {
        let upper: Vec<(f64, f64)> = samples
            .iter()
            .zip(&mut sums)
            .map(|(sample, sum)| {
                *sum += parts(sample)[*part as usize].0;
                (x.place(f64::from(sample.request)), y.place(*sum as f64))
            })
            .collect();
        if !upper.is_empty() {
            let class = format!("layer part-{}", *part as usize);
            marks.empty("path", &[("class", &class), ("d", &area(&upper, &lower))]);
        }
        lower = upper;
    }
    let points = samples.iter().map(|sample| {
        let text = |part: &Part| number::count(parts(sample)[*part as usize].0 as f64);
        let texts = present.iter().rev().map(text).collect();
        Tip {
            place: x.place(f64::from(sample.request)),
            title: format!("request {}", sample.request),
            texts,
        }
    });
    let names = present.iter().rev().map(|part| part.word().to_owned()).collect();
    let summary = format!("{title}: tokens of each prompt by what put them there.");
    Frame {
        title,
        summary: &summary,
        keys: &[],
        x,
        x_name: "request",
        y,
        y_text: number::count_tick,
        marks: &marks,
        ends: Vec::new(),
        lanes: Vec::new(),
        tips: Some(Tips { names, points: points.collect() }),
    }
    .draw(html);
}

fn present(fill: &Fill) -> Vec<Part> {
    let any = |part: &Part| {
        let at = *part as usize;
        fill.raw[at].0 > 0 || fill.projected[at].0 > 0
    };
    Part::ALL.iter().copied().filter(any).collect()
}

/// The legend of the stacked areas and of [`draw_parts`].
pub(crate) fn draw_legend(html: &mut Html, fill: &Fill) {
    let present = present(fill);
    let classes: Vec<String> =
        present.iter().map(|part| format!("part-{}", *part as usize)).collect();
    let keys: Vec<Key<'_>> = present
        .iter()
        .zip(&classes)
        .map(|(part, class)| Key { class, text: part.word() })
        .collect();
    legend(html, &keys);
}

/// One row of a ranking.
struct Bar<'a> {
    name: String,
    full_name: &'a str,
    class: String,
    raw: u64,
    projected: u64,
}

/// Draws bars by effect, summed over all requests.
pub(crate) fn draw_parts(html: &mut Html, fill: &Fill, title: &str) {
    let mut bars: Vec<Bar<'_>> = present(fill)
        .into_iter()
        .map(|part| Bar {
            name: part.word().to_owned(),
            full_name: part.word(),
            class: format!("part-{}", part as usize),
            raw: fill.raw[part as usize].0,
            projected: fill.projected[part as usize].0,
        })
        .collect();
    bars.sort_by_key(|bar| std::cmp::Reverse(bar.raw));
    draw_bars(html, title, &bars);
}

/// Draws bars of the files that took most, summed over all requests. Paths below
/// `directory` are shown relative to it.
pub(crate) fn draw_files(html: &mut Html, fill: &Fill, title: &str, directory: Option<&str>) {
    let bars: Vec<Bar<'_>> = fill
        .files
        .iter()
        .map(|file| Bar {
            name: short_path(&file.path, directory),
            full_name: &file.path,
            class: format!("part-{}", Part::Read as usize),
            raw: file.raw.0,
            projected: file.projected.0,
        })
        .collect();
    draw_bars(html, title, &bars);
}

fn draw_bars(html: &mut Html, title: &str, bars: &[Bar<'_>]) {
    let most = bars.iter().map(|bar| bar.raw.max(bar.projected)).max().unwrap_or(0);
    html.open("figure", &[("class", "chart bars")]);
    html.leaf("figcaption", &[], title);
    if most == 0 {
        html.leaf("p", &[("class", "none")], "nothing");
    }
    html.open("ul", &[]);
    for bar in bars.iter().filter(|_| most > 0) {
        html.open("li", &[]);
        html.leaf("span", &[("class", "name"), ("title", bar.full_name)], &bar.name);
        html.open("span", &[("class", "track")]);
        for (kind, tokens) in [("before", bar.raw), ("after", bar.projected)] {
            let width = format!("width:{:.2}%", tokens as f64 / most as f64 * 100.0);
            let class = format!("{kind} {}", bar.class);
            html.leaf("i", &[("class", &class), ("style", &width)], "");
        }
        html.close("span");
        html.open("span", &[("class", "numbers")]);
        html.text(&format!("{} → ", number::count(bar.raw as f64)));
        html.leaf("b", &[], &number::count(bar.projected as f64));
        html.close("span");
        html.close("li");
    }
    html.close("ul");
    html.close("figure");
}

/// Characters of a path that fit beside a bar.
const PATH_CHARACTERS: usize = 46;

/// The end of a path, cut at a separator where one is near.
fn short_path(path: &str, directory: Option<&str>) -> String {
    let below = directory
        .and_then(|directory| path.strip_prefix(directory.trim_end_matches('/')))
        .and_then(|rest| rest.strip_prefix('/'))
        .filter(|rest| !rest.is_empty());
    let path = below.unwrap_or(path);
    let characters = path.chars().count();
    if characters <= PATH_CHARACTERS {
        return path.to_owned();
    }
    let tail: String = path.chars().skip(characters - PATH_CHARACTERS + 2).collect();
    match tail.split_once('/') {
        Some((_, end)) if end.chars().count() * 2 > PATH_CHARACTERS => format!("…/{end}"),
        _ => format!("…{tail}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_short() {
        let long = "/a/very/long/path/of/folders/that/goes/on/and/on/to/the/file.rs";
        for (path, directory, expected) in [
            ("/p/src/a.rs", Some("/p"), "src/a.rs"),
            ("/p/src/a.rs", Some("/p/"), "src/a.rs"),
            ("/people/a.rs", Some("/p"), "/people/a.rs"),
            ("/p", Some("/p"), "/p"),
            ("a.rs", None, "a.rs"),
            (long, None, "…/folders/that/goes/on/and/on/to/the/file.rs"),
            (&"é".repeat(60), None, &format!("…{}", "é".repeat(44))),
        ] {
            assert_eq!(short_path(path, directory), expected);
        }
    }
}
