//! The protocol's requests and notifications, handled by a [`ClientConnection`].

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomNotification, CustomRequest, CustomResult,
    ErrorData, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};

use crate::connection::ClientConnection;
use crate::invalid_request::invalid_request_error;
use crate::round_trips::RoundTrips;
use crate::{call, instructions, resources};

/// A client's notification that its model no longer has what it was shown, for example after a
/// compaction. `session` names one session; without it, all sessions of the connection are meant.
pub const RESET_NOTIFICATION: &str = "notifications/foveal/reset";

/// A client's notification of how to answer duplicate calls. `enable` (true, false; null: the
/// server's setting) and `clear` (true: forget earlier calls, so that each is executed again) apply
/// to the session named by `session`; without it, to all sessions of the connection, later ones
/// included.
pub const DUPLICATES_NOTIFICATION: &str = "notifications/foveal/duplicates";

impl ServerHandler for ClientConnection {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().build();
        capabilities.logging = Some(JsonObject::new());
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("foveal", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions::for_tool_set(self.shared.settings.tools))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.assign_number();
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tool_definitions().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tool_definitions().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(call::run_tool_call(self, request, context).await)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::fixed_resources()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::resource_templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let failed = |what: String| ErrorData::internal_error(what, None);
        let round_trips =
            RoundTrips::from_request(request.request_state.as_deref(), request.input_responses);
        let session = self.resolve_session(&context, &round_trips).await;
        let Some(session) = session.map_err(|error| failed(error.to_string()))? else {
            return Ok(round_trips.request_folders().into());
        };
        let read = tokio::task::spawn_blocking(move || {
            resources::read_resource(&session.open_latest_session(), &request.uri)
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
        Err(invalid_request_error(&request))
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        // The next request asks, since only within a request every client can be asked.
        self.invalidate_roots();
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _context: NotificationContext<RoleServer>,
    ) {
        if notification.method == RESET_NOTIFICATION {
            let named = notification.params.as_ref().and_then(|params| params.get("session"));
            let name = named.and_then(|name| name.as_str());
            self.shared.sessions.clear_visibility(self.number_or_unused(), name);
        }
        if notification.method == DUPLICATES_NOTIFICATION {
            self.apply_duplicates_notification(&notification.params.unwrap_or_default());
        }
    }
}
