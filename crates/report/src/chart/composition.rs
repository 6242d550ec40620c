//! The composition of the context, by effect and by file.

use crate::axis::Axis;
use crate::data::{CompositionSample, PromptComposition, PromptContentKind, TokensByKind};
use crate::frame::{LegendKey, PlotFrame, PlotTooltips, Tooltip, area_path, write_legend};
use crate::markup::HtmlWriter;
use crate::number;

/// Draws two stacked areas on one scale: prompts as recorded and as projected.
pub(crate) fn draw_areas(html: &mut HtmlWriter, fill: &PromptComposition) {
    let sum = |parts: &TokensByKind| parts.iter().map(|tokens| tokens.0).sum::<u64>();
    let last = fill.samples.last().map_or(1, |sample| sample.request);
    let peak = fill.samples.iter().map(|s| sum(&s.raw).max(sum(&s.projected))).max().unwrap_or(0);
    let x = Axis::between(1.0, f64::from(last), 6, 1.0);
    let y = Axis::from_zero(peak as f64, 4);
    let present = present_kinds(fill);
    html.open_element("div", &[("class", "pair")]);
    draw_stacked_area(
        html,
        &fill.samples,
        "Prompt content, as recorded",
        |s| &s.raw,
        &x,
        &y,
        &present,
    );
    draw_stacked_area(html, &fill.samples, "… as projected", |s| &s.projected, &x, &y, &present);
    html.close_element("div");
}

fn draw_stacked_area(
    html: &mut HtmlWriter,
    samples: &[CompositionSample],
    title: &str,
    parts: fn(&CompositionSample) -> &TokensByKind,
    x: &Axis,
    y: &Axis,
    present: &[PromptContentKind],
) {
    let mut marks = HtmlWriter::default();
    let mut lower: Vec<(f64, f64)> =
        samples.iter().map(|s| (x.position(f64::from(s.request)), 0.0)).collect();
    let mut sums = vec![0u64; samples.len()];
    for part in present {
        let upper: Vec<(f64, f64)> = samples
            .iter()
            .zip(&mut sums)
            .map(|(sample, sum)| {
                *sum += parts(sample)[*part as usize].0;
                (x.position(f64::from(sample.request)), y.position(*sum as f64))
            })
            .collect();
        if !upper.is_empty() {
            let class = format!("layer part-{}", *part as usize);
            marks.empty_element("path", &[("class", &class), ("d", &area_path(&upper, &lower))]);
        }
        lower = upper;
    }
    let points = samples.iter().map(|sample| {
        let text =
            |part: &PromptContentKind| number::format_count(parts(sample)[*part as usize].0 as f64);
        let texts = present.iter().rev().map(text).collect();
        Tooltip {
            place: x.position(f64::from(sample.request)),
            title: format!("request {}", sample.request),
            texts,
        }
    });
    let names = present.iter().rev().map(|part| part.label().to_owned()).collect();
    let summary = format!("{title}: tokens of each prompt by kind of content.");
    PlotFrame {
        title,
        summary: &summary,
        keys: &[],
        x,
        x_name: "request",
        y,
        y_text: number::format_count_tick,
        marks: &marks,
        ends: Vec::new(),
        mark_lanes: Vec::new(),
        tips: Some(PlotTooltips { names, points: points.collect() }),
    }
    .draw(html);
}

fn present_kinds(fill: &PromptComposition) -> Vec<PromptContentKind> {
    let any = |part: &PromptContentKind| {
        let at = *part as usize;
        fill.raw[at].0 > 0 || fill.projected[at].0 > 0
    };
    PromptContentKind::ALL.iter().copied().filter(any).collect()
}

/// Draws the legend of the stacked areas and of [`draw_kind_bars`].
pub(crate) fn draw_kind_legend(html: &mut HtmlWriter, fill: &PromptComposition) {
    let present = present_kinds(fill);
    let classes: Vec<String> =
        present.iter().map(|part| format!("part-{}", *part as usize)).collect();
    let keys: Vec<LegendKey<'_>> = present
        .iter()
        .zip(&classes)
        .map(|(part, class)| LegendKey { class, text: part.label() })
        .collect();
    write_legend(html, &keys);
}

/// One row of a ranking.
struct RankingBar<'a> {
    name: String,
    full_name: &'a str,
    class: String,
    raw: u64,
    projected: u64,
}

/// Draws bars by effect, summed over all requests.
pub(crate) fn draw_kind_bars(html: &mut HtmlWriter, fill: &PromptComposition, title: &str) {
    let mut bars: Vec<RankingBar<'_>> = present_kinds(fill)
        .into_iter()
        .map(|part| RankingBar {
            name: part.label().to_owned(),
            full_name: part.label(),
            class: format!("part-{}", part as usize),
            raw: fill.raw[part as usize].0,
            projected: fill.projected[part as usize].0,
        })
        .collect();
    bars.sort_by_key(|bar| std::cmp::Reverse(bar.raw));
    draw_bars(html, title, &bars);
}

/// Draws bars of the files with the most tokens, summed over all requests. Paths below `directory`
/// are shown relative to it.
pub(crate) fn draw_file_bars(
    html: &mut HtmlWriter,
    fill: &PromptComposition,
    title: &str,
    directory: Option<&str>,
) {
    let bars: Vec<RankingBar<'_>> = fill
        .files
        .iter()
        .map(|file| RankingBar {
            name: shorten_path(&file.path, directory),
            full_name: &file.path,
            class: format!("part-{}", PromptContentKind::Read as usize),
            raw: file.raw.0,
            projected: file.projected.0,
        })
        .collect();
    draw_bars(html, title, &bars);
}

fn draw_bars(html: &mut HtmlWriter, title: &str, bars: &[RankingBar<'_>]) {
    let most = bars.iter().map(|bar| bar.raw.max(bar.projected)).max().unwrap_or(0);
    html.open_element("figure", &[("class", "chart bars")]);
    html.text_element("figcaption", &[], title);
    if most == 0 {
        html.text_element("p", &[("class", "none")], "nothing");
    }
    html.open_element("ul", &[]);
    for bar in bars.iter().filter(|_| most > 0) {
        html.open_element("li", &[]);
        html.text_element("span", &[("class", "name"), ("title", bar.full_name)], &bar.name);
        html.open_element("span", &[("class", "track")]);
        for (kind, tokens) in [("before", bar.raw), ("after", bar.projected)] {
            let width = format!("width:{:.2}%", tokens as f64 / most as f64 * 100.0);
            let class = format!("{kind} {}", bar.class);
            html.text_element("i", &[("class", &class), ("style", &width)], "");
        }
        html.close_element("span");
        html.open_element("span", &[("class", "numbers")]);
        html.push_text(&format!("{} → ", number::format_count(bar.raw as f64)));
        html.text_element("b", &[], &number::format_count(bar.projected as f64));
        html.close_element("span");
        html.close_element("li");
    }
    html.close_element("ul");
    html.close_element("figure");
}

/// The most characters of a path beside a bar.
const PATH_CHARACTERS: usize = 46;

/// Returns the end of a path, cut at a separator if one is near.
fn shorten_path(path: &str, directory: Option<&str>) -> String {
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
            assert_eq!(shorten_path(path, directory), expected);
        }
    }
}
