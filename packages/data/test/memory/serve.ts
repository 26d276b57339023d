import { createRouteTable, type Values } from '@waymark/contract';
import { type EngineContext, type Plugin, toDetail, toErrorResponse } from '@waymark/contract/engine';
import { holds, type Principal, scopeRefusal } from '@waymark/contract/principal';
import type { Step } from '@waymark/contract/runs';
import { validateValue } from '@waymark/contract/schema';
import { testHost } from '@waymark/contract/testing';
import type { SqlDatabase } from '../../src/index.ts';
import { createSqlRoutes, type MemoryDeclaration } from '../../src/index.ts';
import { fileDatabase } from '../open.ts';

/** What a caller saw. */
export interface Answer {
  readonly status: number;
  readonly value: unknown;
}

/** Memories at work, asked by the names of their tools. */
export interface ServedMemories {
  readonly database: SqlDatabase;
  readonly plugin: Plugin;
  readonly host: ReturnType<typeof testHost>;
  ask(principal: Principal, tool: string, input: Values, step?: Step): Promise<Answer>;
}

/** Somebody who signed in. */
export function person(id: string, ...scopes: string[]): Principal {
  return { id, rootId: id, authenticated: true, scopes };
}

/** Starts memories in a file of the test, or in a database that is open. */
export async function serveMemories(
  declarations: readonly MemoryDeclaration[],
  database?: SqlDatabase,
): Promise<ServedMemories> {
  const opened = database ?? (await fileDatabase());
  const plugin = createSqlRoutes(declarations, opened);
  const table = createRouteTable(plugin.routes).freeze();
  const host = testHost({ table });
  await plugin.start?.(host);
  return {
    database: opened,
    plugin,
    host,
    ask: async (principal, tool, input, step) => {
      const route = table.tool(tool);
      if (!route) throw new Error(`no tool ${tool}`);
      const call = { route, principal } as Parameters<NonNullable<Plugin['guards']>[number]>[0];
      try {
        // The order of a dispatcher: guards, scopes, input, engine.
        for (const guard of plugin.guards ?? []) {
          const refusal = guard(call);
          if (refusal) throw refusal;
        }
        if (!holds(principal, route.scopes)) throw scopeRefusal(principal, route.scopes);
        const filled = { ...defaultsOf(route.inputSchema), ...input };
        const errors = validateValue(route.inputSchema, filled);
        if (errors.length > 0) return { status: 422, value: toDetail(errors) };
        const context = { route, principal, input: filled, step, signal: host.signal };
        // What engines of memories read of a context.
        return { status: 200, value: await route.engine.answer?.(context as unknown as EngineContext) };
      } catch (error) {
        const { status, body } = toErrorResponse(error);
        if (status === 500) throw error;
        return { status, value: body.kind === 'problem' ? body.detail : body };
      }
    },
  };
}

function defaultsOf(schema: object): Values {
  const { properties = {} } = schema as { properties?: Record<string, { default?: unknown }> };
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
