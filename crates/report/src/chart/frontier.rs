//! Cost against what stays visible, for all profiles.

use foveal_replay::run::Share;

use crate::axis::Axis;
use crate::data::{ReportData, Totals};
use crate::frame::{Key, legend};
use crate::markup::Html;
use crate::number;

/// Width and height of a drawing in pixels. Text in it cannot be stretched, so there is one
/// drawing for wide pages and one for narrow ones.
const SIZES: [(&str, f64, f64); 2] = [("wide", 560.0, 400.0), ("narrow", 344.0, 360.0)];
/// Left, top, right and bottom margins in pixels.
const MARGINS: (f64, f64, f64, f64) = (56.0, 14.0, 12.0, 40.0);
/// Width of one character of a label, in pixels, on average.
const CHARACTER: f64 = 6.6;
/// Height of a label in pixels.
const LABEL_HEIGHT: f64 = 14.0;

/// Shares missed that can have a tick, where there is room.
const TICKS: [f64; 17] = [
    0.0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5,
    0.75, 1.0,
];

/// One profile in a drawing.
struct Dot<'a> {
    name: &'a str,
    class: String,
    own: bool,
    change: f64,
    share: Share,
}

/// Draws evidence and references, side by side where there is room.
pub(crate) fn draw(html: &mut Html, data: &ReportData) {
    let classes = ["series-0", "mark baseline"];
    let texts = ["foveal", "baseline"];
    let keys: Vec<Key<'_>> =
        classes.into_iter().zip(texts).map(|(class, text)| Key { class, text }).collect();
    legend(html, &keys);
    html.open("div", &[("class", "pair")]);
    draw_facet(html, data, "Cost against evidence", "evidence", |totals| totals.projected.evidence);
    draw_facet(html, data, "Cost against refs", "refs", |totals| totals.projected.references);
    html.close("div");
}

fn draw_facet(
    html: &mut Html,
    data: &ReportData,
    title: &str,
    measure: &str,
    share: fn(&Totals) -> Share,
) {
    let mut dots = vec![Dot {
        name: "as recorded",
        class: "series-raw".to_owned(),
        own: false,
        change: 0.0,
        share: Share { used: 1, visible: 1 },
    }];
    for (at, (profile, totals)) in data.profiles.iter().zip(&data.totals).enumerate() {
        let Some(change) = totals.cost_change() else { continue };
        let class = match (profile.own, at < data.drawn) {
            (_, true) => format!("series-{at}"),
            (true, false) => "own".to_owned(),
            (false, false) => "baseline".to_owned(),
        };
        let share = share(totals);
        dots.push(Dot { name: &profile.name, class, own: profile.own, change, share });
    }
    html.open("figure", &[("class", "chart scatter")]);
    html.leaf("figcaption", &[], title);
    for (class, width, height) in SIZES {
        let view = format!("0 0 {width} {height}");
        let label = format!(
            "{title} of {}; the table of profiles has the numbers.",
            number::plural(dots.len() as u64 - 1, "profile")
        );
        html.open(
            "svg",
            &[("class", class), ("viewBox", &view), ("role", "img"), ("aria-label", &label)],
        );
        draw_dots(html, &dots, measure, (width, height));
        html.close("svg");
    }
    html.close("figure");
}

/// Both scales of a drawing.
struct Scales {
    x: Axis,
    /// Share missed at the lower edge.
    missed_max: f64,
    size: (f64, f64),
}

impl Scales {
    fn of(dots: &[Dot<'_>], size: (f64, f64)) -> Self {
        let least = dots.iter().map(|dot| dot.change).fold(0.0, f64::min);
        let most = dots.iter().map(|dot| dot.change).fold(0.0, f64::max);
        // One costly baseline must not push all others into a corner: what lies far out is
        // drawn at the edge and says its number.
        let most = most.min((-least * 0.6).max(0.15));
        let pad = ((most - least) * 0.08).max(0.01);
        let missed = dots.iter().map(|dot| missed(dot.share)).fold(0.0, f64::max);
        Self {
            x: Axis::between(least - pad, most + pad, if size.0 > 400.0 { 6 } else { 4 }, 0.005),
            missed_max: (missed * 1.15).clamp(0.002, 1.0),
            size,
        }
    }

    fn is_beyond(&self, change: f64) -> bool {
        change > self.x.high()
    }

    fn across(&self, change: f64) -> f64 {
        let (left, _, right, _) = MARGINS;
        left + self.x.place(change) * (self.size.0 - left - right)
    }

    /// The root spreads the upper end, where the profiles that matter crowd.
    fn down(&self, missed: f64) -> f64 {
        let (_, top, _, bottom) = MARGINS;
        let place = (missed / self.missed_max).clamp(0.0, 1.0).sqrt();
        top + 10.0 + place * (self.size.1 - top - bottom - 10.0)
    }
}

fn missed(share: Share) -> f64 {
    (1.0 - share.ratio()).clamp(0.0, 1.0)
}

fn draw_dots(html: &mut Html, dots: &[Dot<'_>], measure: &str, size: (f64, f64)) {
    let scales = Scales::of(dots, size);
    draw_scales(html, &scales, measure);
    draw_frontier(html, dots, &scales);
    let places: Vec<(f64, f64)> = dots
        .iter()
        .map(|dot| (scales.across(dot.change), scales.down(missed(dot.share))))
        .collect();
    let names: Vec<String> = dots.iter().map(|dot| label_text(dot, &scales)).collect();
    let width = |(name, dot): (&String, &Dot<'_>)| {
        name.chars().count() as f64 * if dot.own { CHARACTER * 1.1 } else { CHARACTER }
    };
    let widths: Vec<f64> = names.iter().zip(dots).map(width).collect();
    let labels = place_labels(&places, &widths, size);
    for ((dot, place), label) in dots.iter().zip(&places).zip(&labels) {
        if let Some(label) = label.as_ref().filter(|label| label.led) {
            let data =
                format!("M{:.1} {:.1}L{:.1} {:.1}", place.0, place.1, label.near.0, label.near.1);
            html.empty("path", &[("class", "leader"), ("d", &data)]);
        }
        draw_dot(html, dot, *place, measure);
    }
    for ((dot, name), label) in dots.iter().zip(&names).zip(&labels) {
        if let Some(label) = label {
            let (x, anchor) = label.anchor();
            let (x, y) = (format!("{x:.1}"), format!("{:.1}", label.top + 10.5));
            let class = format!("label {anchor} {}", dot.class);
            html.leaf("text", &[("class", &class), ("x", &x), ("y", &y)], name);
        }
    }
}

fn label_text(dot: &Dot<'_>, scales: &Scales) -> String {
    if scales.is_beyond(dot.change) {
        format!("{} {} →", dot.name, number::change(Some(dot.change)))
    } else {
        dot.name.to_owned()
    }
}

fn draw_dot(html: &mut Html, dot: &Dot<'_>, (x, y): (f64, f64), measure: &str) {
    let class = format!("dot {}", dot.class);
    html.open("g", &[("class", &class)]);
    let title = format!(
        "{}: cost {}, {measure} {}",
        dot.name,
        number::change(Some(dot.change)),
        number::share(dot.share)
    );
    html.leaf("title", &[], &title);
    // Shape as well as colour tells foveal's profiles from baselines.
    if dot.own {
        let (x, y) = (format!("{x:.1}"), format!("{y:.1}"));
        html.empty("circle", &[("cx", &x), ("cy", &y), ("r", "5.5")]);
    } else {
        let (x, y) = (format!("{:.1}", x - 4.5), format!("{:.1}", y - 4.5));
        html.empty("rect", &[("x", &x), ("y", &y), ("width", "9"), ("height", "9")]);
    }
    html.close("g");
}

fn draw_scales(html: &mut Html, scales: &Scales, measure: &str) {
    let (left, top, right, bottom) = MARGINS;
    let (width, height) = scales.size;
    let floor = height - bottom;
    let mut last = f64::NEG_INFINITY;
    for missed in TICKS {
        let y = scales.down(missed);
        if missed > scales.missed_max || y - last < 26.0 {
            continue;
        }
        last = y;
        let data = format!("M{left} {y:.1}H{}", width - right);
        html.empty("path", &[("class", "grid"), ("d", &data)]);
        let (x, y) = (format!("{}", left - 7.0), format!("{:.1}", y + 4.0));
        let percent = format!("{:.2}", (1.0 - missed) * 100.0);
        let text = format!("{}\u{202f}%", percent.trim_end_matches('0').trim_end_matches('.'));
        html.leaf("text", &[("class", "tick end"), ("x", &x), ("y", &y)], &text);
    }
    for tick in scales.x.ticks() {
        let x = scales.across(*tick);
        let class = if tick.abs() < 1e-9 { "grid zero" } else { "grid" };
        html.empty("path", &[("class", class), ("d", &format!("M{x:.1} {top}V{floor}"))]);
        let (x, y) = (format!("{x:.1}"), format!("{}", floor + 16.0));
        let text = number::change_tick(*tick);
        html.leaf("text", &[("class", "tick middle"), ("x", &x), ("y", &y)], &text);
    }
    let (x, y) = (format!("{}", (left + width - right) / 2.0), format!("{}", height - 6.0));
    let name = format!("change of cost (across), {measure} visible (up)");
    html.leaf("text", &[("class", "axis middle"), ("x", &x), ("y", &y)], &name);
}

/// The profiles that no other beats in both measures, joined by steps.
fn draw_frontier(html: &mut Html, dots: &[Dot<'_>], scales: &Scales) {
    let mut order: Vec<&Dot<'_>> = dots.iter().collect();
    order.sort_by(|a, b| {
        a.change.total_cmp(&b.change).then(missed(a.share).total_cmp(&missed(b.share)))
    });
    let mut least = f64::INFINITY;
    let mut data = String::new();
    for dot in order {
        let missed = missed(dot.share);
        if missed >= least {
            continue;
        }
        let (x, y) = (scales.across(dot.change), scales.down(missed));
        if data.is_empty() {
            data = format!("M{x:.1} {y:.1}");
        } else {
            data.push_str(&format!("H{x:.1}V{y:.1}"));
        }
        least = missed;
    }
    if !data.is_empty() {
        html.empty("path", &[("class", "frontier"), ("d", &data)]);
    }
}

/// Where a label stands.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Label {
    left: f64,
    top: f64,
    width: f64,
    /// The point of the label that is nearest to its dot.
    near: (f64, f64),
    /// Whether it stands so far off that a line must lead to it.
    led: bool,
}

impl Label {
    /// The end of the text that stands towards the dot, so that a text that is longer or
    /// shorter than expected still starts beside it.
    fn anchor(&self) -> (f64, &'static str) {
        let middle = self.left + self.width / 2.0;
        match self.near.0 - middle {
            off if off < -1.0 => (self.left, "start"),
            off if off > 1.0 => (self.left + self.width, "end"),
            _ => (middle, "middle"),
        }
    }

    fn overlaps(&self, left: f64, top: f64, right: f64, bottom: f64) -> bool {
        self.left < right
            && left < self.left + self.width
            && self.top < bottom
            && top < self.top + LABEL_HEIGHT
    }
}

/// Finds for each dot the nearest free place; none where there is no room.
fn place_labels(dots: &[(f64, f64)], widths: &[f64], size: (f64, f64)) -> Vec<Option<Label>> {
    let mut placed: Vec<Option<Label>> = Vec::new();
    for (dot, width) in dots.iter().zip(widths) {
        let free = |label: &Label| {
            let inside = label.left >= MARGINS.0
                && label.left + label.width <= size.0 - 2.0
                && label.top >= 2.0
                && label.top + LABEL_HEIGHT <= size.1 - MARGINS.3;
            let over_label = placed.iter().flatten().any(|other| {
                label.overlaps(
                    other.left,
                    other.top,
                    other.left + other.width,
                    other.top + LABEL_HEIGHT,
                )
            });
            let over_dot =
                dots.iter().any(|(x, y)| label.overlaps(x - 6.0, y - 6.0, x + 6.0, y + 6.0));
            inside && !over_label && !over_dot
        };
        placed.push(candidates(*dot, *width).find(free));
    }
    placed
}

/// Places around a dot: right and left first, then further and further around.
fn candidates((x, y): (f64, f64), width: f64) -> impl Iterator<Item = Label> {
    const DISTANCES: [f64; 7] = [9.0, 16.0, 26.0, 38.0, 52.0, 70.0, 92.0];
    const DIRECTIONS: [(f64, f64); 12] = [
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, 1.0),
        (0.0, -1.0),
        (0.7, 0.7),
        (-0.7, 0.7),
        (0.7, -0.7),
        (-0.7, -0.7),
        (0.4, 0.9),
        (-0.4, 0.9),
        (0.9, 0.4),
        (-0.9, 0.4),
    ];
    DISTANCES.into_iter().flat_map(move |distance| {
        DIRECTIONS.into_iter().map(move |(across, down)| {
            let near = (x + across * distance, y + down * distance);
            let left = near.0 - width * (1.0 - across) / 2.0;
            let top = near.1 - LABEL_HEIGHT * (1.0 - down) / 2.0;
            Label { left, top, width, near, led: distance > 10.0 }
        })
    })
}

#[cfg(test)]
mod tests;
