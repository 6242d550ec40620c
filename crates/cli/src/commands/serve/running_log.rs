//! The request log of a running gateway.

use std::sync::{Arc, Mutex, PoisonError};

use foveal_gateway::cost_ledger::BillingContext;
use foveal_gateway::gateway_totals::GatewayTotals;
use foveal_gateway::request_logger::{RequestLogThread, RequestLogger};
use foveal_store::Store;

use super::request_log::{RefusalThrottle, RequestLogOutput, RequestLogWriter};
use super::request_tracer::RequestTracer;

/// The parts of a request log that outlive the gateway.
pub(crate) struct RunningLog {
    thread: RequestLogThread,
    tracer: Option<Arc<RequestTracer>>,
    totals: Arc<Mutex<GatewayTotals>>,
}

impl RunningLog {
    /// Starts a log that writes to `store`, to `lines`, and to the trace collector if there is one.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        lines: RequestLogOutput,
        tracer: Option<RequestTracer>,
        billing: BillingContext,
    ) -> (RequestLogger, Self) {
        let (tracer, totals) = (tracer.map(Arc::new), Arc::<Mutex<GatewayTotals>>::default());
        let mut writer = RequestLogWriter {
            lines,
            tracer: tracer.clone(),
            totals: Arc::clone(&totals),
            store: Arc::clone(&store),
            refusals: RefusalThrottle::default(),
            last_collection: None,
        };
        let spans = tracer.as_ref().map(|tracer| tracer.spans());
        let write = Box::new(move |entry: foveal_gateway::request_logger::LogEntry<'_>| {
            writer.write(entry);
        });
        let (logger, thread) = RequestLogger::start(store, billing, spans, write);
        (logger, Self { thread, tracer, totals })
    }

    /// Waits until everything is written, and returns the totals. Drop the [`RequestLogger`] first.
    pub(crate) fn finish(self) -> GatewayTotals {
        self.thread.finish();
        if let Some(tracer) = self.tracer {
            tracer.finish();
        }
        *self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
