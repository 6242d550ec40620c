//! What a client asks for, and what is answered.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomNotification, CustomRequest, CustomResult,
    ErrorData, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};

use crate::connection::Connection;
use crate::invalid_request::error_for;
use crate::round_trips::RoundTrips;
use crate::{call, instructions, resources};

/// The notification by which a client says that its model no longer has what it was shown:
/// after a compaction, say. Its `session` names one session; without it all of the connection
/// are meant.
pub const RESET_NOTIFICATION: &str = "notifications/foveal/reset";

/// The notification by which a client says how calls that repeat earlier ones are answered.
/// `enable` (true, false; null: as the server's settings say) and `clear` (true: forget the
/// calls so far, so that each is carried out again) hold for the session named by `session`;
/// without it for all of the connection, those that begin later included.
pub const DUPLICATES_NOTIFICATION: &str = "notifications/foveal/duplicates";

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().build();
        capabilities.logging = Some(JsonObject::new());
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("foveal", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions::of(self.shared.settings.tools))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.begin();
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(call::call(self, request, context).await)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::listed()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let failed = |what: String| ErrorData::internal_error(what, None);
        let round_trips = RoundTrips::of(request.request_state.as_deref(), request.input_responses);
        let session = self.session(&context, &round_trips).await;
        let Some(session) = session.map_err(|error| failed(error.to_string()))? else {
            return Ok(round_trips.ask_folders().into());
        };
        let read = tokio::task::spawn_blocking(move || {
            resources::read(&session.open_latest(), &request.uri)
        });
        let read = read.await.map_err(|error| failed(error.to_string()))??;
        Ok(read.into())
    }

    #[expect(deprecated, reason = "most clients speak versions of the protocol that have it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.threshold.set(request.level);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(error_for(&request))
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        // Asked anew with the next request: only from within one can every client be asked.
        self.ask_roots_anew();
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _context: NotificationContext<RoleServer>,
    ) {
        if notification.method == RESET_NOTIFICATION {
            let named = notification.params.as_ref().and_then(|params| params.get("session"));
            let name = named.and_then(|name| name.as_str());
            self.shared.sessions.forget_shown(self.number_if_lasting(), name);
        }
        if notification.method == DUPLICATES_NOTIFICATION {
            self.duplicates(&notification.params.unwrap_or_default());
        }
    }
}
