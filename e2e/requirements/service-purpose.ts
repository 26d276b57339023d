import { clauses, type Requirement } from './clause.ts';

const sentence = clauses('service: What the service does ');

/** Section "What the service does": six numbered sentences. */
export const servicePurpose: readonly Requirement[] = [
  ...sentence.built('1', {
    'purpose.route.rest': 'Declaring a route is enough to have it answer over HTTP.',
    'purpose.route.openapi': 'Declaring a route is enough to have it described as an OpenAPI 3.1 operation.',
    'purpose.route.mcp': 'Declaring a route as a tool is enough to have it served over MCP.',
    'purpose.route.client': 'Declaring a route is enough to get a method for it in the TypeScript client.',
    'purpose.route.all-four':
      'A route added to the table shows up in all four faces without any second edit.',
  }),
  ...sentence.built('2', {
    'purpose.tools.projection':
      'Tools have no register of their own: the list is computed from the route table.',
    'purpose.tools.same-dispatcher':
      'Calling a tool goes through the very dispatcher that serves HTTP requests.',
  }),
  ...sentence.built('3', {
    'purpose.mcp.address':
      'MCP answers JSON-RPC over Streamable HTTP at the control prefix followed by `/mcp`.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.routes': 'An application can declare routes with handlers.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.resources': 'An application can declare resources that live in SQL tables.',
    'purpose.hosts.memory': 'An application can declare a memory.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.pages': 'An application can declare HTML pages.',
    'purpose.hosts.static-files': 'An application can declare directories of static files.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.proxies': 'An application can declare proxies to upstream servers.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.agents': 'An application can declare agents.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.behaviours': 'An application can declare behaviours.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.flows': 'An application can declare flows.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.contexts': 'An application can declare context providers.',
  }),
  ...sentence.built('4', {
    'purpose.hosts.aliases': 'An application can declare model aliases.',
    'purpose.hosts.providers': 'An application can declare model providers.',
    'purpose.hosts.pricing': 'An application can declare what models cost.',
  }),
  ...sentence.built('5', {
    'purpose.control.health': 'The control plane reports health.',
    'purpose.control.openapi': 'The control plane serves the OpenAPI document.',
    'purpose.control.listings': 'The control plane lists tools and routes.',
  }),
  ...sentence.built('5', {
    'purpose.control.declarations':
      'The control plane lists the declared agents, behaviours, flows and contexts.',
  }),
  ...sentence.built('5', {
    'purpose.control.ledger': 'The control plane shows what was spent on models.',
  }),
  ...sentence.built('5', {
    'purpose.control.approvals': 'The control plane lists and decides approvals.',
  }),
  ...sentence.built('5', {
    'purpose.control.audit': 'The control plane shows the audit log.',
    'purpose.control.security': 'The control plane reports on the security of the application.',
  }),
  ...sentence.built('6', {
    'purpose.hub.ingest': 'Cameras and sensors can send frames and telemetry to the service.',
    'purpose.hub.ring': 'Each device keeps its newest frames in a ring of its own.',
    'purpose.hub.fan-out': 'Frames and telemetry reach every WebSocket subscriber of the device.',
    'purpose.hub.tools': 'Agents see devices through tools only.',
  }),
  ...sentence.built('6', {
    'purpose.hub.insights': 'Insights reach the WebSocket subscribers of the device.',
    'purpose.hub.watchers': 'A watcher runs an agent on a timer over the newest frame and telemetry.',
    'purpose.hub.publish': 'A conclusion is published to sockets, webhook, audit log and the insights route.',
  }),
];
