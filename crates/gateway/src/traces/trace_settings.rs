//! The destination of traces, from the environment variables of OpenTelemetry or the user's
//! settings (opentelemetry.io/docs/specs/otel/protocol/exporter and
//! opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables).

use std::collections::BTreeMap;
use std::time::Duration;

use super::collector::{CollectorAddressError, TraceCollector, parse_pairs};

/// The environment variables that are read. A variable for traces precedes the one for all signals.
pub const TRACE_VARIABLES: [&str; 13] = [
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

/// The values of the variables that are set.
pub type TraceVariables = BTreeMap<&'static str, String>;

/// The collector for traces, and warnings for the user about it.
#[derive(Debug, Default, PartialEq)]
pub struct TraceSettings {
    /// `None` if no traces are sent.
    pub collector: Option<TraceCollector>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// Returns the variable that names the collector, with its value. It precedes the user's settings.
pub fn endpoint_variable(told: &TraceVariables) -> Option<(&'static str, &str)> {
    let said = |name: &'static str| Some((name, told.get(name)?.as_str()));
    said(ENDPOINT_TRACES).or_else(|| said(ENDPOINT))
}

impl TraceSettings {
    /// Takes the collector from the variables, or else from `set`, which the user's settings name.
    pub fn resolve(told: &TraceVariables, set: Option<&TraceCollector>) -> Self {
        let is_off = told.get(DISABLED).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let exporters = told.get(EXPORTER).map(String::as_str);
        let is_other =
            exporters.is_some_and(|names| !names.split(',').any(|name| name.trim() == "otlp"));
        if is_off || is_other {
            return Self::default();
        }
        let exactly =
            told.get(ENDPOINT_TRACES).map(|address| TraceCollector::from_endpoint(address));
        let at = || told.get(ENDPOINT).map(|address| TraceCollector::from_base_address(address));
        let Some(found) = exactly.or_else(at).or_else(|| set.cloned().map(Ok)) else {
            return Self::default();
        };
        let mut traces = Self::default();
        // The protocol and headers of the variables apply only to a collector that they name: the
        // headers may hold the key of another collector.
        let is_of_variables = told.contains_key(ENDPOINT_TRACES) || told.contains_key(ENDPOINT);
        if is_of_variables && !traces.check_protocol(told) {
            return traces;
        }
        match found {
            Ok(collector) => traces.set_collector(collector, told, is_of_variables),
            Err(error) => traces.report_bad_collector(&error),
        }
        traces
    }

    fn report_bad_collector(&mut self, error: &CollectorAddressError) {
        self.warnings.push(format!("no traces are sent: {error}"));
    }

    /// Returns whether foveal supports the protocol of the variables; adds a warning where it does
    /// not, or where it sends JSON instead.
    fn check_protocol(&mut self, told: &TraceVariables) -> bool {
        let said = [PROTOCOL_TRACES, PROTOCOL].into_iter().find_map(|name| told.get(name));
        match said.map_or("http/json", |said| said.trim()) {
            "http/json" => true,
            "http/protobuf" => {
                self.warnings.push(
                    "traces are sent as JSON, which collectors accept at the same address; set \
                     OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json to hide this warning"
                        .to_owned(),
                );
                true
            }
            other => {
                self.warnings.push(format!(
                    "no traces are sent: foveal supports http/json, not {other}; set \
                     {PROTOCOL_TRACES}=http/json, and {ENDPOINT_TRACES} to the address where your \
                     collector listens for HTTP, usually http://HOST:4318/v1/traces"
                ));
                false
            }
        }
    }

    fn set_collector(
        &mut self,
        collector: TraceCollector,
        told: &TraceVariables,
        is_of_variables: bool,
    ) {
        let said = |names: [&str; 2]| names.into_iter().find_map(|name| told.get(name));
        let headers = said([HEADERS_TRACES, HEADERS]).filter(|_| is_of_variables);
        let headers = headers.map_or_else(Vec::new, |text| parse_pairs(text));
        let (mut collector, wrong) = collector.with_headers(headers);
        for name in wrong {
            self.warnings.push(format!("`{name}` in {HEADERS} is not a valid header: ignored"));
        }
        collector = collector.with_resource(resource_attributes(told));
        if let Some(ms) = self.parse_milliseconds(said([TIMEOUT_TRACES, TIMEOUT]), TIMEOUT) {
            collector = collector.with_timeout(ms);
        }
        if let Some(ms) = self.parse_milliseconds(told.get(DELAY), DELAY) {
            collector = collector.with_batch_delay(ms);
        }
        self.collector = Some(collector);
    }

    fn parse_milliseconds(&mut self, said: Option<&String>, name: &str) -> Option<Duration> {
        let text = said?.trim();
        let ms = text.parse::<u64>().ok().filter(|ms| *ms > 0);
        if ms.is_none() {
            self.warnings
                .push(format!("`{text}` in {name} is not a number of milliseconds: ignored"));
        }
        ms.map(Duration::from_millis)
    }
}

/// Returns the resource attributes that describe this program. `OTEL_SERVICE_NAME` precedes a name
/// among the other attributes.
fn resource_attributes(told: &TraceVariables) -> Vec<(String, String)> {
    let mut all = told.get(RESOURCE).map_or_else(Vec::new, |text| parse_pairs(text));
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
    use super::{
        TRACE_VARIABLES, TraceCollector, TraceSettings, TraceVariables, resource_attributes,
    };

    fn told(pairs: &[(&str, &str)]) -> TraceVariables {
        let known = |name: &str| TRACE_VARIABLES.into_iter().find(|known| *known == name);
        pairs.iter().map(|(name, value)| (known(name).unwrap(), (*value).to_owned())).collect()
    }

    fn traces(pairs: &[(&str, &str)]) -> TraceSettings {
        TraceSettings::resolve(&told(pairs), None)
    }

    fn address(traces: &TraceSettings) -> Option<String> {
        traces.collector.as_ref().map(ToString::to_string)
    }

    const AT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");

    #[test]
    fn nothing_is_sent_where_nothing_is_said() {
        assert_eq!(traces(&[]), TraceSettings::default());
        assert_eq!(traces(&[("OTEL_SERVICE_NAME", "x")]), TraceSettings::default());
        assert_eq!(traces(&[AT, ("OTEL_SDK_DISABLED", "TRUE")]), TraceSettings::default());
        assert_eq!(traces(&[AT, ("OTEL_TRACES_EXPORTER", "none")]), TraceSettings::default());
        let set = TraceCollector::from_base_address("http://c").unwrap();
        let off = told(&[("OTEL_SDK_DISABLED", "true")]);
        assert_eq!(TraceSettings::resolve(&off, Some(&set)), TraceSettings::default());
    }

    #[test]
    fn the_address_for_traces_counts_before_that_for_all_and_the_settings() {
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/own");
        let set = TraceCollector::from_base_address("http://c:2").unwrap();
        let address = |pairs: &[_]| address(&TraceSettings::resolve(&told(pairs), Some(&set)));
        assert_eq!(address(&[AT, own]).as_deref(), Some("http://127.0.0.1:1/own"));
        assert_eq!(address(&[AT]).as_deref(), Some("http://127.0.0.1:4318/v1/traces"));
        assert_eq!(address(&[]).as_deref(), Some("http://c:2/v1/traces"));
        // The protocol for another collector does not apply to that of the settings.
        let other = [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
        assert_eq!(address(&other).as_deref(), Some("http://c:2/v1/traces"));
    }

    #[test]
    fn the_key_of_another_collector_does_not_go_to_that_of_the_settings() {
        let set = TraceCollector::from_base_address("http://c:2").unwrap();
        let headers = ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20key");
        let plain = TraceSettings::resolve(&told(&[]), Some(&set));
        assert_eq!(TraceSettings::resolve(&told(&[headers]), Some(&set)), plain);
        assert_ne!(traces(&[AT, headers]), traces(&[AT]));
    }

    #[test]
    fn what_cannot_be_spoken_is_said() {
        let with = |name| traces(&[AT, ("OTEL_EXPORTER_OTLP_PROTOCOL", name)]);
        assert_eq!(with("http/json").warnings, [""; 0]);
        let grpc = with("grpc");
        assert_eq!(grpc.collector, None);
        assert!(
            grpc.warnings[0].contains("http/json, not grpc") && grpc.warnings[0].contains("4318")
        );
        let binary = with("http/protobuf");
        assert!(binary.collector.is_some() && binary.warnings[0].contains("as JSON"));
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
        assert!(bad.collector.is_none() && bad.warnings[0].contains("password"));
        let headers = traces(&[AT, ("OTEL_EXPORTER_OTLP_HEADERS", "a b=secret,x-ok=1")]);
        assert!(headers.warnings[0].contains("`a b`"));
        let time = traces(&[AT, ("OTEL_BSP_SCHEDULE_DELAY", "soon")]);
        assert!(time.collector.is_some() && time.warnings[0].contains("milliseconds"));
        for traces in [bad, headers] {
            assert!(!format!("{traces:?}").contains("secret"), "{traces:?}");
        }
    }

    #[test]
    fn the_program_is_named() {
        let named = |pairs: &[_]| resource_attributes(&told(pairs));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(named(&[]), [pair("service.name", "foveal")]);
        let more = ("OTEL_RESOURCE_ATTRIBUTES", "team=a%20b,service.name=one");
        assert_eq!(named(&[more]), [pair("team", "a b"), pair("service.name", "one")]);
        let both = named(&[more, ("OTEL_SERVICE_NAME", "two")]);
        assert_eq!(both, [pair("service.name", "two"), pair("team", "a b")]);
    }
}
