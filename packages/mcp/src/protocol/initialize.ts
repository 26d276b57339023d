import type { McpOptions } from '../mcp.ts';
import type { Method } from './methods.ts';
import { type InitializeRevision, initializeRevisions, isInitializeRevision } from './revisions.ts';

/**
 * Opens a conversation: agrees to the client's revision when it is served, else offers the newest that opens so. Never
 * an error, and never a session id: nothing is remembered.
 */
export function initialize({ name, version, instructions }: McpOptions['info']): Method {
  const [newest] = initializeRevisions;
  const toText = (protocolVersion: InitializeRevision): string =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name, version },
      ...(instructions && { instructions }),
    });
  return ({ protocolVersion }) => toText(isInitializeRevision(protocolVersion) ? protocolVersion : newest);
}
