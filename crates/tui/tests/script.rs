//! Scripts of inputs to a chat, one step a line, with the resulting screen.

use foveal_agent::{
    AgentEvent, CurationProgress, IndexingProgress, ModelPrice, PromptMap, RunOutcome, RunTotals,
    SideModelCharge, SideModelRole, UsageCharge,
};
use foveal_tui::{
    Chat, ChatAction, ChatInput, ChatSetup, ColourSupport, CompletionCandidate, KeyCode, KeyPress,
    NoticeLevel, PermissionQuestion, draw_chat,
};
use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Buffer;
use ratatui_core::terminal::Terminal;
use unicode_width::UnicodeWidthStr as _;

/// A chat on a screen.
pub(crate) struct Screen {
    pub(crate) chat: Chat,
    terminal: Terminal<TestBackend>,
    pub(crate) actions: Vec<ChatAction>,
    now_ms: u64,
}

impl Screen {
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        Self::with(columns, rows, ColourSupport::Basic)
    }

    pub(crate) fn with(columns: u16, rows: u16, colours: ColourSupport) -> Self {
        let chat = Chat::new(ChatSetup {
            model: "small".to_owned(),
            session: Some("run 12ab".to_owned()),
            folder: "/w".to_owned(),
            colours,
            history: vec!["earlier".to_owned()],
        });
        let terminal = Terminal::new(TestBackend::new(columns, rows)).expect("a screen");
        Self { chat, terminal, actions: Vec::new(), now_ms: 0 }
    }

    pub(crate) fn take(&mut self, input: ChatInput) {
        self.actions.extend(self.chat.update(input));
    }

    /// Runs a script.
    pub(crate) fn play(&mut self, script: &str) -> &mut Self {
        for line in script.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
            let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
            self.step(what, rest);
        }
        self
    }

    #[allow(clippy::too_many_lines)] // A flat table.
    fn step(&mut self, what: &str, rest: &str) {
        let text = rest.replace("\\n", "\n");
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        let id = first.to_owned();
        let number = |text: &str| text.parse().expect("a number");
        let told = match what {
            "wait" => {
                self.now_ms += number(rest);
                return self.take(ChatInput::Tick(self.now_ms));
            }
            "type" => {
                return rest.chars().for_each(|sign| {
                    self.take(ChatInput::Key(KeyPress::from_code(KeyCode::Char(sign))));
                });
            }
            "key" => return rest.split(' ').for_each(|name| self.take(ChatInput::Key(key(name)))),
            "paste" => return self.take(ChatInput::Paste(text)),
            "click" => return self.take(ChatInput::Click(number(rest) as usize)),
            "scroll" => return self.take(ChatInput::Scroll(rest.parse().expect("a number"))),
            "resize" => {
                let (columns, rows) = (number(first) as u16, number(second) as u16);
                return self.terminal.backend_mut().resize(columns, rows);
            }
            "note" => return self.take(ChatInput::Notice(NoticeLevel::Info, text)),
            "files" => {
                let found = second.split(' ').map(|path| CompletionCandidate {
                    replacement: format!("@{path} "),
                    description: String::new(),
                });
                return self
                    .take(ChatInput::Completions { prefix: id, candidates: found.collect() });
            }
            "ask" | "ask-of-agent" | "ask-of-terminal" => {
                let (subject, diff) = second.split_once(" / ").unwrap_or((second, ""));
                return self.take(ChatInput::Question(PermissionQuestion {
                    number: self.actions.len() as u64 + 7,
                    sub_agent: (what == "ask-of-agent").then(|| "look for it".to_owned()),
                    tool: id,
                    subject: subject.replace("\\n", "\n"),
                    reason: None,
                    diff: (!diff.is_empty()).then(|| diff.replace("\\n", "\n")),
                    permanent_grant: (what != "ask-of-terminal")
                        .then(|| "always allows the same in /w from now on".to_owned()),
                }));
            }
            "over" => return self.take(ChatInput::QuestionWithdrawn(number(rest))),
            "sent" => AgentEvent::Sent {
                number: 1,
                tokens_asked: number(first),
                tokens_sent: number(second),
                rewrite: None,
                inactive: None,
            },
            "text" => AgentEvent::Text { text },
            "think" => AgentEvent::Reasoning { text },
            "again" => AgentEvent::Again { number: 1, why: text, wait_ms: 1_500 },
            "start" => AgentEvent::CallStart { id, name: second.to_owned() },
            "arguments" => AgentEvent::CallArguments { id, piece: second.to_owned() },
            "call" => {
                let (name, arguments) = second.split_once(' ').unwrap_or((second, "{}"));
                let arguments = serde_json::from_str(arguments).expect("JSON");
                AgentEvent::Call { id, name: name.to_owned(), arguments }
            }
            "progress" => {
                AgentEvent::Progress { id, message: second.replace("\\n", "\n"), model: None }
            }
            "helps" => {
                let model = Some(CurationProgress::Thinks(second.to_owned()));
                AgentEvent::Progress { id, message: String::new(), model }
            }
            "helped" => {
                let model = Some(CurationProgress::LeftOut(String::new()));
                AgentEvent::Progress { id, message: second.to_owned(), model }
            }
            "result" | "error" | "cached" => AgentEvent::Result {
                id,
                name: String::new(),
                cached: what == "cached",
                is_error: what == "error",
                text: second.replace("\\n", "\n"),
            },
            "reduced" => AgentEvent::Reduced {
                id,
                kind: "curated",
                cached: false,
                bytes: 16_000,
                bytes_sent: number(second),
                curated_text: Some("7→the step\n[8-99 left out]".to_owned()),
            },
            "indexes" => {
                let parts: Vec<&str> = second.split(' ').collect();
                let [waiting, told, failed, tokens] = [0, 1, 2, 3].map(|at| number(parts[at]));
                let file = parts.get(4).map(|file| (*file).to_owned());
                AgentEvent::Indexing(IndexingProgress {
                    model: id,
                    file,
                    waiting,
                    told,
                    failed,
                    tokens,
                    reasoning: String::new(),
                })
            }
            "index-thinks" => AgentEvent::Indexing(IndexingProgress {
                model: id,
                file: Some("a.rs".to_owned()),
                reasoning: second.replace("\\n", "\n"),
                ..IndexingProgress::default()
            }),
            "agent" => {
                let (label, event) = ("look for it".to_owned(), Box::new(of_agent(second)));
                AgentEvent::Agent { id, label, event }
            }
            "repeated" => AgentEvent::Repeated { name: id, times: 3 },
            "side" => {
                let charge = SideModelCharge::from_estimated_tokens(
                    SideModelRole::Curator,
                    &id,
                    number(second),
                    0,
                    &ModelPrice::Free,
                );
                let charge = SideModelCharge {
                    charge: UsageCharge { cost: 0.125, ..charge.charge },
                    ..charge
                };
                let spent = spent().with_side_question(&charge);
                AgentEvent::SideUsage { charge, spent }
            }
            "usage" => {
                AgentEvent::Usage { number: 1, spent: spent(), estimated: rest == "by-estimate" }
            }
            "done" => done(RunOutcome::Finished { text: String::new() }),
            "stopped" => done(RunOutcome::Stopped),
            "failed" => done(RunOutcome::Failed { message: text }),
            _ => panic!("no step is called `{what}`"),
        };
        self.take(ChatInput::AgentEvent(told));
    }

    pub(crate) fn map(&mut self, map: PromptMap) -> &mut Self {
        self.take(ChatInput::PromptMap(map));
        self
    }

    pub(crate) fn buffer(&mut self) -> Buffer {
        let chat = &mut self.chat;
        self.terminal.draw(|frame| draw_chat(chat, frame)).expect("a screen in memory");
        self.terminal.backend().buffer().clone()
    }

    /// Returns the screen as text, without trailing blanks and without empty rows at the top.
    pub(crate) fn text(&mut self) -> String {
        let buffer = self.buffer();
        let wide = usize::from(buffer.area.width);
        let rows = buffer.content.chunks(wide).map(|row| {
            let mut text = String::new();
            let mut skip = 0;
            for cell in row {
                if skip == 0 {
                    text.push_str(cell.symbol());
                    skip = columns_of(cell.symbol());
                }
                skip = skip.saturating_sub(1);
            }
            // Non-breaking spaces are displayed as spaces.
            text.trim_end().replace('\u{a0}', " ")
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    /// Returns the chat's actions since the last call.
    pub(crate) fn done(&mut self) -> Vec<ChatAction> {
        std::mem::take(&mut self.actions)
    }

    /// Panics unless the screen equals `expected`, apart from trailing blanks.
    #[track_caller]
    pub(crate) fn shows(&mut self, expected: &str) -> &mut Self {
        let text = self.text();
        let expected = expected.trim_matches('\n');
        assert!(text == expected, "the screen shows:\n{text}\n\nand not:\n{expected}");
        self
    }

    /// Panics unless these words are on the screen.
    #[track_caller]
    pub(crate) fn has(&mut self, words: &str) -> &mut Self {
        let text = self.text();
        assert!(text.contains(words), "no `{words}` in:\n{text}");
        self
    }

    /// Panics if these words are on the screen.
    #[track_caller]
    pub(crate) fn has_not(&mut self, words: &str) -> &mut Self {
        let text = self.text();
        assert!(!text.contains(words), "`{words}` in:\n{text}");
        self
    }
}

/// Parses an event of a sub-agent.
fn of_agent(step: &str) -> AgentEvent {
    let (what, rest) = step.split_once(' ').unwrap_or((step, ""));
    let (id, second) = rest.split_once(' ').unwrap_or((rest, ""));
    let (id, name) = (id.to_owned(), String::new());
    match what {
        "start" => {
            let (session, model, tools) = (id, String::new(), Vec::new());
            AgentEvent::Start { session, messages: 0, model, tools }
        }
        "sent" => {
            let (rewrite, inactive) = (None, None);
            AgentEvent::Sent { number: 1, tokens_asked: 10, tokens_sent: 10, rewrite, inactive }
        }
        "text" => AgentEvent::Text { text: rest.to_owned() },
        "think" => AgentEvent::Reasoning { text: rest.to_owned() },
        "call" => {
            let (name, arguments) = second.split_once(' ').unwrap_or((second, "{}"));
            let arguments = serde_json::from_str(arguments).expect("JSON");
            AgentEvent::Call { id, name: name.to_owned(), arguments }
        }
        "result" | "error" => {
            let (text, is_error) = (second.to_owned(), what == "error");
            AgentEvent::Result { id, name, cached: false, is_error, text }
        }
        "usage" => AgentEvent::Usage { number: 1, spent: spent(), estimated: false },
        _ => panic!("a sub-agent has no step `{what}`"),
    }
}

fn columns_of(symbol: &str) -> usize {
    // The cell behind a character of two columns is skipped.
    symbol.width().max(1)
}

fn done(outcome: RunOutcome) -> AgentEvent {
    AgentEvent::Done { outcome, spent: spent() }
}

/// Returns fixed totals.
fn spent() -> RunTotals {
    let charge = UsageCharge {
        uncached: 250,
        cache_read: 750,
        output: 9,
        cost: 0.25,
        ..UsageCharge::default()
    };
    RunTotals { turns: 1, charge, ..RunTotals::default() }
}

/// Parses the name of a key: `enter`, `ctrl-o`, `alt-up`, `y`.
fn key(name: &str) -> KeyPress {
    let (held, code) = name.rsplit_once('-').unwrap_or(("", name));
    let code = match code {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backspace" => KeyCode::Backspace,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        sign => KeyCode::Char(sign.chars().next().expect("a key")),
    };
    let mut key = KeyPress::from_code(code);
    for held in held.split('-') {
        match held {
            "ctrl" => key.ctrl = true,
            "alt" => key.alt = true,
            "shift" => key.shift = true,
            _ => {}
        }
    }
    key
}

/// Checks the screen after a script.
#[track_caller]
pub(crate) fn check((columns, rows): (u16, u16), script: &str, expected: &str) {
    Screen::new(columns, rows).play(script).shows(expected);
}
