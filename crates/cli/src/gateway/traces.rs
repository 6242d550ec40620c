//! Where traces go, as OpenTelemetry's own variables say, or the user's settings
//! (opentelemetry.io/docs/specs/otel/protocol/exporter and
//! opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables).

use std::collections::BTreeMap;
use std::time::Duration;

use foveal_gateway::traces::{BadCollector, Collector, pairs};

/// The variables that count. One for traces alone counts before the one for all.
pub(crate) const VARIABLES: [&str; 13] = [
    ENDPOINT,
    ENDPOINT_TRACES,
    HEADERS,
    HEADERS_TRACES,
    PROTOCOL,
    PROTOCOL_TRACES,
    TIMEOUT,
    TIMEOUT_TRACES,
    DELAY,
    SERVICE,
    RESOURCE,
    DISABLED,
    EXPORTER,
];

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const ENDPOINT_TRACES: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const HEADERS_TRACES: &str = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
const PROTOCOL: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
const PROTOCOL_TRACES: &str = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL";
const TIMEOUT: &str = "OTEL_EXPORTER_OTLP_TIMEOUT";
const TIMEOUT_TRACES: &str = "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT";
const DELAY: &str = "OTEL_BSP_SCHEDULE_DELAY";
const SERVICE: &str = "OTEL_SERVICE_NAME";
const RESOURCE: &str = "OTEL_RESOURCE_ATTRIBUTES";
const DISABLED: &str = "OTEL_SDK_DISABLED";
const EXPORTER: &str = "OTEL_TRACES_EXPORTER";

const SERVICE_NAME: &str = "service.name";

/// The variables that are set, and what they say.
pub(crate) type Told = BTreeMap<&'static str, String>;

/// Where traces go, and what is to be told of that.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Traces {
    /// `None`: nowhere.
    pub(crate) collector: Option<Collector>,
    pub(crate) remarks: Vec<String>,
}

/// The variable that names where traces go, and what it says; it goes before what is set.
pub(crate) fn named_by_variable(told: &Told) -> Option<(&'static str, &str)> {
    let said = |name: &'static str| Some((name, told.get(name)?.as_str()));
    said(ENDPOINT_TRACES).or_else(|| said(ENDPOINT))
}

impl Traces {
    /// As the variables say, and else as `set` among the user's settings.
    pub(crate) fn of(told: &Told, set: Option<&Collector>) -> Self {
        let is_off = told.get(DISABLED).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let exporters = told.get(EXPORTER).map(String::as_str);
        let is_other =
            exporters.is_some_and(|names| !names.split(',').any(|name| name.trim() == "otlp"));
        if is_off || is_other {
            return Self::default();
        }
        let exactly = told.get(ENDPOINT_TRACES).map(|address| Collector::exactly(address));
        let at = || told.get(ENDPOINT).map(|address| Collector::at(address));
        let Some(found) = exactly.or_else(at).or_else(|| set.cloned().map(Ok)) else {
            return Self::default();
        };
        let mut traces = Self::default();
        // What is spoken at an address of the settings these do not say, and their headers hold
        // the key of another collector.
        let is_of_variables = told.contains_key(ENDPOINT_TRACES) || told.contains_key(ENDPOINT);
        if is_of_variables && !traces.speaks(told) {
            return traces;
        }
        match found {
            Ok(collector) => traces.to(collector, told, is_of_variables),
            Err(error) => traces.refuse(&error),
        }
        traces
    }

    fn refuse(&mut self, error: &BadCollector) {
        self.remarks.push(format!("no traces are sent: {error}"));
    }

    /// Whether what is to be spoken can be.
    fn speaks(&mut self, told: &Told) -> bool {
        let said = [PROTOCOL_TRACES, PROTOCOL].into_iter().find_map(|name| told.get(name));
        match said.map_or("http/json", |said| said.trim()) {
            "http/json" => true,
            "http/protobuf" => {
                self.remarks.push(
                    "traces are sent as JSON, which collectors take at the same address; \
                     OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json says so"
                        .to_owned(),
                );
                true
            }
            other => {
                self.remarks.push(format!(
                    "no traces are sent: foveal speaks http/json, and not {other}; set \
                     {PROTOCOL_TRACES}=http/json, and {ENDPOINT_TRACES} to where your collector \
                     listens for HTTP, mostly http://HOST:4318/v1/traces"
                ));
                false
            }
        }
    }

    fn to(&mut self, collector: Collector, told: &Told, is_of_variables: bool) {
        let said = |names: [&str; 2]| names.into_iter().find_map(|name| told.get(name));
        let headers = said([HEADERS_TRACES, HEADERS]).filter(|_| is_of_variables);
        let headers = headers.map_or_else(Vec::new, |text| pairs(text));
        let (mut collector, wrong) = collector.with_headers(headers);
        for name in wrong {
            self.remarks.push(format!("`{name}` in {HEADERS} is no header: it is left out"));
        }
        collector = collector.with_resource(resource(told));
        if let Some(ms) = self.ms(said([TIMEOUT_TRACES, TIMEOUT]), TIMEOUT) {
            collector = collector.with_patience(ms);
        }
        if let Some(ms) = self.ms(told.get(DELAY), DELAY) {
            collector = collector.with_delay(ms);
        }
        self.collector = Some(collector);
    }

    fn ms(&mut self, said: Option<&String>, name: &str) -> Option<Duration> {
        let text = said?.trim();
        let ms = text.parse::<u64>().ok().filter(|ms| *ms > 0);
        if ms.is_none() {
            self.remarks.push(format!("`{text}` in {name} is no time in milliseconds"));
        }
        ms.map(Duration::from_millis)
    }
}

/// What is said of this program; a name of its own counts before one among other attributes.
fn resource(told: &Told) -> Vec<(String, String)> {
    let mut all = told.get(RESOURCE).map_or_else(Vec::new, |text| pairs(text));
    let named = told.get(SERVICE).cloned();
    let is_named = all.iter().any(|(name, _)| name == SERVICE_NAME);
    if let Some(name) = named.or_else(|| (!is_named).then(|| "foveal".to_owned())) {
        all.retain(|(key, _)| key != SERVICE_NAME);
        all.insert(0, (SERVICE_NAME.to_owned(), name));
    }
    all
}

#[cfg(test)]
mod tests {
    use foveal_gateway::traces::Collector;

    use super::{Told, Traces, VARIABLES, resource};

    fn told(pairs: &[(&str, &str)]) -> Told {
        let known = |name: &str| VARIABLES.into_iter().find(|known| *known == name);
        pairs.iter().map(|(name, value)| (known(name).unwrap(), (*value).to_owned())).collect()
    }

    fn traces(pairs: &[(&str, &str)]) -> Traces {
        Traces::of(&told(pairs), None)
    }

    fn address(traces: &Traces) -> Option<String> {
        traces.collector.as_ref().map(ToString::to_string)
    }

    const AT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");

    #[test]
    fn nothing_is_sent_where_nothing_is_said() {
        assert_eq!(traces(&[]), Traces::default());
        assert_eq!(traces(&[("OTEL_SERVICE_NAME", "x")]), Traces::default());
        assert_eq!(traces(&[AT, ("OTEL_SDK_DISABLED", "TRUE")]), Traces::default());
        assert_eq!(traces(&[AT, ("OTEL_TRACES_EXPORTER", "none")]), Traces::default());
        let set = Collector::at("http://c").unwrap();
        let off = told(&[("OTEL_SDK_DISABLED", "true")]);
        assert_eq!(Traces::of(&off, Some(&set)), Traces::default());
    }

    #[test]
    fn the_address_for_traces_counts_before_that_for_all_and_the_settings() {
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/own");
        let set = Collector::at("http://c:2").unwrap();
        let address = |pairs: &[_]| address(&Traces::of(&told(pairs), Some(&set)));
        assert_eq!(address(&[AT, own]).as_deref(), Some("http://127.0.0.1:1/own"));
        assert_eq!(address(&[AT]).as_deref(), Some("http://127.0.0.1:4318/v1/traces"));
        assert_eq!(address(&[]).as_deref(), Some("http://c:2/v1/traces"));
        // What another program speaks elsewhere says nothing of that.
        let other = [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
        assert_eq!(address(&other).as_deref(), Some("http://c:2/v1/traces"));
    }

    #[test]
    fn the_key_of_another_collector_does_not_go_to_that_of_the_settings() {
        let set = Collector::at("http://c:2").unwrap();
        let headers = ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20key");
        let plain = Traces::of(&told(&[]), Some(&set));
        assert_eq!(Traces::of(&told(&[headers]), Some(&set)), plain);
        assert_ne!(traces(&[AT, headers]), traces(&[AT]));
    }

    #[test]
    fn what_cannot_be_spoken_is_said() {
        let with = |name| traces(&[AT, ("OTEL_EXPORTER_OTLP_PROTOCOL", name)]);
        assert_eq!(with("http/json").remarks, [""; 0]);
        let grpc = with("grpc");
        assert_eq!(grpc.collector, None);
        assert!(grpc.remarks[0].contains("and not grpc") && grpc.remarks[0].contains("4318"));
        let binary = with("http/protobuf");
        assert!(binary.collector.is_some() && binary.remarks[0].contains("as JSON"));
        let counts_first = traces(&[
            AT,
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
        ]);
        assert!(counts_first.collector.is_some());
    }

    #[test]
    fn what_cannot_be_understood_is_said_without_what_may_be_secret() {
        let bad = traces(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:secret@host")]);
        assert!(bad.collector.is_none() && bad.remarks[0].contains("password"));
        let headers = traces(&[AT, ("OTEL_EXPORTER_OTLP_HEADERS", "a b=secret,x-ok=1")]);
        assert!(headers.remarks[0].contains("`a b`"));
        let time = traces(&[AT, ("OTEL_BSP_SCHEDULE_DELAY", "soon")]);
        assert!(time.collector.is_some() && time.remarks[0].contains("milliseconds"));
        for traces in [bad, headers] {
            assert!(!format!("{traces:?}").contains("secret"), "{traces:?}");
        }
    }

    #[test]
    fn the_program_is_named() {
        let named = |pairs: &[_]| resource(&told(pairs));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(named(&[]), [pair("service.name", "foveal")]);
        let more = ("OTEL_RESOURCE_ATTRIBUTES", "team=a%20b,service.name=one");
        assert_eq!(named(&[more]), [pair("team", "a b"), pair("service.name", "one")]);
        let both = named(&[more, ("OTEL_SERVICE_NAME", "two")]);
        assert_eq!(both, [pair("service.name", "two"), pair("team", "a b")]);
    }
}
