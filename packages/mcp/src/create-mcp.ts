import type { RouteTable } from '@waymark/contract';
import type { Awaitable, Dispatcher } from '@waymark/contract/engine';
import type { McpAnswer, McpContext, McpOptions } from './mcp.ts';
import { discover } from './protocol/discover.ts';
import { createDiscoverWire } from './protocol/discover-wire.ts';
import { isRecord } from './protocol/envelope.ts';
import { initialize } from './protocol/initialize.ts';
import { createInitializeWire } from './protocol/initialize-wire.ts';
import { createMethods } from './protocol/methods.ts';
import { metaOf, versionKey } from './protocol/request-meta.ts';
import { isInitializeRevision } from './protocol/revisions.ts';
import { createCatalogue } from './tools/tool-catalogue.ts';
import { checkToolCall, toolsCall } from './tools/tools-call.ts';
import { toolsList } from './tools/tools-list.ts';
import { Patience } from './transport/patience.ts';

/** Stateless MCP server, independent of the transport of its messages. */
export interface Mcp {
  /**
   * Answers one JSON-RPC message or a batch of them; a promise only where something has to be waited for. Neither throws nor
   * rejects.
   *
   * @param message parsed JSON
   */
  handle(message: unknown, context: McpContext): Awaitable<McpAnswer>;
}

/**
 * Serves the tools of a table over MCP, revisions 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28.
 *
 * Only `tool`, `tools` and `dispatch` of table and dispatcher are used. The revision is decided anew for each message.
 */
export function createMcp(
  options: McpOptions & {
    readonly table: Pick<RouteTable, 'tool' | 'tools'>;
    readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  },
): Mcp {
  const { info, table, dispatcher, stepUp, streamAfterMs = 3_000, keepAliveMs = 15_000 } = options;
  const catalogue = createCatalogue(table, options);
  const pace = { patience: new Patience(streamAfterMs), keepAliveMs };
  const listed = { 'tools/list': toolsList(catalogue) };
  const direct = { 'tools/call': toolsCall({ catalogue, dispatcher, stepUp }) };
  const initializeWire = createInitializeWire(
    createMethods({ initialize: initialize(info), ping: () => '{}', ...listed }, { direct }),
    pace,
  );
  const discoverWire = createDiscoverWire(
    createMethods({ 'server/discover': discover(options), ...listed }, { direct, opening: openingOf(info) }),
    checkToolCall(catalogue),
    pace,
  );
  return {
    handle(message, context) {
      const wire = standsAlone(message, context) ? discoverWire : initializeWire;
      return wire.handle(message, context);
    },
  };
}

/**
 * Whether a message follows the rules of 2026-07-28: it says so in its body or in its headers. A revision that nobody
 * knows counts too, since only those rules have an answer that says which ones are served.
 *
 * Who opens with `initialize` wants the older rules, whatever the headers are: bridges repeat the method of every
 * message in `Mcp-Method`, of those too.
 */
function standsAlone(message: unknown, { headers = {} }: McpContext): boolean {
  if (isRecord(message)) {
    const { method, params } = message;
    const meta = isRecord(params) ? metaOf({ params }) : undefined;
    if (meta && Object.hasOwn(meta, versionKey)) return true;
    if (method === 'initialize') return false;
  }
  const version = headers['mcp-protocol-version'];
  return version === undefined ? headers['mcp-method'] !== undefined : !isInitializeRevision(version);
}

/** What every result of 2026-07-28 begins with. */
function openingOf({ name, version }: McpOptions['info']): string {
  const opening = {
    resultType: 'complete',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name, version } },
  };
  return JSON.stringify(opening).slice(1, -1);
}
