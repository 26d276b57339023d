import type { Dispatcher, RouteTable } from '@waymark/contract';
import { initialize } from './initialize.ts';
import { createInitializeWire } from './initialize-wire.ts';
import type { McpAnswer, McpContext, McpOptions } from './mcp.ts';
import { createMethods } from './methods.ts';
import { isRevision, revisions } from './revisions.ts';
import { invalidRequest, toErrorText } from './rpc-text.ts';
import { createCatalogue } from './tool-catalogue.ts';
import { toolsCall } from './tools-call.ts';
import { toolsList } from './tools-list.ts';

/** Answers MCP messages, whatever carried them. Keeps nothing between two of them. */
export interface Mcp {
  /**
   * Answers one JSON-RPC message or a batch of them. Never rejects.
   *
   * @param message parsed JSON
   */
  handle(message: unknown, context: McpContext): Promise<McpAnswer>;
}

/**
 * Serves the tools of a table over MCP, revisions 2025-03-26, 2025-06-18 and 2025-11-25.
 *
 * The table and the dispatcher may be anybody's: only `tool`, `tools` and `dispatch` are asked. Which revision's rules
 * hold is decided anew for each message.
 */
export function createMcp(
  options: McpOptions & {
    readonly table: Pick<RouteTable, 'tool' | 'tools'>;
    readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  },
): Mcp {
  const { info, table, dispatcher } = options;
  const catalogue = createCatalogue(table);
  const methods = createMethods({
    initialize: initialize(info),
    ping: () => '{}',
    'tools/list': toolsList(catalogue),
    'tools/call': toolsCall({ catalogue, dispatcher }),
  });
  const wire = createInitializeWire(methods);
  return {
    async handle(message, context) {
      const { protocolVersion } = context;
      if (protocolVersion === undefined || isRevision(protocolVersion)) return wire.handle(message, context);
      return unsupported(protocolVersion);
    },
  };
}

/** Clients of newer revisions probe with theirs; told so, they come back with `initialize`. */
function unsupported(requested: string): McpAnswer {
  const rule = 'unsupported MCP-Protocol-Version';
  return { status: 400, body: toErrorText(null, invalidRequest, rule, { supported: revisions, requested }) };
}
