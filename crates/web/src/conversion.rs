//! Converts pages to Markdown in a process of its own, which can be ended. A thread cannot be ended
//! and would run on beside later calls.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use foveal_transcript::CancelToken;
use url::Url;

use crate::markdown::{self, ConvertedPage};

/// The longest time between two checks of the cancellation token.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Memory that a converting process may map; about ten times what the largest page needs.
#[cfg(unix)]
const MEMORY_BYTES_MAX: u64 = 1 << 30;

/// Processor seconds that it may use, in case its parent no longer ends it.
#[cfg(unix)]
const CPU_SECONDS_MAX: u64 = 20;

/// Longest Markdown, as a multiple of the page's length plus a number of bytes; longer output is
/// not read.
const MARKDOWN_GROWTH_MAX: (u64, u64) = (4, 1 << 20);

/// Stands in place of the length if there is no Markdown.
const NO_MARKDOWN: &str = "-";

/// Converts pages in a thread or a process.
#[derive(Debug, Clone, Default)]
pub(crate) enum PageConverter {
    /// A thread, which is abandoned if it takes too long.
    #[default]
    Thread,
    /// A process that runs [`convert_page`], given as program and arguments.
    Process(Arc<[OsString]>),
}

/// Why a wait was abandoned.
pub(crate) enum WaitAbandoned {
    Cancelled,
    TimedOut,
}

impl PageConverter {
    /// Converts the page `html` of `url`; `None` if that fails or takes longer than `time`.
    ///
    /// # Errors
    /// If the call was cancelled.
    pub(crate) fn convert(
        &self,
        html: &Arc<String>,
        url: &Url,
        time: Duration,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<ConvertedPage>, WaitAbandoned> {
        let ended = match self {
            Self::Thread => {
                let (page, url) = (Arc::clone(html), url.clone());
                let work = move || Some(markdown::convert_html(&page, &url));
                match spawn_worker("foveal-convert", Some(markdown::STACK_BYTES), work) {
                    Ok(receiver) => wait_for_result(&receiver, time, cancel),
                    Err(_) => Ok(None),
                }
            }
            Self::Process(program) => match ConverterProcess::spawn(program, html, url) {
                Ok(running) => wait_for_result(&running.converted, time, cancel),
                Err(_) => Ok(None),
            },
        };
        match ended {
            Ok(converted) => Ok(converted.flatten()),
            Err(WaitAbandoned::TimedOut) => Ok(None),
            Err(WaitAbandoned::Cancelled) => Err(WaitAbandoned::Cancelled),
        }
    }
}

/// A converting process. Dropping it kills the process.
struct ConverterProcess {
    child: Child,
    converted: Receiver<Option<ConvertedPage>>,
}

impl ConverterProcess {
    fn spawn(program: &[OsString], html: &Arc<String>, url: &Url) -> io::Result<Self> {
        let (name, arguments) = program.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(mut input), Some(output)) = (input, output) else {
            unreachable!("both are pipes")
        };
        let (page, head) = (Arc::clone(html), format!("{url}\n"));
        // The process may stop reading early.
        let feed = move || {
            drop(input.write_all(head.as_bytes()).and_then(|()| input.write_all(page.as_bytes())));
        };
        let bytes_max = html.len() as u64 * MARKDOWN_GROWTH_MAX.0 + MARKDOWN_GROWTH_MAX.1;
        let read = move || {
            let mut told = String::new();
            output.take(bytes_max).read_to_string(&mut told).ok()?;
            parse_converted(&told)
        };
        let started = spawn_worker("foveal-page", None, feed)
            .and_then(|_| spawn_worker("foveal-markdown", None, read));
        match started {
            Ok(converted) => Ok(Self { child, converted }),
            Err(error) => {
                kill_and_reap(&mut child);
                Err(error)
            }
        }
    }
}

impl Drop for ConverterProcess {
    fn drop(&mut self) {
        kill_and_reap(&mut self.child);
    }
}

fn kill_and_reap(child: &mut Child) {
    // It may have exited by itself.
    drop(child.kill());
    drop(child.wait());
}

/// Runs a converting process: reads a line with the URL of a page and then the page, and writes
/// title and Markdown. Limits its own memory and time first.
///
/// # Errors
/// If the input cannot be read, the output cannot be written, or no thread can be started.
pub fn convert_page(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    limit_resources();
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let work = move || {
        let (url, html) = text.split_once('\n')?;
        Some(markdown::convert_html(html, &Url::parse(url).ok()?))
    };
    let done = spawn_worker("foveal-convert", Some(markdown::STACK_BYTES), work)?.recv();
    let Some(converted) = done.ok().flatten() else { return Ok(()) };
    write_converted(&converted, &mut output)
}

/// Converts the page `html` of `url` in this process. Returns the result, and what a converting
/// process would pass on of it: the same, or nothing if it is too long. `None` if the conversion
/// fails. For tests and fuzzing: there is no time limit.
pub fn convert_page_locally(
    html: &str,
    url: &Url,
) -> Option<(ConvertedPage, Option<ConvertedPage>)> {
    let (page, at) = (html.to_owned(), url.clone());
    let work = move || markdown::convert_html(&page, &at);
    let converted = spawn_worker("convert", Some(markdown::STACK_BYTES), work).ok()?.recv().ok()?;
    let mut output = Vec::new();
    write_converted(&converted, &mut output).ok()?;
    let bytes_max = html.len() as u64 * MARKDOWN_GROWTH_MAX.0 + MARKDOWN_GROWTH_MAX.1;
    let mut told = String::new();
    (&*output).take(bytes_max).read_to_string(&mut told).ok()?;
    Some((converted, parse_converted(&told)))
}

/// Writes a line with the length of the Markdown and the title, and then the Markdown.
fn write_converted(converted: &ConvertedPage, output: &mut impl Write) -> io::Result<()> {
    let ConvertedPage { title, markdown } = converted;
    let title: Vec<&str> = title.iter().flat_map(|title| title.split_whitespace()).collect();
    let length = markdown.as_ref().map_or(NO_MARKDOWN.to_owned(), |text| text.len().to_string());
    writeln!(output, "{length} {}", title.join(" "))?;
    output.write_all(markdown.as_deref().unwrap_or_default().as_bytes())?;
    output.flush()
}

/// Parses the output of [`convert_page`]; `None` if it is incomplete.
fn parse_converted(told: &str) -> Option<ConvertedPage> {
    let (head, markdown) = told.split_once('\n')?;
    let (length, title) = head.split_once(' ')?;
    let markdown = match length {
        NO_MARKDOWN => None,
        length => Some(markdown.to_owned()).filter(|text| length.parse() == Ok(text.len())),
    };
    let is_whole = markdown.is_some() || length == NO_MARKDOWN;
    let title = Some(title.to_owned()).filter(|title| !title.is_empty());
    is_whole.then_some(ConvertedPage { title, markdown })
}

/// If the system refuses the limits, the parent's time limit remains.
#[cfg(unix)]
fn limit_resources() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (what, most) in [(Resource::As, MEMORY_BYTES_MAX), (Resource::Cpu, CPU_SECONDS_MAX)] {
        let _ = setrlimit(what, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

#[cfg(not(unix))]
fn limit_resources() {}

/// Runs `work` on a detached thread. The receiver gets its result, and is closed if the work ends
/// without one.
pub(crate) fn spawn_worker<Result: Send + 'static>(
    name: &str,
    stack_bytes: Option<usize>,
    work: impl FnOnce() -> Result + Send + 'static,
) -> io::Result<Receiver<Result>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let mut builder = thread::Builder::new().name(name.to_owned());
    if let Some(bytes) = stack_bytes {
        builder = builder.stack_size(bytes);
    }
    // The receiver may be gone.
    builder.spawn(move || drop(sender.send(work())))?;
    Ok(receiver)
}

/// Waits for the result; `None` if there will be none.
pub(crate) fn wait_for_result<Result>(
    receiver: &Receiver<Result>,
    time: Duration,
    cancel: &CancelToken<'_>,
) -> std::result::Result<Option<Result>, WaitAbandoned> {
    let begun = Instant::now();
    loop {
        if cancel.is_cancelled() {
            return Err(WaitAbandoned::Cancelled);
        }
        let Some(left) = time.checked_sub(begun.elapsed()) else {
            return Err(WaitAbandoned::TimedOut);
        };
        match receiver.recv_timeout(left.min(CANCEL_CHECK_INTERVAL)) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
