import type { McpOptions } from './mcp.ts';
import type { Method } from './methods.ts';
import { isRevision, type Revision, revisions } from './revisions.ts';

/**
 * Opens a conversation: agrees to the client's revision when it is served, else offers the newest. Never an error, and
 * never a session id: nothing is remembered.
 */
export function initialize({ name, version, instructions }: McpOptions['info']): Method {
  const [newest] = revisions;
  const toText = (protocolVersion: Revision): string =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name, version },
      ...(instructions && { instructions }),
    });
  return ({ protocolVersion }) => toText(isRevision(protocolVersion) ? protocolVersion : newest);
}
