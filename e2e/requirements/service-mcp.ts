import { clauses, type Requirement } from './clause.ts';

const sentence = clauses('service: MCP endpoint ');

/** Section "MCP endpoint": six numbered sentences. */
export const serviceMcp: readonly Requirement[] = [
  ...sentence.built('1', {
    'mcp.transport': 'MCP travels as JSON-RPC 2.0 over Streamable HTTP.',
    'mcp.request-object': 'A JSON-RPC request has `jsonrpc`, `id`, `method` and, if needed, `params`.',
  }),
  ...sentence.built('2', {
    'mcp.initialize': 'An MCP client can initialise.',
    'mcp.list': 'An MCP client can list the tools.',
    'mcp.call': 'An MCP client can call a tool.',
    'mcp.ping': 'An MCP client can ping.',
    'mcp.batch': 'Several JSON-RPC messages may come as one array.',
    'mcp.notification': 'A notification is taken and not answered.',
  }),
  ...sentence.built('3', {
    'mcp.list.filtered-by-scopes': 'A caller finds exactly the tools it has all scopes for.',
  }),
  ...sentence.built('4', {
    'mcp.call.own-principal': 'A tool called over MCP runs as the principal who called it.',
    'mcp.call.failure-is-result': 'A tool that fails gives a result with `isError`, not a JSON-RPC error.',
  }),
  ...sentence.built('5', {
    'mcp.call.approval-refused': 'A tool that needs approval is refused over MCP.',
  }),
  ...sentence.built('6', {
    'mcp.shapes':
      'Parameters and results of `initialize` and `tools/call` are those of the MCP specification.',
  }),
];
