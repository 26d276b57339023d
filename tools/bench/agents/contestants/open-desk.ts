import { type AgentDeclaration, agent } from '@waymark/agents';
import { createRouteTable, defineRoute, type Route, Type, type Values } from '@waymark/contract';
import type { Plugin, RouteResponse } from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import type { Principal } from '@waymark/contract/principal';
import { createAuditLog, createDispatcher, createHost, createIds, startPlugins } from '@waymark/core-routes';
import { openDatabase, type SqlDatabase, sqlRunStore, sqlSessionStore } from '@waymark/data';
import { sqlStores } from '@waymark/data/stores';
import { createRunner, type StartableRunner } from '@waymark/runs';
import { readTicket, system, tool, wholeTokens } from '../question.ts';

/** Who calls. */
export const caller: Principal = {
  id: 'caller',
  rootId: 'caller',
  authenticated: true,
  scopes: ['svc:admin', 'tickets:read', 'tickets:write'],
};

/** The desk of agents without a server: packages alone, composed by hand. */
export interface Desk {
  readonly database: SqlDatabase;
  readonly runner: StartableRunner;
  /** Runs a route by its name. */
  call(name: string, values: Values): Promise<RouteResponse>;
  /** Ends what happens by the clock, and closes the database. */
  close(): Promise<void>;
}

/** How the desk is opened. */
export interface DeskOptions {
  /** `normal` is safe from the end of the process, `full` from the end of the power. */
  readonly synchronous: 'full' | 'normal';
  /** What agents think with. */
  readonly models: ModelClient;
  /** Agents, behaviours and flows. */
  readonly plugins: readonly Plugin[];
  /** More tools than the one that reads a ticket. */
  readonly routes?: readonly Route[];
}

/** Declares the agent that all contestants are. */
export function clerk(tools: readonly string[] = [tool.name]): AgentDeclaration {
  return agent('clerk', { system, maxTokens: wholeTokens, tools, scopes: ['tickets:read', 'tickets:write'] });
}

/** Opens the desk on a file: journal, sessions, ledger and audit log are kept there. */
export async function openDesk(
  file: string,
  { synchronous, models, plugins: drivers, routes = [] }: DeskOptions,
): Promise<Desk> {
  const database = await openDatabase(`sqlite://${file}`, { synchronous });
  const stores = sqlStores(database);
  const runner = createRunner({ store: sqlRunStore(database), sessions: sqlSessionStore(database) });
  const plugins = [runner.plugin, ...drivers];
  const table = createRouteTable([readRoute, ...routes, ...plugins.flatMap((one) => one.routes)]).freeze();
  const newId = createIds();
  const audit = createAuditLog(stores.audit, { now: Date.now, newId, log: () => {} });
  const dispatcher = createDispatcher(table, { runner, emit: audit.emit, controlRule: () => undefined });
  const host = createHost({ ...{ table, dispatcher, stores, runner, models, newId }, emit: audit.emit });
  const started = await startPlugins(plugins, host);
  await started.ready();
  return {
    ...{ database, runner },
    close: async () => {
      await started.stop();
      await database.close();
    },
    call: async (name, values) => {
      const route = table.get(name);
      if (!route) throw new Error(`no route ${name}`);
      return dispatcher.dispatch({
        ...{ route, input: { by: 'arguments', values }, principal: caller },
        ...{ via: 'http', requestId: newId() },
      });
    },
  };
}

const readRoute = defineRoute(
  'GET',
  '/tickets/{id}',
  {
    ...{ tool: true, toolName: tool.name, summary: tool.description, scopes: ['tickets:read'] },
    input: { id: Type.Integer({ description: tool.idDescription }) },
  },
  ({ id }) => readTicket(id),
);
