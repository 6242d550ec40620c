//! Gemini CLI: a variable, which a file of variables may say too.

use super::plan::{Asked, CannotWrap, Plan};
use crate::clients::settings::{dot_env, read_json};

const ADDRESS: &str = "GOOGLE_GEMINI_BASE_URL";

pub(super) fn plan(asked: &Asked<'_>) -> Result<Plan, CannotWrap> {
    let settings = asked.environment.in_home(".gemini/settings.json");
    let settings = settings.map(|path| read_json(&path)).transpose()?.unwrap_or_default();
    let login = settings["security"]["auth"]["selectedType"].as_str().unwrap_or_default();
    let is_elsewhere = login == "oauth-personal" || login.starts_with("vertex");
    if is_elsewhere || asked.environment.told("GOOGLE_GENAI_USE_VERTEXAI").is_some() {
        return Err(CannotWrap::Agent(
            "Gemini CLI asks another API with this login: foveal can be put between where it asks \
             with a key (GEMINI_API_KEY)"
                .to_owned(),
        ));
    }
    let of_file = dot_env(asked.folder, asked.environment.home.as_deref(), ".gemini", ADDRESS);
    let set = asked.environment.told(ADDRESS).map(str::to_owned).or(of_file);
    let mut plan = Plan::new(asked.given.clone());
    let address = plan.one_address(set.as_deref(), "")?;
    plan.variables.push((ADDRESS, address));
    Ok(plan)
}
