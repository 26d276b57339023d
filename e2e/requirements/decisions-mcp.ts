import { clauses, type Requirement } from './clause.ts';

const decision = clauses('decisions ');

/** Decisions 4.1 to 4.6: tools and MCP. */
export const decisionsMcp: readonly Requirement[] = [
  ...decision.built('4.1', {
    'name.verbs':
      'Names begin with `get`, `create` (POST), `replace` (PUT), `update` (PATCH) or `delete`, else the method.',
    'name.segments': 'After the verb come the segments; other characters become `_`.',
    'name.root': 'The path `/` reads `root`.',
    'name.alphabet': 'A name has 1 to 64 characters out of `[a-zA-Z0-9_-]`.',
    'name.cut': 'A longer name is cut and ends in a stable hash of 6 characters.',
    'name.operation-id': 'The name of a route is its `operationId` in OpenAPI.',
    'name.client-method': 'The name of a route in camelCase is its client method.',
    'name.collision.tools': 'Two tools that would bear the same name fail the boot.',
    'name.collision.others': 'Other routes that collide are told apart by a stable suffix.',
    'descriptor.example': 'The descriptor of the example in the specification is exactly the one decided.',
    'descriptor.four-members': 'A row of the tool listing is name, description, inputSchema and annotations.',
    'descriptor.output-schema': '`outputSchema` appears only where an output is declared.',
    'descriptor.destructive': '`destructiveHint` appears only for DELETE or when set.',
    'descriptor.meta': '`_meta["waymark/requiresApproval"]` appears on gated tools only.',
  }),
  ...decision.built('4.1', {
    'name.declared': 'Agents, behaviours and flows are tools under their declared names.',
  }),
  ...decision.built('4.2', {
    'door.by-route': 'A tool call is addressed to its route; no URL is put together for it.',
    'door.same-checks': 'The dispatcher validates, authorises and times a tool call like a request.',
    'door.equal-status':
      'The same principal with the same typed arguments gets the same status by HTTP and by MCP.',
    'door.equal-detail': 'The text over MCP has the same detail as the problem over HTTP.',
    'door.equal-audit': 'Both doors leave the same audit event.',
  }),
  ...decision.built('4.3', {
    'gate.mcp.after-scopes': 'Over MCP a caller without the scopes learns nothing of the gate.',
    'gate.mcp.before-validation': 'Over MCP a gated tool is refused before its arguments are looked at.',
    'gate.mcp.code': 'That refusal is a 403 with `code: "approval_required"`.',
    'gate.mcp.bare': 'The text of that refusal stands alone, without `tool … failed with` before it.',
    'gate.http': 'By direct HTTP a caller with the scopes passes the gate.',
    'gate.batch': 'A batch is no way around the gate.',
    'gate.mcp.audited': 'That refusal is in the audit log.',
  }),
  ...decision.built('4.3', {
    'gate.socket-turns': 'A turn on a socket passes the gate like direct HTTP.',
  }),
  ...decision.built('4.3', {
    'gate.runs': 'Every call made by an agent, behaviour, flow or watcher meets the gate.',
    'gate.by-door': 'The door a call came through decides, not what stands behind it.',
    'gate.no-way-around': 'Nesting, gathering and handing off are no way around the gate.',
  }),
  ...decision.built('4.4', {
    'mcp.revision.2025-03-26': 'MCP is served on revision 2025-03-26.',
    'mcp.revision.2025-06-18': 'MCP is served on revision 2025-06-18.',
    'mcp.revision.2025-11-25': 'MCP is served on revision 2025-11-25.',
    'mcp.stateless': 'One endpoint serves all revisions and keeps no session.',
    'mcp.arrays': 'Arrays are taken on the three older revisions.',
    'mcp.arrays.bounded': 'The answers of one batch are bounded together, lists closer than tools.',
    'mcp.idempotency':
      'A call that `_meta["waymark/idempotency-key"]` names starts one run, as the header does over HTTP, and is -32602 if that is no key.',
    'mcp.unknown-tool': 'Calling a tool that does not exist is the JSON-RPC error -32602.',
    'mcp.revision.2026-07-28': 'MCP is served on revision 2026-07-28.',
    'mcp.check-order': 'The checks of a message come in the order that its revision asks for.',
    'mcp.disconnect':
      'A client that goes away cancels its call on 2026-07-28, and nothing on older revisions.',
  }),
  ...decision.built('4.5', {
    'mcp.result.json-text': 'The text of a result is the JSON of the value.',
    'mcp.result.string': 'A string is its own text, without quotes.',
    'mcp.result.structured': '`structuredContent` is given only where an output is declared.',
    'mcp.result.numbers':
      'The text of a result has each number as it came; structured content that would change an integer is a failure.',
    'mcp.result.structured-wrapped': 'Structured content that is no object is wrapped as `{result}`.',
    'mcp.result.images': 'Image markers become items of type `image` with `data` and `mimeType`.',
    'mcp.result.binary-text': 'Binary results of a text type come as a string.',
    'mcp.result.binary-resource': 'Other binary results come as an embedded resource, up to a cap.',
  }),
  ...decision.built('4.5', {
    'mcp.result.waiting': 'A run that waits for a human is a normal result with the envelope as text.',
  }),
  ...decision.built('4.6', {
    'mcp.list.only-own': 'Over MCP and on `GET /tools` a caller sees its own tools only.',
    'mcp.list.order': 'Both list tools in the order in which they were declared.',
  }),
  ...decision.built('4.4', {
    'mcp.auth.challenge':
      'A caller without a good credential is told the realm, and `resource_metadata` where an issuer of tokens is declared.',
    'mcp.auth.insufficient-scope':
      'A caller who lacks a scope is told `error="insufficient_scope"` and the scopes that are needed.',
    'mcp.auth.metadata':
      'Where an issuer is declared, the metadata of RFC 9728 says who issues tokens for the endpoint.',
    'mcp.auth.scopes': 'A 401 of the endpoint and its metadata name the scopes of the gate and of all tools.',
    'mcp.auth.step-up':
      'A call that lacks a scope of its tool is a 403 with the scopes to ask for, for tokens of an issuer; a result for others.',
    'mcp.auth.step-up.alone': 'In a batch, and on a stream that has begun, it is a result for everybody.',
    'mcp.cors':
      'Clients in pages of origins that `cors` lists may send the headers of MCP and read its challenge.',
    'mcp.auth.metadata.hosts': 'That metadata needs no credential and is given for our own hosts only.',
    'mcp.auth.json-404': 'Where there is no OAuth metadata its paths are a problem document, never a page.',
  }),
];
