//! A terminal's screen: what a program wrote becomes cells with signs and looks. It knows the orders
//! that foveal writes, and passes over others.

/// A sign on the screen, and how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The sign.
    pub sign: char,
    /// How it looks.
    pub look: Look,
}

/// How a sign looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Look {
    /// One of the sixteen colours.
    pub colour: Option<u8>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underlined: bool,
    /// Its colours exchanged.
    pub reversed: bool,
}

const BLANK: Cell = Cell {
    sign: ' ',
    look: Look {
        colour: None,
        bold: false,
        dim: false,
        italic: false,
        underlined: false,
        reversed: false,
    },
};

/// The screen, filled by what is written.
#[derive(Debug)]
pub struct Screen {
    cells: Vec<Vec<Cell>>,
    cursor: (usize, usize),
    look: Look,
}

impl Screen {
    /// An empty screen of so many columns and rows.
    pub fn new(size: (u16, u16)) -> Self {
        Self { cells: empty(size), cursor: (0, 0), look: Look::default() }
    }

    /// Empties it, in another size.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.cells = empty(size);
    }

    /// Its cells, row by row.
    pub fn cells(&self) -> &[Vec<Cell>] {
        &self.cells
    }

    /// The signs of each row.
    pub fn rows(&self) -> impl Iterator<Item = String> {
        self.cells.iter().map(|row| row.iter().map(|cell| cell.sign).collect())
    }

    /// Takes what is complete; how many bytes that was.
    pub fn take(&mut self, bytes: &[u8]) -> usize {
        let whole = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("it is text up to there")
            }
        };
        let mut rest = whole;
        while let Some(sign) = rest.chars().next() {
            let length = match sign {
                '\x1b' => match self.escape(rest) {
                    Some(length) => length,
                    None => break,
                },
                _ => {
                    self.put(sign);
                    sign.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        whole.len() - rest.len()
    }

    /// Obeys what begins with an escape; its length, once it is complete.
    fn escape(&mut self, text: &str) -> Option<usize> {
        let body = &text[1..];
        if let Some(title) = body.strip_prefix(']') {
            return Some(2 + title.find('\x07')? + 1);
        }
        let Some(body) = body.strip_prefix('[') else {
            return (!body.is_empty()).then_some(2);
        };
        let end = body.find(|sign: char| ('@'..='~').contains(&sign))?;
        let numbers: Vec<usize> =
            body[..end].split(';').map(|number| number.parse().unwrap_or(0)).collect();
        match &body[end..=end] {
            "H" => {
                let at = |place: usize| numbers.get(place).copied().unwrap_or(1).max(1) - 1;
                self.cursor = (at(0), at(1));
            }
            "J" => self.cells.iter_mut().for_each(|row| row.fill(BLANK)),
            "m" => self.look = looks(self.look, &numbers),
            _ => {}
        }
        Some(2 + end + 1)
    }

    fn put(&mut self, sign: char) {
        match sign {
            '\r' => self.cursor.1 = 0,
            '\n' => self.cursor.0 += 1,
            _ => {
                let (row, column) = self.cursor;
                let look = self.look;
                let cell = self.cells.get_mut(row).and_then(|row| row.get_mut(column));
                cell.into_iter().for_each(|cell| *cell = Cell { sign, look });
                self.cursor.1 += 1;
            }
        }
    }
}

/// A look after codes of "Select Graphic Rendition" (ECMA-48, 8.3.117).
fn looks(mut look: Look, codes: &[usize]) -> Look {
    let mut codes = codes.iter().copied();
    while let Some(code) = codes.next() {
        match code {
            0 => look = Look::default(),
            1 => look.bold = true,
            2 => look.dim = true,
            3 => look.italic = true,
            4 => look.underlined = true,
            7 => look.reversed = true,
            22 => (look.bold, look.dim) = (false, false),
            23 => look.italic = false,
            24 => look.underlined = false,
            27 => look.reversed = false,
            30..=37 => look.colour = u8::try_from(code - 30).ok(),
            90..=97 => look.colour = u8::try_from(code - 82).ok(),
            // `38;5;N`: one of 256, of which these programs use the first sixteen.
            38 => look.colour = codes.nth(1).and_then(|number| u8::try_from(number).ok()),
            48 => drop(codes.nth(1)),
            39 => look.colour = None,
            _ => {}
        }
    }
    look
}

fn empty((columns, rows): (u16, u16)) -> Vec<Vec<Cell>> {
    vec![vec![BLANK; columns.into()]; rows.into()]
}
