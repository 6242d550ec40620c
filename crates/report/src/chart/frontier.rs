//! Cost against visibility, for all profiles.

use foveal_replay::conversation_replay::VisibleShare;

use crate::axis::Axis;
use crate::data::{ReportData, ReportTotals};
use crate::frame::{LegendKey, write_legend};
use crate::markup::HtmlWriter;
use crate::number;

/// Width and height of a drawing in pixels. Its text cannot be stretched, so there is one drawing
/// for wide pages and one for narrow ones.
const SIZES: [(&str, f64, f64); 2] = [("wide", 560.0, 400.0), ("narrow", 344.0, 360.0)];
/// Left, top, right and bottom margins in pixels.
const MARGINS: (f64, f64, f64, f64) = (56.0, 14.0, 12.0, 40.0);
/// Mean width of one character of a label, in pixels.
const CHARACTER_WIDTH: f64 = 6.6;
/// Height of a label in pixels.
const LABEL_HEIGHT: f64 = 14.0;

/// Missed shares that may have a tick, if there is room.
const MISSED_SHARE_TICKS: [f64; 17] = [
    0.0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5,
    0.75, 1.0,
];

/// One profile in a drawing.
struct ProfileDot<'a> {
    name: &'a str,
    class: String,
    own: bool,
    change: f64,
    share: VisibleShare,
}

/// Draws evidence and references, side by side if there is room.
pub(crate) fn draw(html: &mut HtmlWriter, data: &ReportData) {
    let classes = ["series-0", "mark baseline"];
    let texts = ["foveal", "baseline"];
    let keys: Vec<LegendKey<'_>> =
        classes.into_iter().zip(texts).map(|(class, text)| LegendKey { class, text }).collect();
    write_legend(html, &keys);
    html.open_element("div", &[("class", "pair")]);
    draw_facet(html, data, "Cost against evidence", "evidence", |totals| totals.projected.evidence);
    draw_facet(html, data, "Cost against refs", "refs", |totals| totals.projected.references);
    html.close_element("div");
}

fn draw_facet(
    html: &mut HtmlWriter,
    data: &ReportData,
    title: &str,
    measure: &str,
    share: fn(&ReportTotals) -> VisibleShare,
) {
    let mut dots = vec![ProfileDot {
        name: "as recorded",
        class: "series-raw".to_owned(),
        own: false,
        change: 0.0,
        share: VisibleShare { used: 1, visible: 1 },
    }];
    for (at, (profile, totals)) in data.profiles.iter().zip(&data.totals).enumerate() {
        let Some(change) = totals.cost_change() else { continue };
        let class = match (profile.own, at < data.drawn) {
            (_, true) => format!("series-{at}"),
            (true, false) => "own".to_owned(),
            (false, false) => "baseline".to_owned(),
        };
        let share = share(totals);
        dots.push(ProfileDot { name: &profile.name, class, own: profile.own, change, share });
    }
    html.open_element("figure", &[("class", "chart scatter")]);
    html.text_element("figcaption", &[], title);
    for (class, width, height) in SIZES {
        let view = format!("0 0 {width} {height}");
        let label = format!(
            "{title} of {}; the table of profiles has the numbers.",
            number::format_plural(dots.len() as u64 - 1, "profile")
        );
        html.open_element(
            "svg",
            &[("class", class), ("viewBox", &view), ("role", "img"), ("aria-label", &label)],
        );
        draw_dots(html, &dots, measure, DrawingSize { width, height });
        html.close_element("svg");
    }
    html.close_element("figure");
}

/// The width and height of a drawing, in pixels.
#[derive(Clone, Copy)]
struct DrawingSize {
    width: f64,
    height: f64,
}

/// The position of a point in a drawing, in pixels from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
struct DrawingPoint {
    x: f64,
    y: f64,
}

/// Both scales of a drawing.
struct FrontierScales {
    x: Axis,
    /// The missed share at the lower edge.
    missed_max: f64,
    size: DrawingSize,
}

impl FrontierScales {
    fn from_dots(dots: &[ProfileDot<'_>], size: DrawingSize) -> Self {
        let least = dots.iter().map(|dot| dot.change).fold(0.0, f64::min);
        let most = dots.iter().map(|dot| dot.change).fold(0.0, f64::max);
        // One expensive baseline must not push all others into a corner: a distant dot is drawn at
        // the edge, and its label shows the number.
        let most = most.min((-least * 0.6).max(0.15));
        let pad = ((most - least) * 0.08).max(0.01);
        let missed = dots.iter().map(|dot| missed_ratio(dot.share)).fold(0.0, f64::max);
        let ticks = if size.width > 400.0 { 6 } else { 4 };
        Self {
            x: Axis::between(least - pad, most + pad, ticks, 0.005),
            missed_max: (missed * 1.15).clamp(0.002, 1.0),
            size,
        }
    }

    fn is_out_of_range(&self, change: f64) -> bool {
        change > self.x.high()
    }

    fn x_position(&self, change: f64) -> f64 {
        let (left, _, right, _) = MARGINS;
        left + self.x.position(change) * (self.size.width - left - right)
    }

    /// The square root spreads the upper end, where the relevant profiles crowd.
    fn y_position(&self, missed: f64) -> f64 {
        let (_, top, _, bottom) = MARGINS;
        let place = (missed / self.missed_max).clamp(0.0, 1.0).sqrt();
        top + 10.0 + place * (self.size.height - top - bottom - 10.0)
    }
}

fn missed_ratio(share: VisibleShare) -> f64 {
    (1.0 - share.ratio()).clamp(0.0, 1.0)
}

fn draw_dots(html: &mut HtmlWriter, dots: &[ProfileDot<'_>], measure: &str, size: DrawingSize) {
    let scales = FrontierScales::from_dots(dots, size);
    draw_scales(html, &scales, measure);
    draw_frontier(html, dots, &scales);
    let places: Vec<DrawingPoint> = dots
        .iter()
        .map(|dot| DrawingPoint {
            x: scales.x_position(dot.change),
            y: scales.y_position(missed_ratio(dot.share)),
        })
        .collect();
    let names: Vec<String> = dots.iter().map(|dot| label_text(dot, &scales)).collect();
    let width = |(name, dot): (&String, &ProfileDot<'_>)| {
        name.chars().count() as f64 * if dot.own { CHARACTER_WIDTH * 1.1 } else { CHARACTER_WIDTH }
    };
    let widths: Vec<f64> = names.iter().zip(dots).map(width).collect();
    let labels = place_labels(&places, &widths, size);
    for ((dot, place), label) in dots.iter().zip(&places).zip(&labels) {
        if let Some(label) = label.as_ref().filter(|label| label.needs_leader) {
            let data = format!(
                "M{:.1} {:.1}L{:.1} {:.1}",
                place.x, place.y, label.nearest_point.x, label.nearest_point.y
            );
            html.empty_element("path", &[("class", "leader"), ("d", &data)]);
        }
        draw_dot(html, dot, *place, measure);
    }
    for ((dot, name), label) in dots.iter().zip(&names).zip(&labels) {
        if let Some(label) = label {
            let (x, anchor) = label.anchor();
            let (x, y) = (format!("{x:.1}"), format!("{:.1}", label.top + 10.5));
            let class = format!("label {anchor} {}", dot.class);
            html.text_element("text", &[("class", &class), ("x", &x), ("y", &y)], name);
        }
    }
}

fn label_text(dot: &ProfileDot<'_>, scales: &FrontierScales) -> String {
    if scales.is_out_of_range(dot.change) {
        format!("{} {} →", dot.name, number::format_change(Some(dot.change)))
    } else {
        dot.name.to_owned()
    }
}

fn draw_dot(html: &mut HtmlWriter, dot: &ProfileDot<'_>, place: DrawingPoint, measure: &str) {
    let DrawingPoint { x, y } = place;
    let class = format!("dot {}", dot.class);
    html.open_element("g", &[("class", &class)]);
    let title = format!(
        "{}: cost {}, {measure} {}",
        dot.name,
        number::format_change(Some(dot.change)),
        number::format_share(dot.share)
    );
    html.text_element("title", &[], &title);
    // Shape as well as colour tells foveal's profiles from baselines.
    if dot.own {
        let (x, y) = (format!("{x:.1}"), format!("{y:.1}"));
        html.empty_element("circle", &[("cx", &x), ("cy", &y), ("r", "5.5")]);
    } else {
        let (x, y) = (format!("{:.1}", x - 4.5), format!("{:.1}", y - 4.5));
        html.empty_element("rect", &[("x", &x), ("y", &y), ("width", "9"), ("height", "9")]);
    }
    html.close_element("g");
}

fn draw_scales(html: &mut HtmlWriter, scales: &FrontierScales, measure: &str) {
    let (left, top, right, bottom) = MARGINS;
    let DrawingSize { width, height } = scales.size;
    let floor = height - bottom;
    let mut last = f64::NEG_INFINITY;
    for missed in MISSED_SHARE_TICKS {
        let y = scales.y_position(missed);
        if missed > scales.missed_max || y - last < 26.0 {
            continue;
        }
        last = y;
        let data = format!("M{left} {y:.1}H{}", width - right);
        html.empty_element("path", &[("class", "grid"), ("d", &data)]);
        let (x, y) = (format!("{}", left - 7.0), format!("{:.1}", y + 4.0));
        let percent = format!("{:.2}", (1.0 - missed) * 100.0);
        let text = format!("{}\u{202f}%", percent.trim_end_matches('0').trim_end_matches('.'));
        html.text_element("text", &[("class", "tick end"), ("x", &x), ("y", &y)], &text);
    }
    for tick in scales.x.ticks() {
        let x = scales.x_position(*tick);
        let class = if tick.abs() < 1e-9 { "grid zero" } else { "grid" };
        html.empty_element("path", &[("class", class), ("d", &format!("M{x:.1} {top}V{floor}"))]);
        let (x, y) = (format!("{x:.1}"), format!("{}", floor + 16.0));
        let text = number::format_change_tick(*tick);
        html.text_element("text", &[("class", "tick middle"), ("x", &x), ("y", &y)], &text);
    }
    let (x, y) = (format!("{}", (left + width - right) / 2.0), format!("{}", height - 6.0));
    let name = format!("change of cost (horizontal), {measure} visible (vertical)");
    html.text_element("text", &[("class", "axis middle"), ("x", &x), ("y", &y)], &name);
}

/// Draws a stepped line through the profiles that no other one beats in both measures.
fn draw_frontier(html: &mut HtmlWriter, dots: &[ProfileDot<'_>], scales: &FrontierScales) {
    let mut order: Vec<&ProfileDot<'_>> = dots.iter().collect();
    order.sort_by(|a, b| {
        a.change.total_cmp(&b.change).then(missed_ratio(a.share).total_cmp(&missed_ratio(b.share)))
    });
    let mut least = f64::INFINITY;
    let mut data = String::new();
    for dot in order {
        let missed = missed_ratio(dot.share);
        if missed >= least {
            continue;
        }
        let (x, y) = (scales.x_position(dot.change), scales.y_position(missed));
        if data.is_empty() {
            data = format!("M{x:.1} {y:.1}");
        } else {
            data.push_str(&format!("H{x:.1}V{y:.1}"));
        }
        least = missed;
    }
    if !data.is_empty() {
        html.empty_element("path", &[("class", "frontier"), ("d", &data)]);
    }
}

/// A placed label.
#[derive(Debug, Clone, Copy, PartialEq)]
struct DotLabel {
    left: f64,
    top: f64,
    width: f64,
    /// The point of the label that is nearest to its dot.
    nearest_point: DrawingPoint,
    /// Whether it is so far from the dot that it needs a leader line.
    needs_leader: bool,
}

impl DotLabel {
    /// Returns the end of the text towards the dot as anchor, so that a text longer or shorter than
    /// estimated still starts beside the dot.
    fn anchor(&self) -> (f64, &'static str) {
        let middle = self.left + self.width / 2.0;
        match self.nearest_point.x - middle {
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

/// Returns for each dot the nearest free label; `None` if there is no room.
fn place_labels(dots: &[DrawingPoint], widths: &[f64], size: DrawingSize) -> Vec<Option<DotLabel>> {
    let mut placed: Vec<Option<DotLabel>> = Vec::new();
    for (dot, width) in dots.iter().zip(widths) {
        let free = |label: &DotLabel| {
            let inside = label.left >= MARGINS.0
                && label.left + label.width <= size.width - 2.0
                && label.top >= 2.0
                && label.top + LABEL_HEIGHT <= size.height - MARGINS.3;
            let over_label = placed.iter().flatten().any(|other| {
                label.overlaps(
                    other.left,
                    other.top,
                    other.left + other.width,
                    other.top + LABEL_HEIGHT,
                )
            });
            let over_dot = dots
                .iter()
                .any(|DrawingPoint { x, y }| label.overlaps(x - 6.0, y - 6.0, x + 6.0, y + 6.0));
            inside && !over_label && !over_dot
        };
        placed.push(label_candidates(*dot, *width).find(free));
    }
    placed
}

/// Returns labels around a dot: right and left first, then at growing distances.
fn label_candidates(dot: DrawingPoint, width: f64) -> impl Iterator<Item = DotLabel> {
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
            let near = DrawingPoint { x: dot.x + across * distance, y: dot.y + down * distance };
            let left = near.x - width * (1.0 - across) / 2.0;
            let top = near.y - LABEL_HEIGHT * (1.0 - down) / 2.0;
            DotLabel { left, top, width, nearest_point: near, needs_leader: distance > 10.0 }
        })
    })
}

#[cfg(test)]
mod tests;
