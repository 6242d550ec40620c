//! The reports of a guard to foveal, through its error stream: how far it is confined, and later how
//! its program ended. Messages of bubblewrap arrive there too.

use std::io::{self, PipeReader, Read as _};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{Confinement, ProcessExit};

/// Longest line, in bytes.
const LINE_BYTES_MAX: usize = 4096;

/// A line of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReportLine {
    /// It starts its program, confined so far; `None` without a sandbox.
    Confined(Option<Confinement>),
    /// It cannot confine itself as required, and has exited.
    Unconfined(String),
    /// Its program has ended.
    Ended(ProcessExit),
    /// A message of another program.
    Other(String),
}

impl ReportLine {
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Confined(None) => "confined free".to_owned(),
            Self::Confined(Some(Confinement::Full)) => "confined full".to_owned(),
            Self::Confined(Some(Confinement::Writes)) => "confined writes".to_owned(),
            Self::Confined(Some(Confinement::Partial)) => "confined partial".to_owned(),
            Self::Confined(Some(Confinement::Absent { why })) => format!("absent {why}"),
            Self::Unconfined(why) => format!("unconfined {why}"),
            Self::Ended(ProcessExit::Code(code)) => format!("code {code}"),
            Self::Ended(ProcessExit::Signal(signal)) => format!("signal {signal}"),
            Self::Other(text) => text.clone(),
        }
        .replace('\n', " ")
    }

    pub(super) fn parse(text: &str) -> Self {
        let parsed = match text.split_once(' ') {
            Some(("confined", "free")) => Some(Self::Confined(None)),
            Some(("confined", "full")) => Some(Self::Confined(Some(Confinement::Full))),
            Some(("confined", "writes")) => Some(Self::Confined(Some(Confinement::Writes))),
            Some(("confined", "partial")) => Some(Self::Confined(Some(Confinement::Partial))),
            Some(("absent", why)) => {
                Some(Self::Confined(Some(Confinement::Absent { why: why.to_owned() })))
            }
            Some(("unconfined", why)) => Some(Self::Unconfined(why.to_owned())),
            Some(("code", code)) => code.parse().ok().map(ProcessExit::Code).map(Self::Ended),
            Some(("signal", signal)) => {
                signal.parse().ok().map(ProcessExit::Signal).map(Self::Ended)
            }
            _ => None,
        };
        parsed.unwrap_or_else(|| Self::Other(text.to_owned()))
    }
}

/// The reading end of a guard's reports.
#[derive(Debug)]
pub(crate) struct GuardReport {
    /// `None` once the guard has ended.
    pipe: Option<PipeReader>,
    bytes: Vec<u8>,
    ending: Option<ProcessExit>,
}

impl GuardReport {
    pub(super) fn new(pipe: PipeReader) -> Self {
        Self { pipe: Some(pipe), bytes: Vec::new(), ending: None }
    }

    /// Returns how the program ended; `None` if that is not reported.
    pub(crate) fn program_exit(&mut self) -> Option<ProcessExit> {
        while self.ending.is_none() {
            if let ReportLine::Ended(ending) = self.read_line(Duration::ZERO).ok()?? {
                self.ending = Some(ending);
            }
        }
        self.ending
    }

    /// Returns the next line; `None` if the guard has ended.
    ///
    /// # Errors
    /// If no line arrives in time, or it is too long.
    pub(super) fn read_line(&mut self, longest: Duration) -> io::Result<Option<ReportLine>> {
        let begun = Instant::now();
        loop {
            if let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.bytes.drain(..=end).collect();
                return Ok(Some(ReportLine::parse(String::from_utf8_lossy(&line).trim_end())));
            }
            let Some(pipe) = &mut self.pipe else { return Ok(None) };
            let left = longest.saturating_sub(begun.elapsed());
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&left)) {
                Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let mut buffer = [0; LINE_BYTES_MAX];
            match pipe.read(&mut buffer)? {
                0 => self.pipe = None,
                read => self.bytes.extend_from_slice(&buffer[..read]),
            }
            if self.bytes.len() > 2 * LINE_BYTES_MAX {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_is_reported_is_read() {
        let lines = [
            ReportLine::Confined(None),
            ReportLine::Confined(Some(Confinement::Full)),
            ReportLine::Confined(Some(Confinement::Writes)),
            ReportLine::Confined(Some(Confinement::Partial)),
            ReportLine::Confined(Some(Confinement::Absent { why: "no Landlock".to_owned() })),
            ReportLine::Unconfined("why not".to_owned()),
            ReportLine::Other("bwrap: no".to_owned()),
            ReportLine::Ended(ProcessExit::Signal(9)),
            ReportLine::Ended(ProcessExit::Code(255)),
        ];
        let (reader, mut writer) = io::pipe().expect("a pipe");
        let mut report = GuardReport::new(reader);
        assert!(report.read_line(Duration::ZERO).is_err(), "nothing is there yet");
        for line in &lines[..7] {
            writeln!(writer, "{}", line.to_text()).expect("it is read");
            assert_eq!(report.read_line(Duration::ZERO).expect("a line").as_ref(), Some(line));
        }
        assert_eq!(report.program_exit(), None);
        write!(writer, "sign").expect("it is read");
        assert_eq!(report.program_exit(), None, "it is not whole");
        write!(writer, "al 9\ncode 255\n").expect("it is read");
        assert_eq!(report.program_exit(), Some(ProcessExit::Signal(9)));
        drop(writer);
        assert_eq!(report.read_line(Duration::ZERO).expect("a line").as_ref(), lines.last());
        assert_eq!(report.read_line(Duration::ZERO).expect("the end"), None);
    }
}
