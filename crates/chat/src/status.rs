//! The line that says how the session is.

use foveal_agent::{Charge, Spent, Told};
use foveal_screen::{in_one_line, numbers};
use ratatui_core::text::{Line, Span};

use crate::lines::width;
use crate::theme::{Colours, Role};

/// Milliseconds of one picture of the spinner.
const SPIN_MS: u64 = 120;

/// The rank of the gauge among the parts of the line: it is left out last.
const GAUGE: u8 = 0;

/// How the session is.
#[derive(Debug, Default)]
pub(crate) struct Status {
    pub(crate) model: String,
    pub(crate) session: Option<String>,
    /// Tokens of the last prompt: with everything in it, and as it went.
    pub(crate) prompt: Option<(u64, u64)>,
    /// Tokens of all prompts: with everything in them, and as they went.
    pub(crate) prompts: (u64, u64),
    /// Tokens that the model can hold, where that is known.
    pub(crate) window: Option<u64>,
    pub(crate) spent: Spent,
    /// Whether some of its tokens are estimates.
    pub(crate) is_estimated: bool,
    pub(crate) calls: u64,
    pub(crate) failed: u64,
    pub(crate) cached: u64,
    pub(crate) retries: u64,
    pub(crate) rewrites: u64,
    /// What it does, since when; `None`: nothing.
    pub(crate) working: Option<Working>,
}

/// What the agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Working {
    pub(crate) what: String,
    pub(crate) since_ms: u64,
    /// Since when the turn goes on.
    pub(crate) turn_ms: u64,
    pub(crate) is_stopping: bool,
}

/// The picture of a spinner after so long.
pub(crate) fn spinner(so_far_ms: u64) -> &'static str {
    const PICTURES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
    PICTURES[(so_far_ms / SPIN_MS) as usize % PICTURES.len()]
}

/// A time as people read it: `0.3 s`, `12 s`, `2 min 5 s`.
pub(crate) fn seconds(time_ms: u64) -> String {
    match time_ms / 1_000 {
        0..10 => format!("{:.1} s", time_ms as f64 / 1e3),
        whole @ 10..120 => format!("{whole} s"),
        whole => format!("{} min {} s", whole / 60, whole % 60),
    }
}

impl Status {
    /// The person said something.
    pub(crate) fn begin(&mut self, now_ms: u64) {
        let what = "prepares the request".to_owned();
        let working = Working { what, since_ms: now_ms, turn_ms: now_ms, is_stopping: false };
        self.working = Some(working);
    }

    /// Takes what happened.
    pub(crate) fn take(&mut self, told: &Told, now_ms: u64) {
        match told {
            Told::Start { model, .. } => self.model = in_one_line(model).into_owned(),
            Told::Sent { tokens_asked, tokens_sent, rewrite, .. } => {
                self.prompt = Some((*tokens_asked, *tokens_sent));
                self.prompts.0 += tokens_asked;
                self.prompts.1 += tokens_sent;
                self.rewrites += u64::from(rewrite.is_some());
                self.does("waits for the model", now_ms);
            }
            Told::Reasoning { .. } => self.does("the model thinks", now_ms),
            Told::Text { .. } | Told::CallStart { .. } => self.does("the model answers", now_ms),
            Told::Again { wait_ms, .. } => {
                self.retries += 1;
                self.does(&format!("asks again in {}", seconds(*wait_ms)), now_ms);
            }
            Told::Usage { spent, estimated, .. } => {
                self.spent = *spent;
                self.is_estimated |= estimated;
            }
            Told::SideUsage { spent, .. } => self.spent = *spent,
            Told::Call { name, .. } => {
                self.calls += 1;
                self.does(&format!("carries out {}", in_one_line(name)), now_ms);
            }
            Told::Result { is_error, cached, .. } => {
                self.failed += u64::from(*is_error);
                self.cached += u64::from(*cached);
            }
            Told::Done { spent, .. } => {
                self.spent = *spent;
                self.working = None;
            }
            Told::Progress { model: Some(_), .. } => {
                self.does("a model chooses what is shown", now_ms);
            }
            Told::Reduced { cached, .. } => self.cached += u64::from(*cached),
            Told::CallArguments { .. }
            | Told::Agent { .. }
            | Told::Progress { .. }
            | Told::Indexing(_)
            | Told::Repeated { .. } => {}
        }
    }

    fn does(&mut self, what: &str, now_ms: u64) {
        if let Some(working) = &mut self.working
            && working.what != what
        {
            (working.what, working.since_ms) = (what.to_owned(), now_ms);
        }
    }

    /// The share of the main model's prompts that was read from the cache, in percent.
    pub(crate) fn cache_share(&self) -> Option<u64> {
        let Charge { uncached, cache_read, cache_write, .. } = self.spent.main().charge;
        let all = uncached + cache_read + cache_write;
        (all > 0).then(|| cache_read * 100 / all)
    }

    /// The share of tokens that did not go, in percent.
    pub(crate) fn saved_share(&self) -> Option<u64> {
        let (asked, sent) = self.prompts;
        (asked > 0).then(|| asked.saturating_sub(sent) * 100 / asked)
    }

    /// The gauge: what of the context is sent, and of how much.
    fn gauge(&self) -> Option<String> {
        let (asked, sent) = self.prompt?;
        let mut told = numbers::tokens(sent);
        let whole = numbers::tokens(asked);
        if sent < asked && told != whole {
            told.push_str(&format!(" of {whole}"));
        }
        if let Some(window) = self.window {
            told.push_str(&format!(" / {}", numbers::tokens(window)));
        }
        Some(format!("{told} tokens"))
    }

    /// The line in so many columns. What matters least is left out first.
    pub(crate) fn line(&self, columns: usize, colours: Colours) -> Line<'static> {
        let cost = self.spent.charge.cost;
        let parts: Vec<(u8, Option<String>)> = vec![
            (3, Some(self.model.clone()).filter(|model| !model.is_empty())),
            (GAUGE, self.gauge()),
            (2, self.cache_share().map(|share| format!("cache {share} %"))),
            (1, (cost > 0.0).then(|| numbers::dollars(cost))),
            (
                4,
                self.saved_share()
                    .filter(|share| *share > 0)
                    .map(|share| format!("saved {share} %")),
            ),
            (5, self.session.clone()),
        ];
        let mut kept: Vec<(u8, String)> =
            parts.into_iter().filter_map(|(rank, text)| Some((rank, text?))).collect();
        let all = |kept: &[(u8, String)]| {
            kept.iter().map(|(_, text)| width(text) + 3).sum::<usize>().saturating_sub(3)
        };
        while all(&kept) > columns {
            let Some(worst) = kept.iter().map(|(rank, _)| *rank).max() else { break };
            kept.retain(|(rank, _)| *rank != worst);
        }
        let style = |rank| colours.style(if rank == GAUGE { Role::Gauge } else { Role::Aside });
        let mut spans = Vec::new();
        for (rank, text) in kept {
            if !spans.is_empty() {
                spans.push(Span::styled(" · ", colours.style(Role::Aside)));
            }
            spans.push(Span::styled(text, style(rank)));
        }
        Line::from(spans)
    }

    /// The line that says what goes on, while something does.
    pub(crate) fn working_line(
        &self,
        now_ms: u64,
        columns: usize,
        colours: Colours,
    ) -> Option<Line<'static>> {
        let working = self.working.as_ref()?;
        let so_far_ms = now_ms.saturating_sub(working.turn_ms);
        let hint = if working.is_stopping { "stops" } else { "Ctrl+C stops it" };
        let mut told = format!("{}, {}", working.what, seconds(so_far_ms));
        if width(&told) + width(hint) + 5 <= columns {
            told = format!("{told} · {hint}");
        }
        let spinner = Span::styled(spinner(so_far_ms), colours.style(Role::Good));
        Some(Line::from(vec![
            spinner,
            Span::raw(" "),
            Span::styled(told, colours.style(Role::Aside)),
        ]))
    }
}
