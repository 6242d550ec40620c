//! Traces of the requests of a gateway, where they are wanted.

use std::sync::{Arc, Mutex, PoisonError};

use clap::ValueEnum as _;
use foveal_gateway::exchange::Exchange;
use foveal_gateway::traces::{Beside, Sent, Tracer};

use crate::environment::Environment;
use crate::gateway::{GatewaySettings, Profile, Traces};
use crate::notice;
use crate::requests::Request;

/// When a person is told what is wrong with a collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Complaints {
    /// When it is seen.
    AtOnce,
    /// At the end: until then the terminal is an agent's.
    AtTheEnd,
}

/// Makes spans of requests, and has them sent.
pub(crate) struct Traced {
    tracer: Tracer,
    /// The profile of requests that wish for none.
    profile: Profile,
    complaint: Arc<Mutex<Option<String>>>,
}

impl Traced {
    /// Begins, where variables or settings name a collector. Says where traces go.
    pub(crate) fn start(
        environment: &Environment,
        settings: &GatewaySettings,
        profile: Profile,
        complaints: Complaints,
    ) -> Option<Self> {
        let traces = Traces::of(&environment.of_traces, settings.otel.as_ref());
        for remark in &traces.remarks {
            notice::say(remark);
        }
        let collector = traces.collector?;
        notice::say(format_args!("traces go to {collector}"));
        let complaint = Arc::<Mutex<Option<String>>>::default();
        let kept = Arc::clone(&complaint);
        let tracer = Tracer::start(collector, move |text| match complaints {
            Complaints::AtOnce => notice::say(text),
            Complaints::AtTheEnd => {
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            }
        });
        Some(Self { tracer, profile, complaint })
    }

    pub(super) fn ended(&self, exchange: &Exchange, request: &Request) {
        let wish = exchange.wish.as_deref().and_then(|wish| Profile::from_str(wish, false).ok());
        let profile = wish.unwrap_or(self.profile).name().unwrap_or("off");
        self.tracer.ended(exchange, Beside { profile, dollars: request.dollars() });
    }

    pub(super) fn sent(&self) -> Sent {
        self.tracer.sent()
    }

    /// Sends what still waits, which takes a moment at most.
    pub(super) fn finish(&self) {
        let sent = self.tracer.finish();
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner).take();
        complaint.into_iter().for_each(notice::say);
        if sent.dropped > 0 {
            let all = sent.taken + sent.dropped;
            notice::say(format_args!("{} of {all} traces were not taken", sent.dropped));
        }
    }
}
