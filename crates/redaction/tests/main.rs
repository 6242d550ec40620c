//! Tests of the redactor.

#[path = "../examples/forms/chance.rs"]
mod chance;
mod escaped;
mod forms;
#[path = "../examples/forms/fronts.rs"]
mod fronts;
#[path = "../examples/forms/harmless.rs"]
mod harmless;
#[path = "../examples/forms/planted.rs"]
mod planted;
#[path = "../examples/forms/rates.rs"]
mod rates;
mod redact;
mod shown;
