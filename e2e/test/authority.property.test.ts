import {
  callTool,
  createRouteTable,
  type Route,
  type RouteTable,
  type ToolResult,
  toRoute,
} from '@waymark/contract';
import type { EngineContext, Via } from '@waymark/contract/engine';
import { narrow, type Principal } from '@waymark/contract/principal';
import type { RunScope } from '@waymark/contract/runs';
import type { AuditEvent } from '@waymark/contract/stores';
import { byTier, verifies } from '@waymark/contract/testing';
import { createDispatcher } from '@waymark/core-routes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unjournaledRunner } from './unjournaled-runner.ts';

/** One tool of a generated application. It calls tools declared after it, so that every tree of calls ends. */
interface Plan {
  readonly kind: 'handler' | 'agent' | 'behaviour' | 'flow';
  /** Needed to reach it. */
  readonly scopes: readonly string[];
  /** What its run may do at most; a handler hands its caller on as it is. */
  readonly grants: readonly string[];
  /** After the first call the run is handed to somebody with these scopes, if any. */
  readonly handoff: readonly string[] | undefined;
  /** How far after itself each tool that it calls stands. */
  readonly calls: readonly number[];
}

/** Who calls: a caller by its door, or a run, as itself or as somebody it handed over to. */
type By =
  | { readonly via: Via; readonly principal: Principal }
  | { readonly via: Via; readonly scope: RunScope; readonly principal?: Principal };

/** One use of a tool that came to its engine, and who it was for. */
interface Reached {
  readonly tool: string;
  readonly principal: Principal;
}

// Spelt to tempt: prefixes, wildcards and another case must not count as one of the others.
const scope = fc.constantFrom('a', 'b', 'a:b', 'a:*', '*', 'A');
const scopes = fc.uniqueArray(scope);
const few = fc.uniqueArray(scope, { maxLength: 2 });

const plan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constantFrom('handler', 'agent', 'behaviour', 'flow'),
  scopes: few,
  grants: scopes,
  handoff: fc.option(scopes, { nil: undefined }),
  calls: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
});
const plans = fc.array(plan, { minLength: 1, maxLength: 7 });
const caller: fc.Arbitrary<Principal> = fc.record({
  id: fc.constantFrom('key', 'watcher:w'),
  rootId: fc.constantFrom('key', 'watcher:w'),
  authenticated: fc.boolean(),
  scopes,
});
const door: fc.Arbitrary<Via> = fc.constantFrom('http', 'mcp', 'socket', 'watcher');

/** Calls the first tool of an application and returns everything that this set in motion. */
async function run(given: readonly Plan[], principal: Principal, via: Via) {
  const reached: Reached[] = [];
  const events: AuditEvent[] = [];
  const table = createRouteTable(given.map((one, i) => toolOf(one, i, reached))).freeze();
  const dispatcher = createDispatcher(table, {
    runner: unjournaledRunner(),
    emit: (event) => events.push(event),
  });
  const route = toolAt(table, 0);
  const result = await callTool(dispatcher, { route, arguments: {}, principal, via, requestId: 'r' });
  return { reached, events, result };
}

function toolOf(one: Plan, i: number, reached: Reached[]): Route {
  const answer = async (context: EngineContext): Promise<null> => {
    reached.push({ tool: `t${i}`, principal: context.principal });
    const call = (distance: number, by: By) => {
      const route = context.table.tool(`t${i + distance}`);
      const { dispatcher, requestId } = context;
      return route && callTool(dispatcher, { route, arguments: {}, requestId, ...by });
    };
    if (one.kind === 'handler') {
      const { via, principal } = context;
      for (const distance of one.calls) await call(distance, { via, principal });
      return null;
    }
    const { kind, grants, handoff } = one;
    await context.openRun(
      { kind, name: `t${i}`, codeVersion: '1', scopes: grants, tokenBudget: null, maxSteps: null },
      async (scope) => {
        for (const [n, distance] of one.calls.entries()) {
          // Whoever takes over is narrowed once more; without one, the call is the run's own.
          const other = n > 0 && handoff && narrow(scope.principal, 'agent:other', handoff);
          await call(distance, { via: kind, scope, ...(other && { principal: other }) });
        }
        return { status: 'completed', value: null };
      },
    );
    return null;
  };
  const durability = one.kind === 'handler' ? {} : { durability: 'run' as const };
  return toRoute(
    'POST',
    `/t${i}`,
    { kind: one.kind, ...durability, answer },
    { tool: true, toolName: `t${i}`, scopes: one.scopes },
  );
}

function toolAt(table: RouteTable, i: number): Route {
  const route = table.tool(`t${i}`);
  if (!route) throw new Error(`no tool t${i}`);
  return route;
}

/**
 * What must happen, said without `narrow` and `holds`: a tool is reached when everybody on the chain to it, from the
 * caller over each run and handoff as they were declared, has each of its scopes.
 *
 * @param chain the scopes of everybody on it
 */
function predict(
  given: readonly Plan[],
  i: number,
  chain: readonly (readonly string[])[],
): readonly [tool: string, ok: boolean][] {
  const one = given[i];
  if (!one) return [];
  const ok = one.scopes.every((needed) => chain.every((held) => held.some((scope) => scope === needed)));
  const uses = one.calls.flatMap((distance, n) => {
    if (one.kind === 'handler') return predict(given, i + distance, chain);
    const handed = n > 0 && one.handoff ? [one.handoff] : [];
    return predict(given, i + distance, [...chain, one.grants, ...handed]);
  });
  return [[`t${i}`, ok], ...(ok ? uses : [])];
}

describe('authority in a tree of calls', () => {
  it('reaches a tool exactly when everybody on the chain to it holds its scopes', async () => {
    verifies('auth.route-scopes', 'authority.scopes.equality', 'authority.scopes.all', 'door.same-checks');
    verifies('auth.mcp.own-authority', 'auth.mcp.no-substitution');
    await fc.assert(
      fc.asyncProperty(plans, caller, door, async (given, principal, via) => {
        const { reached, events } = await run(given, principal, via);
        const predicted = predict(given, 0, [principal.scopes]);
        expect(reached.map(({ tool }) => tool)).toEqual(
          predicted.flatMap(([tool, ok]) => (ok ? [tool] : [])),
        );
        const uses = events.map(({ route, kind }) => [route, kind]);
        const expected = predicted.map(([tool, ok]) => [tool, ok ? 'tool_called' : 'tool_refused']);
        expect(uses.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: byTier({ quick: 100, slow: 400, drill: 10_000 }) },
    );
  });

  it('never gives a run a scope its caller lacks, and never changes who began', async () => {
    verifies('authority.narrow.only-shrinks', 'authority.narrow.root-id');
    await fc.assert(
      fc.asyncProperty(plans, caller, door, async (given, principal, via) => {
        const { reached } = await run(given, principal, via);
        for (const { principal: acting } of reached) {
          expect(principal.scopes).toEqual(expect.arrayContaining([...acting.scopes]));
          expect(acting.rootId).toBe(principal.rootId);
          expect(acting.authenticated).toBe(principal.authenticated);
        }
      }),
      { numRuns: byTier({ quick: 100, slow: 200, drill: 2_000 }) },
    );
  });

  it('answers 401 to an anonymous caller without the scopes and 403 to another', async () => {
    verifies('http.order.scopes');
    await fc.assert(
      fc.asyncProperty(plans, caller, door, async (given, principal, via) => {
        const { result } = await run(given, principal, via);
        const [[, ok] = ['', false]] = predict(given, 0, [principal.scopes]);
        const refused = principal.authenticated ? 403 : 401;
        const expected: ToolResult['status'] = ok ? 200 : refused;
        expect(result.status).toBe(expected);
      }),
      { numRuns: byTier({ quick: 100, slow: 150, drill: 500 }) },
    );
  });
});
