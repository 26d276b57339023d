import { clauses, type Requirement } from './clause.ts';

const sentence = clauses('service: Authentication ');

/** Section "Authentication": ten numbered sentences. */
export const serviceAuthentication: readonly Requirement[] = [
  ...sentence.built('1', {
    'auth.api-key.header': 'An API key in the `x-api-key` header identifies its caller.',
    'auth.api-key.id-and-scopes': 'Each declared API key stands for one id and its own list of scopes.',
    'auth.jwt': 'A JWT signed with the secret in the named variable identifies its caller.',
    'auth.jwt.algorithm': 'Tokens are verified with `HS256` where nothing else is declared.',
    'auth.jwt.audience': 'A declared audience is required of a token.',
    'auth.jwt.issuer': 'A declared issuer is required of a token.',
    'auth.jwt.leeway': 'A token is accepted up to 30 seconds off its times.',
  }),
  ...sentence.built('2', {
    'auth.principal': 'A principal has `id`, `authenticated` and `scopes`.',
  }),
  ...sentence.built('2', {
    'auth.principal.root-id': 'Inside an agent run the principal has a `root_id` as well.',
  }),
  ...sentence.built('3', {
    'auth.anonymous-scopes': 'A caller without credentials has the scopes declared as anonymous.',
  }),
  ...sentence.built('4', {
    'auth.route-scopes': 'A route is reached only with the scopes it lists.',
  }),
  ...sentence.built('5', {
    'auth.control.admin': 'With authentication configured the control plane asks for `svc:admin`.',
    'auth.control.health': 'Health alone is exempt from that.',
  }),
  ...sentence.built('6', {
    'auth.mcp.list-filtered': 'The list an MCP caller sees depends on the scopes of that caller.',
    'auth.mcp.own-authority': 'A call over MCP is judged by the scopes of its caller.',
    'auth.mcp.no-substitution': 'A tool call never gains the scopes that its route declares.',
    'auth.mcp.same-as-http': 'A caller can do over MCP what it can do over plain HTTP, no more and no less.',
  }),
  ...sentence.built('7', {
    'auth.agent.intersection': 'A run has the scopes that agent and caller share.',
    'auth.agent.expose-scopes': 'Who may start an agent is said by `expose_scopes`, by default its `scopes`.',
  }),
  ...sentence.built('7', {
    'auth.watcher.intersection': 'The agent of a watcher has the scopes that watcher and agent share.',
  }),
  ...sentence.built('8', {
    'auth.device.ingest': 'Sending to a device takes every one of its ingest scopes.',
    'auth.device.read': 'Reading a device takes its read scopes.',
    'auth.device.ingest-only': 'A key that may only ingest can send and is refused when it reads.',
  }),
  ...sentence.built('9', {
    'auth.upgrade.authenticated': 'An upgrade is authenticated the way a request is.',
    'auth.upgrade.scopes': 'An upgrade needs the scopes of the route it is made on.',
    'auth.upgrade.access-token': 'On an upgrade a key is also taken from `access_token` in the query.',
    'auth.upgrade.only-upgrades': '`access_token` in the query of an ordinary request counts for nothing.',
    'auth.upgrade.header-first': '`access_token` counts only when no header carries a credential.',
    'auth.upgrade.never-logged': 'The request log shows the path and never the query.',
  }),
  ...sentence.built('10', {
    'auth.device.public-pages': 'The connect and view pages open without credentials and hold no data.',
  }),
];
