//! Turning a page into Markdown where the work can be ended: in a process of its own. A thread
//! cannot be, and what is left of it would go on beside the next calls.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use url::Url;

use crate::markdown::{self, Converted};

/// The longest wait between two looks at the cancellation token.
const ASK_EACH: Duration = Duration::from_millis(20);

/// Memory that a converting process may map. A page of the largest size that is read needs a
/// tenth of it.
#[cfg(unix)]
const MEMORY_BYTES_MAX: u64 = 1 << 30;

/// Seconds of a processor that it may use, should nobody be there any more to end it.
#[cfg(unix)]
const CPU_SECONDS_MAX: u64 = 20;

/// Markdown is at most so many times as long as its page, and so many bytes longer; what is longer
/// is not read.
const GROWTH_MAX: (u64, u64) = (4, 1 << 20);

/// What stands in place of a length if there is no Markdown.
const NOTHING: &str = "-";

/// Who converts.
#[derive(Debug, Clone, Default)]
pub(crate) enum Converter {
    /// A thread, which is left behind if it takes too long.
    #[default]
    Thread,
    /// A process that runs [`convert_page`], by its program and arguments.
    Process(Arc<[OsString]>),
}

/// Why nobody waits any more.
pub(crate) enum Left {
    Cancelled,
    Late,
}

impl Converter {
    /// The page `html`, found at `url`, as Markdown; `None` if it takes longer than `time` or
    /// cannot be done.
    ///
    /// # Errors
    /// If the call was cancelled.
    pub(crate) fn convert(
        &self,
        html: &Arc<String>,
        url: &Url,
        time: Duration,
        cancel: &Cancel<'_>,
    ) -> Result<Option<Converted>, Left> {
        let ended = match self {
            Self::Thread => {
                let (page, url) = (Arc::clone(html), url.clone());
                let work = move || Some(markdown::convert(&page, &url));
                match start("foveal-convert", Some(markdown::STACK_BYTES), work) {
                    Ok(receiver) => wait(&receiver, time, cancel),
                    Err(_) => Ok(None),
                }
            }
            Self::Process(program) => match Running::start(program, html, url) {
                Ok(running) => wait(&running.converted, time, cancel),
                Err(_) => Ok(None),
            },
        };
        match ended {
            Ok(converted) => Ok(converted.flatten()),
            Err(Left::Late) => Ok(None),
            Err(Left::Cancelled) => Err(Left::Cancelled),
        }
    }
}

/// A converting process. It is ended when this is dropped.
struct Running {
    child: Child,
    converted: Receiver<Option<Converted>>,
}

impl Running {
    fn start(program: &[OsString], html: &Arc<String>, url: &Url) -> io::Result<Self> {
        let (name, arguments) = program.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(mut input), Some(output)) = (input, output) else {
            unreachable!("both are pipes")
        };
        let (page, head) = (Arc::clone(html), format!("{url}\n"));
        // What the process does not read any more it does not need.
        let feed = move || {
            drop(input.write_all(head.as_bytes()).and_then(|()| input.write_all(page.as_bytes())));
        };
        let bytes_max = html.len() as u64 * GROWTH_MAX.0 + GROWTH_MAX.1;
        let read = move || {
            let mut told = String::new();
            output.take(bytes_max).read_to_string(&mut told).ok()?;
            read_converted(&told)
        };
        let started =
            start("foveal-page", None, feed).and_then(|_| start("foveal-markdown", None, read));
        match started {
            Ok(converted) => Ok(Self { child, converted }),
            Err(error) => {
                end(&mut child);
                Err(error)
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(child: &mut Child) {
    // It may have ended by itself.
    drop(child.kill());
    drop(child.wait());
}

/// The work of a converting process: reads the address of a page in a line and then the page,
/// and writes title and Markdown. Its memory and time are limited from here on.
///
/// # Errors
/// If the input cannot be read, the output not be written, or there is no thread.
pub fn convert_page(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    limit();
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let work = move || {
        let (url, html) = text.split_once('\n')?;
        Some(markdown::convert(html, &Url::parse(url).ok()?))
    };
    let done = start("foveal-convert", Some(markdown::STACK_BYTES), work)?.recv();
    let Some(converted) = done.ok().flatten() else { return Ok(()) };
    write_converted(&converted, &mut output)
}

/// The page `html`, found at `url`, converted in this process, and what a process that converts it
/// would hand over of that: the same, or nothing if it is too long. `None` if the conversion
/// fails. For tests: nothing ends what takes too long.
pub fn convert_here(html: &str, url: &Url) -> Option<(Converted, Option<Converted>)> {
    let (page, at) = (html.to_owned(), url.clone());
    let work = move || markdown::convert(&page, &at);
    let converted = start("convert", Some(markdown::STACK_BYTES), work).ok()?.recv().ok()?;
    let mut output = Vec::new();
    write_converted(&converted, &mut output).ok()?;
    let bytes_max = html.len() as u64 * GROWTH_MAX.0 + GROWTH_MAX.1;
    let mut told = String::new();
    (&*output).take(bytes_max).read_to_string(&mut told).ok()?;
    Some((converted, read_converted(&told)))
}

/// Writes a line with the length of the Markdown and the title, and then the Markdown.
fn write_converted(converted: &Converted, output: &mut impl Write) -> io::Result<()> {
    let Converted { title, markdown } = converted;
    let title: Vec<&str> = title.iter().flat_map(|title| title.split_whitespace()).collect();
    let length = markdown.as_ref().map_or(NOTHING.to_owned(), |text| text.len().to_string());
    writeln!(output, "{length} {}", title.join(" "))?;
    output.write_all(markdown.as_deref().unwrap_or_default().as_bytes())?;
    output.flush()
}

/// What [`convert_page`] has written, if it came to its end.
fn read_converted(told: &str) -> Option<Converted> {
    let (head, markdown) = told.split_once('\n')?;
    let (length, title) = head.split_once(' ')?;
    let markdown = match length {
        NOTHING => None,
        length => Some(markdown.to_owned()).filter(|text| length.parse() == Ok(text.len())),
    };
    let is_whole = markdown.is_some() || length == NOTHING;
    let title = Some(title.to_owned()).filter(|title| !title.is_empty());
    is_whole.then_some(Converted { title, markdown })
}

/// Where this is refused, the time limit of the parent is left.
#[cfg(unix)]
fn limit() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (what, most) in [(Resource::As, MEMORY_BYTES_MAX), (Resource::Cpu, CPU_SECONDS_MAX)] {
        let _ = setrlimit(what, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

#[cfg(not(unix))]
fn limit() {}

/// Runs `work` on a thread that nobody has to wait for. Its result comes through the receiver,
/// which is closed if the work ends without one.
pub(crate) fn start<Result: Send + 'static>(
    name: &str,
    stack_bytes: Option<usize>,
    work: impl FnOnce() -> Result + Send + 'static,
) -> io::Result<Receiver<Result>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let mut builder = thread::Builder::new().name(name.to_owned());
    if let Some(bytes) = stack_bytes {
        builder = builder.stack_size(bytes);
    }
    // Nobody may be there any more to take the result.
    builder.spawn(move || drop(sender.send(work())))?;
    Ok(receiver)
}

/// The result, `None` if there will be none.
pub(crate) fn wait<Result>(
    receiver: &Receiver<Result>,
    time: Duration,
    cancel: &Cancel<'_>,
) -> std::result::Result<Option<Result>, Left> {
    let begun = Instant::now();
    loop {
        if cancel.is_cancelled() {
            return Err(Left::Cancelled);
        }
        let Some(left) = time.checked_sub(begun.elapsed()) else { return Err(Left::Late) };
        match receiver.recv_timeout(left.min(ASK_EACH)) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
