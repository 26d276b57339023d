import { type Route, type RouteTable, toRoute } from '@waymark/contract';
import { agentBodyBytes } from '../agent/agent-input.ts';
import type { AgentSettings } from '../agent/agent-settings.ts';
import { AgentSocket } from './agent-socket.ts';

/**
 * The socket of an agent, on the path of its route and with its scopes (service, Agent WebSocket protocol).
 *
 * @param turns the route that a turn is a call of
 */
export function agentSocketRoute(settings: AgentSettings, turns: Route): Route {
  const { name, exposeAt, exposeScopes, declaredAt } = settings;
  return toRoute(
    'GET',
    exposeAt,
    {
      kind: 'agent',
      accept: (peer, context) => new AgentSocket(peer, context, inTable(context.table, turns)).open(name),
    },
    {
      ...{ toolName: `${name}_socket`, scopes: exposeScopes, declaredAt, placement: 'owner', socket: true },
      maxBodyBytes: agentBodyBytes(settings),
      // It begins runs.
      readOnly: false,
      idempotent: false,
      summary: `Turns of the agent ${name} over a WebSocket.`,
    },
  );
}

/** The route as its table keeps it: where a name was taken, it stands there under another. */
function inTable(table: RouteTable, { name, engine }: Route): Route {
  const route = table.get(name);
  if (route?.engine === engine) return route;
  const other = [...table].find((one) => one.engine === engine);
  if (!other) throw new Error(`route ${name} is in no table`);
  return other;
}
