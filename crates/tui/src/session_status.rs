//! The session's status, and the lines that show it.

use foveal_agent::{AgentEvent, PromptMap, RunTotals, UsageCharge};
use foveal_screen::{escape_one_line, numbers};
use ratatui_core::text::{Line, Span};

use crate::prompt_map_view::prompt_map_tokens;
use crate::text_layout::display_width;
use crate::theme::{ColourSupport, TextRole};

/// Milliseconds of one frame of the spinner.
const SPINNER_FRAME_MS: u64 = 120;

/// The rank of the context gauge among the parts of the status line: a narrow line omits it last.
const GAUGE_RANK: u8 = 0;

/// The status of a session.
#[derive(Debug, Default)]
pub(crate) struct SessionStatus {
    pub(crate) model: String,
    pub(crate) session: Option<String>,
    /// Tokens of the last prompt, before any reduction and as sent.
    pub(crate) last_prompt: Option<(u64, u64)>,
    /// The tokens counted for the last prompt as sent, until its bill is known.
    pub(crate) counted_prompt: Option<u64>,
    /// The billed tokens of a prompt divided by the tokens counted for it, if known.
    pub(crate) billed_ratio: Option<f64>,
    /// Tokens of all prompts, before any reduction and as sent.
    pub(crate) all_prompts: (u64, u64),
    /// The model's window in tokens, if known.
    pub(crate) window: Option<u64>,
    pub(crate) totals: RunTotals,
    /// Whether some of the tokens are estimates.
    pub(crate) is_estimated: bool,
    pub(crate) calls: u64,
    pub(crate) failed_calls: u64,
    pub(crate) retries: u64,
    pub(crate) rewrites: u64,
    /// The activity of the agent, while it works on a turn.
    pub(crate) activity: Option<AgentActivity>,
}

/// The activity of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentActivity {
    pub(crate) description: String,
    pub(crate) since_ms: u64,
    /// The start of the turn.
    pub(crate) turn_began_ms: u64,
    pub(crate) is_stopping: bool,
}

/// Returns the spinner's frame after `so_far_ms` milliseconds.
pub(crate) fn spinner_frame(so_far_ms: u64) -> &'static str {
    const PICTURES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
    PICTURES[(so_far_ms / SPINNER_FRAME_MS) as usize % PICTURES.len()]
}

/// Formats a duration: `0.3 s`, `12 s`, `2 min 5 s`.
pub(crate) fn format_duration(time_ms: u64) -> String {
    match time_ms / 1_000 {
        0..10 => format!("{:.1} s", time_ms as f64 / 1e3),
        whole @ 10..120 => format!("{whole} s"),
        whole => format!("{} min {} s", whole / 60, whole % 60),
    }
}

impl SessionStatus {
    /// Begins a turn after a message of the user.
    pub(crate) fn begin_turn(&mut self, now_ms: u64) {
        let what = "preparing the request".to_owned();
        let working = AgentActivity {
            description: what,
            since_ms: now_ms,
            turn_began_ms: now_ms,
            is_stopping: false,
        };
        self.activity = Some(working);
    }

    /// Takes the size of the prompt from its map, so that both show the same tokens.
    pub(crate) fn apply_prompt_map(&mut self, map: &PromptMap) {
        if self.last_prompt.is_none() {
            return;
        }
        self.last_prompt = Some(prompt_map_tokens(map));
        if let (Some(counted), Some(billed)) = (self.counted_prompt.take(), map.tokens_billed) {
            self.billed_ratio = Some(billed as f64 / counted as f64);
        }
    }

    /// Applies an event of the agent.
    pub(crate) fn apply_event(&mut self, told: &AgentEvent, now_ms: u64) {
        match told {
            AgentEvent::Start { model, .. } => self.model = escape_one_line(model).into_owned(),
            AgentEvent::Sent { tokens_asked, tokens_sent, rewrite, .. } => {
                let ratio = self.billed_ratio.unwrap_or(1.0);
                let [asked, sent] =
                    [tokens_asked, tokens_sent].map(|tokens| (*tokens as f64 * ratio) as u64);
                self.last_prompt = Some((asked, sent));
                self.counted_prompt = Some(*tokens_sent).filter(|tokens| *tokens > 0);
                self.all_prompts.0 += tokens_asked;
                self.all_prompts.1 += tokens_sent;
                self.rewrites += u64::from(rewrite.is_some());
                self.set_activity("waiting for the model", now_ms);
            }
            AgentEvent::Reasoning { .. } => self.set_activity("the model is thinking", now_ms),
            AgentEvent::Text { .. } | AgentEvent::CallStart { .. } => {
                self.set_activity("the model is answering", now_ms);
            }
            AgentEvent::Again { wait_ms, .. } => {
                self.retries += 1;
                self.set_activity(&format!("retrying in {}", format_duration(*wait_ms)), now_ms);
            }
            AgentEvent::Usage { spent, estimated, .. } => {
                self.totals = *spent;
                self.is_estimated |= estimated;
            }
            AgentEvent::SideUsage { spent, .. } => self.totals = *spent,
            AgentEvent::Call { name, .. } => {
                self.calls += 1;
                self.set_activity(&format!("running {}", escape_one_line(name)), now_ms);
            }
            AgentEvent::Result { is_error, .. } => self.failed_calls += u64::from(*is_error),
            AgentEvent::Done { spent, .. } => {
                self.totals = *spent;
                self.activity = None;
            }
            AgentEvent::Progress { model: Some(_), .. } => {
                self.set_activity("a model is selecting what to show", now_ms);
            }
            AgentEvent::CallArguments { .. }
            | AgentEvent::Reduced { .. }
            | AgentEvent::Agent { .. }
            | AgentEvent::Progress { .. }
            | AgentEvent::Indexing(_)
            | AgentEvent::Repeated { .. } => {}
        }
    }

    fn set_activity(&mut self, what: &str, now_ms: u64) {
        if let Some(working) = &mut self.activity
            && working.description != what
        {
            (working.description, working.since_ms) = (what.to_owned(), now_ms);
        }
    }

    /// Returns the share of the main model's prompt tokens that were cache reads, in percent.
    pub(crate) fn cache_read_percent(&self) -> Option<u64> {
        let UsageCharge { uncached, cache_read, cache_write, .. } =
            self.totals.without_side_models().charge;
        let all = uncached + cache_read + cache_write;
        (all > 0).then(|| cache_read * 100 / all)
    }

    /// Returns the share of prompt tokens that were not sent, in percent.
    pub(crate) fn omitted_percent(&self) -> Option<u64> {
        let (asked, sent) = self.all_prompts;
        (asked > 0).then(|| asked.saturating_sub(sent) * 100 / asked)
    }

    /// Returns the context gauge: the sent tokens of the last prompt, its tokens before any
    /// reduction, and the window.
    fn context_gauge(&self) -> Option<String> {
        let (asked, sent) = self.last_prompt?;
        let mut told = numbers::format_tokens(sent);
        let whole = numbers::format_tokens(asked);
        if sent < asked && told != whole {
            told.push_str(&format!(" of {whole}"));
        }
        if let Some(window) = self.window {
            told.push_str(&format!(" / {}", numbers::format_tokens(window)));
        }
        Some(format!("{told} tokens"))
    }

    /// Returns the status line. Parts are omitted by rank where `columns` are too few.
    pub(crate) fn render_line(&self, columns: usize, colours: ColourSupport) -> Line<'static> {
        let UsageCharge { cost, has_unknown_cost, .. } = self.totals.charge;
        let cost = numbers::cost_suffix(cost, has_unknown_cost);
        let cost = cost.strip_prefix(", ").map(str::to_owned);
        let parts: Vec<(u8, Option<String>)> = vec![
            (3, Some(self.model.clone()).filter(|model| !model.is_empty())),
            (GAUGE_RANK, self.context_gauge()),
            (2, self.cache_read_percent().map(|share| format!("cache {share} %"))),
            (1, cost),
            (
                4,
                self.omitted_percent()
                    .filter(|share| *share > 0)
                    .map(|share| format!("saved {share} %")),
            ),
            (5, self.session.clone()),
        ];
        let mut kept: Vec<(u8, String)> =
            parts.into_iter().filter_map(|(rank, text)| Some((rank, text?))).collect();
        let all = |kept: &[(u8, String)]| {
            kept.iter().map(|(_, text)| display_width(text) + 3).sum::<usize>().saturating_sub(3)
        };
        while all(&kept) > columns {
            let Some(worst) = kept.iter().map(|(rank, _)| *rank).max() else { break };
            kept.retain(|(rank, _)| *rank != worst);
        }
        let style = |rank| {
            colours.role_style(if rank == GAUGE_RANK { TextRole::Gauge } else { TextRole::Aside })
        };
        let mut spans = Vec::new();
        for (rank, text) in kept {
            if !spans.is_empty() {
                spans.push(Span::styled(" · ", colours.role_style(TextRole::Aside)));
            }
            spans.push(Span::styled(text, style(rank)));
        }
        Line::from(spans)
    }

    /// Returns the line with the current activity, while the agent works on a turn.
    pub(crate) fn render_activity(
        &self,
        now_ms: u64,
        columns: usize,
        colours: ColourSupport,
    ) -> Option<Line<'static>> {
        let working = self.activity.as_ref()?;
        let so_far_ms = now_ms.saturating_sub(working.turn_began_ms);
        let hint = if working.is_stopping { "stopping" } else { "Ctrl+C to stop" };
        let mut told = format!("{}, {}", working.description, format_duration(so_far_ms));
        if display_width(&told) + display_width(hint) + 5 <= columns {
            told = format!("{told} · {hint}");
        }
        let spinner = Span::styled(spinner_frame(so_far_ms), colours.role_style(TextRole::Good));
        Some(Line::from(vec![
            spinner,
            Span::raw(" "),
            Span::styled(told, colours.role_style(TextRole::Aside)),
        ]))
    }
}
