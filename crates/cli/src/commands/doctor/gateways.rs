//! Checks of the gateways to which agents send their requests.

use foveal_agent_setup::client_agents::ClientAgent;
use foveal_agent_setup::setup::{AgentGateway, find_client_gateways};
use foveal_agent_setup::{GatewayAddressMap, ListeningProgram, UserEnvironment};

use super::diagnosis::{Diagnosis, HealthStatus};

/// Returns a diagnosis for each gateway of `client`, and one for each feature that the client loses
/// behind it.
pub(super) fn check_gateways(
    client: &'static ClientAgent,
    environment: &UserEnvironment,
    routes: &GatewayAddressMap,
    passes_websockets: bool,
) -> Vec<Diagnosis> {
    let gateways = find_client_gateways(client, environment, routes);
    let about = format!("{} gateway", client.name);
    let asks_foveal = gateways.iter().any(AgentGateway::is_foveal);
    let finding = |gateway: AgentGateway| {
        let state = match gateway.listener {
            ListeningProgram::Foveal => HealthStatus::Ok,
            _ if gateway.is_broken() => HealthStatus::Broken,
            _ => HealthStatus::Note,
        };
        let (what, remedy) = (gateway.describe_state(), gateway.remedy());
        Diagnosis { remedy, ..Diagnosis::new(state, &*about, what) }
    };
    let mut findings: Vec<Diagnosis> = gateways.into_iter().map(finding).collect();
    if asks_foveal {
        findings.extend(diagnose_unset_variables(client, environment, &about));
        let losses = client.feature_losses(passes_websockets);
        findings.extend(losses.map(|loss| Diagnosis::new(HealthStatus::Note, &*about, loss)));
    }
    findings
}

/// Returns a diagnosis for settings that would restore features which the agent disables for
/// foreign addresses.
fn diagnose_unset_variables(
    client: &ClientAgent,
    environment: &UserEnvironment,
    about: &str,
) -> Option<Diagnosis> {
    let names =
        client.unset_feature_variables(environment, std::env::current_dir().ok().as_deref());
    let what = format!(
        "{} disables features for this address, which {} would enable",
        client.title,
        names.join(" and ")
    );
    let remedy = format!("foveal init {} --gateway", client.name);
    (!names.is_empty()).then(|| Diagnosis::new(HealthStatus::Note, about, what).with_remedy(remedy))
}
