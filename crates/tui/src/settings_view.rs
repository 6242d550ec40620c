//! The settings as a grouped list, with details of the selected setting and in-place editing.

use foveal_screen::escape_one_line;
use ratatui_core::text::{Line, Span};

use crate::editor::Editor;
use crate::key_press::{KeyCode, KeyPress};
use crate::settings_list::{EditableSetting, SettingInput, SettingOrigin, SettingsList};
use crate::text_layout::{WrapMode, display_width, truncate_to_width, wrap_spans};
use crate::theme::{ColourSupport, TextRole};

/// The group of the settings without a table.
const DEFAULT_GROUP: &str = "general";

/// Columns of the setting names at most.
const NAME_COLUMNS_MAX: usize = 34;

/// The width in columns from which on the list shows origins.
const ORIGIN_COLUMNS_MIN: usize = 66;

/// Lines of the message about the last change at most.
const MESSAGE_LINES_MAX: usize = 4;

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SettingsRow {
    Group(String),
    /// The setting with this index.
    Setting(usize),
}

/// The list with its selection.
#[derive(Debug, Default)]
pub(crate) struct SettingsView {
    settings: Option<SettingsList>,
    rows: Vec<SettingsRow>,
    /// The index of the selected row, which is a setting if there is one.
    selected: usize,
    /// The number of rows above the screen in the last frame.
    rows_above: usize,
    /// The number of rows on the screen in the last frame.
    page_rows: usize,
    /// The editor of the selected value, while it is edited.
    value_editor: Option<Editor>,
    /// Whether the last change was made, and a message about it.
    last_result: Option<(bool, String)>,
}

/// The effect of a key on the view.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SettingsKeyOutcome {
    Close,
    Set { name: String, value: String },
    Unset(String),
    Undo,
    Consumed,
}

/// The lines of the view, and the cursor's column and row.
pub(crate) type SettingsFrame = (Vec<Line<'static>>, Option<(usize, usize)>);

impl SettingsView {
    /// Replaces the settings and keeps the selection.
    pub(crate) fn set_settings(&mut self, settings: SettingsList) {
        let name = self.selected_setting().map(|setting| setting.name.clone());
        self.rows = build_rows(&settings);
        let found = self.rows.iter().position(|row| match row {
            SettingsRow::Setting(at) => Some(&settings.settings[*at].name) == name.as_ref(),
            SettingsRow::Group(_) => false,
        });
        let first = self.rows.iter().position(|row| matches!(row, SettingsRow::Setting(_)));
        self.selected = found.or(first).unwrap_or(0);
        self.settings = Some(settings);
    }

    /// Shows the result of the last change. Closes the value editor if the change was made.
    pub(crate) fn show_result(&mut self, is_done: bool, text: &str) {
        if is_done {
            self.value_editor = None;
        }
        self.last_result = Some((is_done, escape_one_line(text).into_owned()));
    }

    fn selected_setting(&self) -> Option<&EditableSetting> {
        match self.rows.get(self.selected)? {
            SettingsRow::Setting(at) => self.settings.as_ref()?.settings.get(*at),
            SettingsRow::Group(_) => None,
        }
    }

    /// Inserts pasted text into the value editor.
    pub(crate) fn paste_value(&mut self, text: &str) {
        if let Some(typed) = &mut self.value_editor {
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            typed.insert(line.trim());
        }
    }

    pub(crate) fn handle_key(&mut self, key: KeyPress) -> SettingsKeyOutcome {
        if self.value_editor.is_some() {
            return self.handle_value_key(key);
        }
        self.last_result = None;
        if let Some(rows) = key.row_movement(self.page_rows) {
            self.move_selection(rows);
            return SettingsKeyOutcome::Consumed;
        }
        match (key.code, key.typed_char()) {
            (KeyCode::Esc, _) | (_, Some('q')) => return SettingsKeyOutcome::Close,
            (KeyCode::Enter, _) | (_, Some(' ')) => return self.change_selected(),
            (KeyCode::Delete, _) | (_, Some('x')) => return self.remove_selected(),
            (_, Some('u')) => return SettingsKeyOutcome::Undo,
            _ => {}
        }
        SettingsKeyOutcome::Consumed
    }

    fn handle_value_key(&mut self, key: KeyPress) -> SettingsKeyOutcome {
        let name = self.selected_setting().map(|setting| setting.name.clone());
        let (Some(typed), Some(name)) = (&mut self.value_editor, name) else {
            return SettingsKeyOutcome::Consumed;
        };
        match key.code {
            KeyCode::Esc => (self.value_editor, self.last_result) = (None, None),
            KeyCode::Enter => {
                return SettingsKeyOutcome::Set { name, value: typed.text().trim().to_owned() };
            }
            // A value has one line.
            KeyCode::Up | KeyCode::Down => {}
            KeyCode::Char('j') if key.ctrl => {}
            _ => drop(typed.handle_key(key)),
        }
        SettingsKeyOutcome::Consumed
    }

    /// Changes the selected setting, or opens the value editor for it.
    fn change_selected(&mut self) -> SettingsKeyOutcome {
        let Some(setting) = self.selected_setting() else { return SettingsKeyOutcome::Consumed };
        let name = setting.name.clone();
        let value = setting.value.clone().unwrap_or_default();
        match &setting.input {
            SettingInput::Toggle => {
                let value = if value == "true" { "false" } else { "true" };
                SettingsKeyOutcome::Set { name, value: value.to_owned() }
            }
            SettingInput::Choice(all) => {
                let at = all.iter().position(|one| *one == value).map_or(0, |at| at + 1);
                match all.get(at % all.len().max(1)) {
                    Some(next) => SettingsKeyOutcome::Set { name, value: next.clone() },
                    None => SettingsKeyOutcome::Consumed,
                }
            }
            SettingInput::Text => {
                let mut typed = Editor::new(Vec::new());
                typed.insert(&value);
                self.value_editor = Some(typed);
                SettingsKeyOutcome::Consumed
            }
            SettingInput::Unavailable(how) => {
                self.last_result = Some((false, how.clone()));
                SettingsKeyOutcome::Consumed
            }
        }
    }

    fn remove_selected(&mut self) -> SettingsKeyOutcome {
        match self.selected_setting() {
            Some(EditableSetting { input: SettingInput::Unavailable(how), .. }) => {
                self.last_result = Some((false, how.clone()));
                SettingsKeyOutcome::Consumed
            }
            Some(setting) => SettingsKeyOutcome::Unset(setting.name.clone()),
            None => SettingsKeyOutcome::Consumed,
        }
    }

    /// Moves the selection by `by` rows to a setting, negative upwards.
    pub(crate) fn move_selection(&mut self, by: isize) {
        if self.value_editor.is_some() {
            return;
        }
        let last = self.rows.len().saturating_sub(1);
        let to = self.selected.saturating_add_signed(by).min(last);
        let is_setting = |at: &usize| matches!(self.rows.get(*at), Some(SettingsRow::Setting(_)));
        let below = (to..=last).find(is_setting);
        let above = (0..=to).rev().find(is_setting);
        let found = if by < 0 { above.or(below) } else { below.or(above) };
        self.selected = found.unwrap_or(self.selected);
    }

    /// Returns the view for a screen of this size.
    pub(crate) fn render(
        &mut self,
        columns: usize,
        rows: usize,
        colours: ColourSupport,
    ) -> SettingsFrame {
        let aside = colours.role_style(TextRole::Aside);
        let Some(settings) = &self.settings else {
            let (text, role) = match &self.last_result {
                Some((_, said)) => (said.as_str(), TextRole::Warning),
                None => ("reading the settings …", TextRole::Aside),
            };
            let spans = [Span::styled(text.to_owned(), colours.role_style(role))];
            return (wrap_spans(&spans, columns, &[], &[Span::raw("  ")], WrapMode::Words), None);
        };
        let head = format!("Settings in {}", escape_one_line(&settings.file));
        let head = truncate_to_width(&head, columns).into_owned();
        let mut lines = vec![
            Line::styled(head, colours.role_style(TextRole::Strong)),
            Line::styled("─".repeat(columns), aside),
        ];
        let foot = self.footer_lines(columns, colours);
        self.page_rows = rows.saturating_sub(lines.len() + foot.len()).max(1);
        // The title of a group stays visible with its first setting.
        let before = self.selected.checked_sub(1).and_then(|at| self.rows.get(at));
        let lead = usize::from(matches!(before, Some(SettingsRow::Group(_))) && self.page_rows > 1);
        self.rows_above = self.rows_above.min(self.selected - lead);
        self.rows_above = self.rows_above.max((self.selected + 1).saturating_sub(self.page_rows));
        let mut cursor = None;
        for at in self.rows_above..self.rows_above + self.page_rows {
            let Some(row) = self.rows.get(at).cloned() else {
                lines.push(Line::default());
                continue;
            };
            let y = lines.len();
            let (line, x) = self.render_row(&row, at == self.selected, columns, colours);
            cursor = cursor.or(x.map(|x| (x, y)));
            lines.push(line);
        }
        lines.extend(foot);
        (lines, cursor)
    }

    fn render_row(
        &mut self,
        row: &SettingsRow,
        is_chosen: bool,
        columns: usize,
        colours: ColourSupport,
    ) -> (Line<'static>, Option<usize>) {
        let at = match row {
            SettingsRow::Group(title) => {
                let title = escape_one_line(title).into_owned();
                return (Line::styled(title, colours.role_style(TextRole::Strong)), None);
            }
            SettingsRow::Setting(at) => *at,
        };
        let all = self.settings.as_ref().map_or(&[][..], |settings| &settings.settings);
        let Some(setting) = all.get(at) else { return (Line::default(), None) };
        let widest = all.iter().map(|one| display_width(&one.name)).max().unwrap_or(0);
        let name_columns = widest.min(NAME_COLUMNS_MAX).min(columns / 2);
        let name = truncate_to_width(&setting.name, name_columns).into_owned();
        let blank = " ".repeat(name_columns.saturating_sub(display_width(&name)) + 2);
        let origin = match columns >= ORIGIN_COLUMNS_MIN {
            true => format!(" {}", origin_label(&setting.origin)),
            false => String::new(),
        };
        let lead = 2 + name_columns + 2;
        let room = columns.saturating_sub(lead + display_width(&origin)).max(1);
        let is_set = setting.origin != SettingOrigin::Default;
        let mark = if is_set { "* " } else { "  " };
        let name_role = if is_chosen { TextRole::Selected } else { TextRole::Plain };
        let mut spans = vec![
            Span::styled(mark, colours.role_style(TextRole::Good)),
            Span::styled(name, colours.role_style(name_role)),
            Span::raw(blank),
        ];
        if let Some(typed) = self.value_editor.as_mut().filter(|_| is_chosen) {
            let room = columns.saturating_sub(lead + 1).max(1);
            let typed = typed.layout_rows(room);
            let (row, column) = typed.cursor;
            let text = typed.rows.get(row).cloned().unwrap_or_default();
            spans.push(Span::styled(text, colours.role_style(TextRole::User)));
            return (Line::from(spans), Some(lead + column));
        }
        let value = escape_one_line(setting.value.as_deref().unwrap_or("-")).into_owned();
        let value = truncate_to_width(&value, room).into_owned();
        let blank = " ".repeat(room.saturating_sub(display_width(&value)));
        let role = if is_set { TextRole::Good } else { TextRole::Plain };
        spans.push(Span::styled(value, colours.role_style(role)));
        spans.push(Span::styled(format!("{blank}{origin}"), colours.role_style(TextRole::Aside)));
        (Line::from(spans), None)
    }

    /// Returns the selected setting's description and valid values, the last result and the
    /// available keys.
    fn footer_lines(&self, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
        let aside = colours.role_style(TextRole::Aside);
        let mut lines = vec![Line::styled("─".repeat(columns), aside)];
        let mut tell = |text: &str, role: TextRole, most: usize| {
            let spans = [Span::styled(text.to_owned(), colours.role_style(role))];
            let wrapped = wrap_spans(&spans, columns, &[], &[Span::raw("  ")], WrapMode::Words);
            lines.extend(wrapped.into_iter().take(most));
        };
        if let Some(setting) = self.selected_setting() {
            tell(&escape_one_line(&setting.description), TextRole::Plain, 2);
            tell(&format!("expects: {}", escape_one_line(&setting.expected)), TextRole::Plain, 2);
            let usual =
                escape_one_line(setting.default_value.as_deref().unwrap_or("none")).into_owned();
            tell(
                &format!("{} · default: {usual}", describe_origin(&setting.origin)),
                TextRole::Aside,
                2,
            );
        }
        if let Some((is_done, said)) = &self.last_result {
            let role = if *is_done { TextRole::Good } else { TextRole::Warning };
            tell(said, role, MESSAGE_LINES_MAX);
        }
        let keys = match self.value_editor {
            Some(_) => "Enter save  Esc cancel",
            None => "Enter change  x unset  u undo  Esc back",
        };
        lines.push(Line::styled(truncate_to_width(keys, columns).into_owned(), aside));
        lines
    }
}

/// Returns the origin of a value in a word.
fn origin_label(origin: &SettingOrigin) -> &'static str {
    match origin {
        SettingOrigin::Default => "default",
        SettingOrigin::File => "file",
        SettingOrigin::Project => "project",
        SettingOrigin::Environment(_) => "environment",
    }
}

/// Returns a description of the origin of a value.
fn describe_origin(origin: &SettingOrigin) -> String {
    match origin {
        SettingOrigin::Default => "not set".to_owned(),
        SettingOrigin::File => "set in the file".to_owned(),
        SettingOrigin::Project => "set by the project, which overrides the file".to_owned(),
        SettingOrigin::Environment(name) => {
            format!("set by {} in the environment, which overrides the file", escape_one_line(name))
        }
    }
}

/// Returns the settings below the titles of their groups, with the groups in the order of their
/// first settings.
fn build_rows(settings: &SettingsList) -> Vec<SettingsRow> {
    let mut groups: Vec<(&str, Vec<SettingsRow>)> = Vec::new();
    for (at, setting) in settings.settings.iter().enumerate() {
        let group = setting.name.split_once('.').map_or(DEFAULT_GROUP, |(group, _)| group);
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, of)) => of.push(SettingsRow::Setting(at)),
            None => groups.push((group, vec![SettingsRow::Setting(at)])),
        }
    }
    groups
        .into_iter()
        .flat_map(|(name, of)| std::iter::once(SettingsRow::Group(name.to_owned())).chain(of))
        .collect()
}
