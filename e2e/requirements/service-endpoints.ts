import { clauses, type Requirement } from './clause.ts';

const control = clauses('service: Control plane, ');
const route = clauses('service: Agent, behaviour and flow routes ');
const resource = clauses('service: Resource routes, ');
const device = clauses('service: Device hub routes, ');
const socket = clauses('service: Agent WebSocket protocol, ');

/** Section "Endpoints" but for MCP: control plane, declared routes, device routes, agent socket. */
export const serviceEndpoints: readonly Requirement[] = [
  ...control.built('GET health', {
    'control.health': 'Health says that the service lives and counts what it serves.',
    'control.health.sessions': 'Health counts sessions and pending approvals.',
    'control.health.public': 'Health answers everybody, with or without credentials.',
  }),
  ...control.built('GET openapi.json', { 'control.openapi': 'The OpenAPI 3.1 document is one GET away.' }),
  ...control.built('GET tools', {
    'control.tools': 'The tool listing is plain JSON, without JSON-RPC around it.',
    'control.tools.per-caller': 'The tool listing shows a caller what that caller may use.',
  }),
  ...control.built('GET routes', {
    'control.routes': 'The route listing holds every route with the engine that serves it.',
  }),
  ...control.built('GET agents', {
    'control.agents': 'The declared agents can be listed.',
  }),
  ...control.built('GET behaviours', {
    'control.behaviours': 'The declared behaviours can be listed.',
  }),
  ...control.built('GET flows', { 'control.flows': 'The declared flows can be listed.' }),
  ...control.built('GET contexts', {
    'control.contexts': 'The declared contexts can be listed.',
  }),
  ...control.built('GET models', {
    'control.models': 'Aliases, live providers and priced models can be listed.',
  }),
  ...control.built('GET usage', {
    'control.usage': 'What was spent can be read by caller and by model.',
  }),
  ...control.built('GET audit', {
    'control.audit': 'Recent audit events can be read.',
  }),
  ...control.built('GET audit', {
    'control.audit.agents-and-insights': 'What agents did and watchers concluded is among the audit events.',
  }),
  ...control.built('GET approvals', {
    'control.approvals': 'The runs that wait on a human can be listed.',
  }),
  ...control.built('POST approvals/{id}', {
    'control.approvals.decide': 'Posting `{approve, note}` to an approval decides it and continues the run.',
  }),
  ...control.built('GET security', {
    'control.security': 'What is public and what is gated can be read in one report.',
  }),
  ...control.built('GET devices', {
    'control.devices': 'The devices can be listed with frames in and dropped, subscribers and newest frame.',
  }),
  ...control.built('POST mcp', { 'control.mcp': 'MCP takes JSON-RPC by POST.' }),
  ...route.built('1', {
    'endpoint.agent.path': 'An agent that chose no path answers below `/agents/`.',
  }),
  ...route.built('1', {
    'endpoint.flow.path': 'A flow that chose no path answers below `/flows/`.',
  }),
  ...route.built('1', {
    'endpoint.behaviour.path': 'A behaviour with `expose_at` answers there.',
  }),
  ...route.built('2', {
    'endpoint.agent.body': 'An agent takes `input` and, if wanted, `session_id` and `reset`.',
  }),
  ...route.built('3', {
    'endpoint.agent.upgrade': 'Every agent route can also be opened as a WebSocket.',
  }),
  ...route.built('4', {
    'endpoint.agent.answers': 'Agent, behaviour and flow routes are POST and answer as the decisions say.',
  }),
  ...resource.built('five routes', {
    'endpoint.resource.five': 'A resource answers list, get, create, update and delete.',
    'endpoint.resource.tools': 'With `tools` all five routes of a resource are tools.',
  }),
  ...device.built('POST frames', {
    'device.frames': 'One encoded image posted as the body becomes a frame of the device.',
    'device.frames.types': 'PNG, JPEG, GIF and WebP are accepted.',
    'device.frames.sniffed': 'The type of a frame is told from its bytes, whatever the content type says.',
    'device.frames.too-fast': 'A frame over `max_fps` is answered 429.',
  }),
  ...device.built('POST telemetry', {
    'device.telemetry.post': 'One JSON reading posted as the body becomes the newest telemetry.',
    'device.telemetry.size': 'A reading may have 64 KB and not more.',
  }),
  ...device.built('GET ws', {
    'device.ws.frames': 'Binary messages on the ingest socket are frames.',
    'device.ws.telemetry': 'Text messages on the ingest socket are telemetry.',
  }),
  ...device.built('GET stream', {
    'device.stream': 'A subscriber of the stream socket is told what happens on the device.',
    'device.stream.meta': 'With `frames=meta` a subscriber is told of frames without their bytes.',
  }),
  ...device.built('GET snapshot', {
    'device.snapshot':
      'The snapshot holds the newest frame as image marker, its age and the newest telemetry.',
    'device.snapshot.tool': 'The snapshot is the tool `<name>_snapshot`.',
  }),
  ...device.built('GET latest', {
    'device.latest': '`latest` answers with the raw bytes of the newest frame.',
  }),
  ...device.built('GET telemetry', {
    'device.telemetry.get': 'The newest reading can be fetched.',
    'device.telemetry.tool': 'The newest reading is the tool `<name>_telemetry`.',
  }),
  ...device.built('GET insights', {
    'device.insights': 'The recent insights of the watchers on a device can be fetched.',
    'device.insights.tool': 'The recent insights are the tool `<name>_insights`.',
  }),
  ...device.built('GET connect', {
    'device.connect': 'A public HTML page makes the camera of a browser this device.',
  }),
  ...device.built('GET view', {
    'device.view': 'A public HTML page shows the device live.',
  }),
  ...device.built('pulled frames', {
    'device.pull': 'Asking a device with a source for a frame fetches one.',
  }),
  ...device.built('images for agents', {
    'device.snapshot.image': 'An agent that calls the snapshot tool gets to see the image.',
    'device.snapshot.max-images': 'Older images leave the context of the agent once there are `max_images`.',
  }),
  ...socket.built('client to service', {
    'agent.socket.turn':
      'A turn is a message with `input` and, if wanted, `images`, `session_id` and `reset`.',
  }),
  ...socket.built('service to client', {
    'agent.socket.step': 'Each step arrives as `{type: "step", run_id, agent, step}`.',
    'agent.socket.result': 'The end of a turn arrives as `{type: "result", result}`.',
  }),
  ...socket.built('next turn', {
    'agent.socket.stays': 'After the result the socket is open for another turn.',
  }),
];
