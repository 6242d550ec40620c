//! Tests of the redactor.

mod forms;
#[path = "../examples/forms/fronts.rs"]
mod fronts;
#[path = "../examples/forms/generated_values.rs"]
mod generated_values;
#[path = "../examples/forms/harmless.rs"]
mod harmless;
#[path = "../examples/forms/planted.rs"]
mod planted;
#[path = "../examples/forms/rates.rs"]
mod rates;
mod redact;
mod string_literals;
mod tool_output;
