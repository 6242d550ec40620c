//! Traces of the gateway's requests, sent to an OpenTelemetry collector.

use std::sync::{Arc, Mutex, PoisonError};

use clap::ValueEnum as _;
use foveal_gateway::exchange::Exchange;
use foveal_gateway::request_record::GatewayRequest;
use foveal_gateway::traces::{SpanDetails, TraceCollector, TraceSettings, Tracer};
use foveal_settings::GatewayProfile;

use crate::environment::Environment;
use crate::notice;

/// The time at which the user reads what is wrong with a collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CollectorWarningTiming {
    /// As soon as it is detected.
    Immediate,
    /// When the gateway ends: until then the terminal belongs to an agent.
    AtExit,
}

/// Makes spans of requests and sends them to the collector.
pub(crate) struct RequestTracer {
    tracer: Arc<Tracer>,
    /// The profile of requests that name none.
    profile: GatewayProfile,
    warning: Arc<Mutex<Option<String>>>,
}

impl RequestTracer {
    /// Starts a tracer and prints where traces go, or returns `None` if neither the environment nor
    /// the settings (`set`) name a collector.
    pub(crate) fn start(
        environment: &Environment,
        set: Option<&TraceCollector>,
        profile: GatewayProfile,
        complaints: CollectorWarningTiming,
    ) -> Option<Self> {
        let traces = TraceSettings::resolve(&environment.trace_variables, set);
        for remark in &traces.warnings {
            notice::print_notice(remark);
        }
        let collector = traces.collector?;
        notice::print_notice(format_args!("sending traces to {collector}"));
        let complaint = Arc::<Mutex<Option<String>>>::default();
        let kept = Arc::clone(&complaint);
        let tracer = Tracer::start(collector, move |text| match complaints {
            CollectorWarningTiming::Immediate => notice::print_notice(text),
            CollectorWarningTiming::AtExit => {
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            }
        });
        Some(Self { tracer: Arc::new(tracer), profile, warning: complaint })
    }

    pub(super) fn trace_request(&self, exchange: &Exchange, request: &GatewayRequest) {
        let wish = exchange
            .profile_override
            .as_deref()
            .and_then(|wish| GatewayProfile::from_str(wish, false).ok());
        let profile = wish.unwrap_or(self.profile).engine_profile_name().unwrap_or("off");
        self.tracer.record_exchange(
            exchange,
            SpanDetails { profile, costs: request.billed_and_baseline_dollars() },
        );
    }

    /// Returns the tracer of the spans.
    pub(super) fn spans(&self) -> Arc<Tracer> {
        Arc::clone(&self.tracer)
    }

    /// Sends the remaining spans, which takes a moment at most, and prints a pending warning and
    /// the number of lost spans.
    pub(super) fn finish(&self) {
        let sent = self.tracer.finish();
        let complaint = self.warning.lock().unwrap_or_else(PoisonError::into_inner).take();
        complaint.into_iter().for_each(notice::print_notice);
        if sent.dropped > 0 {
            let all = sent.exported + sent.dropped;
            notice::print_notice(format_args!(
                "the collector rejected {} of {all} traces",
                sent.dropped
            ));
        }
    }
}
