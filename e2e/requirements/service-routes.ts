import { clauses, type Requirement } from './clause.ts';

const option = clauses('service: Route options, ');

/** Table "Route options": seven options with their defaults. */
export const serviceRoutes: readonly Requirement[] = [
  ...option.built('every call', {
    'route.option.every-call':
      'The route call, its shorthands and `static` understand the same route options.',
  }),
  ...option.built('every call', {
    'route.option.every-call.proxy': '`proxy` understands the same route options.',
  }),
  ...option.built('tool', {
    'route.option.tool': 'A route with `tool` switched on is offered to agents and MCP clients.',
    'route.option.tool.default': 'A route is no tool unless it says so.',
  }),
  ...option.built('tool_name', {
    'route.option.tool-name': 'A route can choose the name of its tool.',
    'route.option.tool-name.default': 'A tool whose route chose no name bears the derived one.',
  }),
  ...option.built('scopes', {
    'route.option.scopes': 'Whoever lacks a scope listed by the route does not reach it, by any door.',
    'route.option.scopes.default': 'A route that lists no scopes asks for none.',
  }),
  ...option.built('approval', {
    'route.option.approval.agents': 'With `approval: required` a call by an agent waits for a human.',
  }),
  ...option.built('approval', {
    'route.option.approval.mcp': 'With `approval: required` nobody can call the tool directly over MCP.',
    'route.option.approval.default': 'A route asks no approval (`never`) unless it says so.',
  }),
  ...option.built('read_only', {
    'route.option.read-only': 'A route can state itself whether it only reads.',
    'route.option.read-only.default': 'Left out, GET counts as read-only and other methods do not.',
  }),
  ...option.built('idempotent', {
    'route.option.idempotent': 'A route can state itself whether repeating it is harmless.',
    'route.option.idempotent.default':
      'Left out, GET, PUT and DELETE count as idempotent, POST and PATCH do not.',
  }),
  ...option.built('summary', {
    'route.option.summary': 'The summary of a route is the description of its tool.',
    'route.option.summary.default': 'A route without a summary takes the docstring of its handler.',
  }),
];
