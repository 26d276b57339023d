import { clauses, type Requirement } from './clause.ts';

const row = clauses('service: Errors, ');

/** Table "Errors": eight rows. */
export const serviceErrors: readonly Requirement[] = [
  ...row.built('HTTPError', {
    'error.http-error.status': 'An HTTPError raised by a handler sets the status.',
    'error.http-error.message': 'An HTTPError raised by a handler tells the caller its message.',
  }),
  ...row.built('other exception', {
    'error.exception.bare': 'After any other exception the caller reads `internal error` and nothing more.',
    'error.exception.logged': 'Any other exception is written to the log.',
  }),
  ...row.built('HTTP frame over max_fps', {
    'error.frame.http-too-fast': 'A frame posted faster than `max_fps` is refused with 429.',
  }),
  ...row.built('WebSocket frame over max_fps', {
    'error.frame.socket-too-fast': 'A frame sent by socket faster than `max_fps` is dropped.',
  }),
  ...row.built('frame over max_frame_bytes', {
    'error.frame.too-large': 'A frame with too many bytes is refused.',
  }),
  ...row.built('MCP tool fails', {
    'error.mcp.tool-failed': 'The text of a failure is `tool <tool_name> failed with <status>: <message>`.',
    'error.mcp.tool-failed.is-error': 'A failed tool call is a result with `isError` true.',
  }),
  ...row.built('MCP call to a gated tool', {
    'error.mcp.approval':
      'The text is `tool "<tool_name>" requires human approval and cannot be invoked directly over MCP`.',
    'error.mcp.approval.is-error': 'The refusal of a gated tool is a result with `isError` true.',
  }),
  ...row.built('MCP caller lacks scopes', {
    'error.mcp.scopes.absent': 'A tool beyond the scopes of the caller is missing from its list.',
    'error.mcp.scopes.checked': 'Calling it all the same meets the scope check of the route.',
  }),
];
