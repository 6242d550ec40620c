//! Launches Gemini CLI by an environment variable, which a file of variables may also set.

use super::launch_plan::{LaunchPlan, LaunchRequest, WrapError};
use crate::agent_settings::{read_dot_env_variable, read_json_file};

const ADDRESS_VARIABLE: &str = "GOOGLE_GEMINI_BASE_URL";

pub(crate) fn plan_launch(asked: &LaunchRequest<'_>) -> Result<LaunchPlan, WrapError> {
    let settings = asked.environment.path_in_home(".gemini/settings.json");
    let settings = settings.map(|path| read_json_file(&path)).transpose()?.unwrap_or_default();
    let login = settings["security"]["auth"]["selectedType"].as_str().unwrap_or_default();
    let is_elsewhere = login == "oauth-personal" || login.starts_with("vertex");
    if is_elsewhere || asked.environment.agent_variable("GOOGLE_GENAI_USE_VERTEXAI").is_some() {
        return Err(WrapError::Agent(
            "Gemini CLI uses another API with this login: to use foveal, authenticate with a key \
             (GEMINI_API_KEY)"
                .to_owned(),
        ));
    }
    let of_file = read_dot_env_variable(
        asked.folder,
        asked.environment.home.as_deref(),
        ".gemini",
        ADDRESS_VARIABLE,
    );
    let set = asked.environment.agent_variable(ADDRESS_VARIABLE).map(str::to_owned).or(of_file);
    let mut plan = LaunchPlan::new(asked.upstreams.clone());
    let address = plan.plan_single_address(set.as_deref(), "")?;
    plan.variables.push((ADDRESS_VARIABLE, address));
    Ok(plan)
}
