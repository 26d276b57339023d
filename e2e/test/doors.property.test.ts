import type { Json, Route } from '@waymark/contract';
import type { AuditEvent } from '@waymark/contract/stores';
import { byTier, verifies } from '@waymark/contract/testing';
import { refusalOverMcp, toolFailure } from '@waymark/contract/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsFor, type RoutePlan, routePlan, scope, toGeneratedRoute } from './generated-route.ts';
import { type HttpAnswer, type Outcome, serveTwoDoors } from './two-doors.ts';

const secrets = ['key-number-one-0123', 'key-number-two-0123'] as const;

/** One use of one route; without a key the caller is anonymous. */
interface Use {
  readonly values: Readonly<Record<string, Json>>;
  readonly key: string | undefined;
}

/** An application that was made up, and what is asked of it. */
interface Application {
  readonly scopes: readonly [readonly string[], readonly string[]];
  readonly routes: readonly { readonly plan: RoutePlan; readonly uses: readonly Use[] }[];
}

function applications(
  approval: RoutePlan['approval'],
  keys: readonly (string | undefined)[],
): fc.Arbitrary<Application> {
  const use = (plan: RoutePlan): fc.Arbitrary<Use> =>
    fc.record({ values: argumentsFor(plan), key: fc.constantFrom(...keys) });
  const route = routePlan.chain((made) => {
    const plan = { ...made, approval };
    return fc.record({ plan: fc.constant(plan), uses: fc.array(use(plan), { minLength: 1, maxLength: 5 }) });
  });
  return fc.record({
    scopes: fc.tuple(fc.uniqueArray(scope), fc.uniqueArray(scope)),
    routes: fc.array(route, { minLength: 1, maxLength: 4 }),
  });
}

/** One use, made at both doors. */
interface Pair {
  readonly route: Route;
  /** The status that a caller without the scopes of the route must get; undefined for one who has them. */
  readonly refused: 401 | 403 | undefined;
  readonly http: Outcome;
  readonly mcp: Outcome;
}

/** Makes each use of an application at both doors, one after the other, and hands both outcomes to `check`. */
async function atBothDoors({ scopes, routes }: Application, check: (pair: Pair) => void): Promise<void> {
  const served = routes.map(({ plan, uses }, i) => ({ route: toGeneratedRoute(plan, i), uses }));
  const keys: Readonly<Record<string, readonly string[]>> = {
    [secrets[0]]: scopes[0],
    [secrets[1]]: scopes[1],
  };
  const doors = await serveTwoDoors(
    served.map(({ route }) => route),
    keys,
  );
  try {
    for (const { route, uses } of served)
      for (const { values, key } of uses) {
        const held = (key !== undefined && keys[key]) || [];
        const lacking = key === undefined ? 401 : 403;
        const refused = route.scopes.every((one) => held.includes(one)) ? undefined : lacking;
        const http = await doors.byHttp(route, values, key);
        check({ route, refused, http, mcp: await doors.byMcp(route, values, key) });
      }
  } finally {
    await doors.close();
  }
}

/** What a caller reads of an answer by MCP. */
interface Result {
  readonly isError: boolean;
  readonly text: string;
}

function resultOf({ answer }: Outcome): Result {
  const { result } = JSON.parse(answer.text) as { result: { content: [{ text: string }]; isError: boolean } };
  return { isError: result.isError, text: result.content.map(({ text }) => text).join('\n') };
}

/** The same answer by HTTP, put the way MCP has to put it. */
function asResult({ name }: Route, { answer }: Outcome): Result {
  const { status } = answer;
  if (status >= 400) return { isError: true, text: toolFailure(name, status, detailOf(answer)) };
  return { isError: false, text: answer.text === '' ? 'null' : textOf(answer.text) };
}

/** The message of a problem, or the handler's own words when it replied with an error. */
function detailOf({ contentType, text }: HttpAnswer): string {
  return contentType === 'application/problem+json'
    ? (JSON.parse(text) as { detail: string }).detail
    : textOf(text);
}

/** A string is its own text, any other value its JSON. */
function textOf(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** The events without what must differ: the door, and how long it took. */
function audited({ events }: Outcome, via: string): readonly AuditEvent[] {
  return events.map((event) => {
    const { via: door, duration_ms: took, ...same } = event;
    return { ...same, atItsDoor: door === via, took: typeof took };
  });
}

const everybody = [undefined, ...secrets];

describe('a tool at both doors', () => {
  it('has the same outcome for the same principal and arguments', async () => {
    verifies(
      'door.equal-status',
      'door.equal-detail',
      'door.by-route',
      'door.same-checks',
      'face.packages-alone',
    );
    verifies('auth.mcp.same-as-http', 'auth.mcp.own-authority', 'auth.mcp.no-substitution');
    verifies('error.mcp.tool-failed', 'error.mcp.tool-failed.is-error', 'error.mcp.scopes.checked');
    verifies('mcp.call.own-principal', 'mcp.call.failure-is-result');
    await fc.assert(
      fc.asyncProperty(applications('never', everybody), (application) =>
        atBothDoors(application, ({ route, refused, http, mcp }) => {
          const { status } = http.answer;
          const kind = refused === undefined ? 'tool_called' : 'tool_refused';
          expect(http.events).toMatchObject([
            { kind, route: route.name, status: refused ?? status, via: 'http' },
          ]);
          expect(mcp.answer.status).toBe(200);
          expect(resultOf(mcp)).toEqual(asResult(route, http));
          expect(audited(mcp, 'mcp')).toEqual(audited(http, 'http'));
        }),
      ),
      { numRuns: byTier({ quick: 30, slow: 40, drill: 75 }) },
    );
  });

  it('is refused over MCP when gated, after the scopes and before its arguments are looked at', async () => {
    verifies('gate.mcp.after-scopes', 'gate.mcp.before-validation', 'gate.mcp.bare', 'gate.http');
    verifies('mcp.call.approval-refused', 'route.option.approval.mcp', 'state.gate.no-direct-mcp');
    verifies('error.mcp.approval', 'error.mcp.approval.is-error');
    await fc.assert(
      fc.asyncProperty(applications('required', everybody), (application) =>
        atBothDoors(application, ({ route, refused, http, mcp }) => {
          const kind = refused === undefined ? 'tool_called' : 'tool_refused';
          expect(http.events).toMatchObject([{ kind, status: refused ?? http.answer.status }]);
          const refusal = { isError: true, text: refusalOverMcp(route.name) };
          expect(resultOf(mcp)).toEqual(refused === undefined ? refusal : asResult(route, http));
          const principal = http.events[0]?.['principal'];
          expect(mcp.events).toMatchObject([
            { kind: 'tool_refused', status: refused ?? 403, via: 'mcp', principal },
          ]);
        }),
      ),
      { numRuns: byTier({ quick: 10, slow: 14, drill: 25 }) },
    );
  });

  it('is out of reach for a wrong credential, whatever the route asks for', async () => {
    verifies('authority.wrong-credential', 'http.order.authenticate');
    const wrong = ['', 'nobody', `${secrets[0]}x`, `${secrets[0]}, ${secrets[1]}`];
    await fc.assert(
      fc.asyncProperty(applications('never', wrong), (application) =>
        atBothDoors(application, ({ http, mcp }) => {
          expect([http.answer.status, mcp.answer.status]).toEqual([401, 401]);
          expect(detailOf(mcp.answer)).toBe(detailOf(http.answer));
          expect([...http.events, ...mcp.events]).toEqual([]);
        }),
      ),
      { numRuns: 10 },
    );
  });
});
