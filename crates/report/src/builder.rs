//! Gathers replays into what the page shows, keeping details of the dearest only.

use std::collections::HashMap;

use foveal_context::prices::PriceCard;
use foveal_context::tokens::Tokens;
use foveal_replay::Replay;
use foveal_transcript::Conversation;

use crate::data::{
    Detail, FileFill, Fill, Limits, Point, ProfileLine, ReportData, SessionLine, Totals,
};
use crate::sampler::{is_kept, keep_largest};

/// Marks of one kind in one drawing.
const MARKS_MAX: usize = 300;
/// Files of all conversations that are summed at any time.
const FILES_MAX: usize = 20_000;

/// One conversation, replayed under every profile. Can be gathered on any thread.
#[derive(Debug, Clone)]
pub struct Measured {
    line: SessionLine,
    cache_lifetime_ms: Option<i64>,
    limits: Limits,
}

impl Measured {
    /// Nothing replayed yet. `session` is the name shown; `prices` and `limits` are those
    /// given to [`ReportBuilder::new`].
    pub fn new(
        session: &str,
        conversation: &Conversation,
        prices: &PriceCard,
        limits: Limits,
    ) -> Self {
        let line = SessionLine {
            session: session.to_owned(),
            agent: conversation.agent.clone(),
            directory: conversation.directory.clone(),
            ..SessionLine::default()
        };
        Self { line, cache_lifetime_ms: prices.cache_lifetime_ms, limits }
    }

    /// Adds the replay under the next profile; profiles come in the order given to
    /// [`ReportBuilder::new`]. `fill` is only looked at for profiles that are drawn, the
    /// first [`Limits::profiles_drawn`].
    pub fn add(&mut self, replay: &Replay, fill: Option<Fill>) {
        let place = self.line.totals.len();
        self.line.totals.push(Totals::of(replay));
        if place < self.limits.profiles_drawn {
            let detail = self.detail_of(replay, fill.unwrap_or_default());
            self.line.details.push(detail);
        }
    }

    fn detail_of(&self, replay: &Replay, fill: Fill) -> Detail {
        let all = replay.requests.len();
        let mut detail = Detail { fill, ..Detail::default() };
        let (mut raw_dollars, mut net_dollars) = (0.0, 0.0);
        let mut before = None;
        for (at, request) in replay.requests.iter().enumerate() {
            raw_dollars += request.raw.dollars;
            net_dollars += request.projected.dollars + request.repair_dollars;
            let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
            if is_kept(at, all, self.limits.points) {
                detail.points.push(Point {
                    request: number,
                    raw: request.raw.prompt.0,
                    tokens: request.projected.prompt.0,
                    cached: request.projected.cached.0,
                    raw_dollars,
                    net_dollars,
                });
            }
            if request.rewrite.is_some() {
                detail.rewrites.push(number);
            }
            let waited = before.zip(request.time).map(|(before, now)| now.since_ms(before));
            if waited
                .zip(self.cache_lifetime_ms)
                .is_some_and(|(waited, lifetime)| waited > lifetime)
            {
                detail.cold.push(number);
            }
            before = request.time.or(before);
        }
        for marks in [&mut detail.rewrites, &mut detail.cold] {
            let (mut at, all) = (0, marks.len());
            marks.retain(|_| {
                at += 1;
                is_kept(at - 1, all, MARKS_MAX)
            });
        }
        detail
    }
}

/// Gathers conversations into a [`ReportData`].
#[derive(Debug)]
pub struct ReportBuilder {
    data: ReportData,
    files: Vec<HashMap<String, (Tokens, Tokens)>>,
}

impl ReportBuilder {
    /// Nothing gathered yet. The first profile is the one the page shows first; the first
    /// [`Limits::profiles_drawn`] (at most 4) can be chosen on the page.
    pub fn new(profiles: Vec<ProfileLine>, prices: PriceCard, limits: Limits) -> Self {
        let drawn = profiles.len().min(limits.profiles_drawn).min(4);
        let data = ReportData {
            prices,
            limits,
            totals: vec![Totals::default(); profiles.len()],
            fills: vec![Fill::default(); drawn],
            drawn,
            profiles,
            sessions: Vec::new(),
        };
        Self { files: vec![HashMap::new(); drawn], data }
    }

    /// Takes one conversation. The order does not matter.
    pub fn add(&mut self, measured: Measured) {
        let mut line = measured.line;
        line.totals.resize(self.data.profiles.len(), Totals::default());
        line.details.truncate(self.data.drawn);
        for (sum, totals) in self.data.totals.iter_mut().zip(&line.totals) {
            sum.add(totals);
        }
        for (at, detail) in line.details.iter_mut().enumerate() {
            self.add_fill(at, detail);
        }
        let sessions = &mut self.data.sessions;
        let dearer = |other: &SessionLine| {
            other
                .raw_dollars()
                .total_cmp(&line.raw_dollars())
                .reverse()
                .then_with(|| other.session.cmp(&line.session))
        };
        let at = sessions.partition_point(|other| dearer(other).is_lt());
        sessions.insert(at, line);
        // One line more than may be drawn has details at any time: the new one, or the one it
        // moved down.
        let beyond = at.max(self.data.limits.conversations_drawn);
        if let Some(cheaper) = sessions.get_mut(beyond) {
            cheaper.details = Vec::new();
        }
    }

    fn add_fill(&mut self, at: usize, detail: &mut Detail) {
        let fill = &mut self.data.fills[at];
        for (sum, tokens) in fill.raw.iter_mut().zip(detail.fill.raw) {
            *sum += tokens;
        }
        for (sum, tokens) in fill.projected.iter_mut().zip(detail.fill.projected) {
            *sum += tokens;
        }
        let files = &mut self.files[at];
        for file in &detail.fill.files {
            let sums = files.entry(file.path.clone()).or_default();
            sums.0 += file.raw;
            sums.1 += file.projected;
        }
        if files.len() > FILES_MAX {
            let largest = largest_files(files, FILES_MAX / 2);
            *files = largest.into_iter().map(|f| (f.path, (f.raw, f.projected))).collect();
        }
        keep_largest(&mut detail.fill.files, self.data.limits.files);
    }

    /// What was gathered.
    pub fn finish(mut self) -> ReportData {
        for (fill, files) in self.data.fills.iter_mut().zip(&self.files) {
            fill.files = largest_files(files, self.data.limits.files);
        }
        self.data
    }
}

fn largest_files(files: &HashMap<String, (Tokens, Tokens)>, most: usize) -> Vec<FileFill> {
    let mut all: Vec<FileFill> = files
        .iter()
        .map(|(path, (raw, projected))| FileFill {
            path: path.clone(),
            raw: *raw,
            projected: *projected,
        })
        .collect();
    keep_largest(&mut all, most);
    all
}
