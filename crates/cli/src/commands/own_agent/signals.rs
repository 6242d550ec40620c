//! What ends a run: that the person, the system, or the terminal, wants it to.

use foveal_cancel::Cancel;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::interrupt::{Asked, Ignored};

/// Is cancelled by Ctrl+C, SIGTERM and SIGHUP; a second one of them does not wait: `before_exit` is
/// all that is done then. Where they cannot
/// be listened for, they end the program at once. A SIGHUP that is ignored stays so.
pub(crate) fn listen(runtime: &Runtime, before_exit: fn()) -> Cancel<'static> {
    let _inside = runtime.enter();
    let (asked, hangup) = (Asked::by_person(before_exit), SignalKind::hangup());
    let hangup = (!Ignored::now().has(hangup.as_raw_value())).then_some(hangup);
    for kind in [Some(SignalKind::terminate()), hangup].into_iter().flatten() {
        let (Ok(mut heard), asked) = (signal(kind), asked.clone()) else { continue };
        runtime.spawn(async move {
            while heard.recv().await.is_some() {
                asked.take();
            }
        });
    }
    asked.cancel()
}
