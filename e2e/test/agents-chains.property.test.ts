import { byTier, verifies } from '@waymark/contract/testing';
import type { Application, RouteRequest } from '@waymark/server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Caller,
  fewScopes,
  scopes,
  startThinking,
  type ThinkingApplication,
} from './agents-application.ts';

/** What each agent may do. None of them is a subset of all others. */
const agents: Readonly<Record<string, readonly string[]>> = {
  clerk: ['read', 'write', 'devices:read', 'devices:ingest'],
  reader: ['read', 'devices:read'],
  writer: ['write', 'devices:ingest'],
  guard: ['devices:read', 'devices:ingest'],
  admin: ['read', 'write', 'svc:admin'],
  nobody: [],
};
const names = Object.keys(agents);

/** What one turn of an agent does. */
type Act =
  | { readonly kind: 'look' }
  | { readonly kind: 'handoff'; readonly to: string }
  | { readonly kind: 'delegate'; readonly to: string; readonly acts: readonly Act[] };

const agent = fc.constantFrom(...names);
const actsOf = (depth: number): fc.Arbitrary<readonly Act[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<Act>({ kind: 'look' }) },
      { weight: 2, arbitrary: agent.map((to): Act => ({ kind: 'handoff', to })) },
      ...(depth === 0
        ? []
        : [
            {
              weight: 2,
              arbitrary: fc
                .record({ to: agent, acts: actsOf(depth - 1) })
                .map(({ to, acts }): Act => ({ kind: 'delegate', to, acts })),
            },
          ]),
    ),
    { maxLength: 5 },
  );

/** The acts in the words of the simulator. No agent calls or hands over to itself: it goes on instead. */
function toScript(acts: readonly Act[], start: string): string {
  let self = start;
  const turns = acts.map((act): string => {
    if (act.kind === 'look' || act.to === self) return '[[call look {}]]';
    if (act.kind === 'delegate')
      return `[[call ${act.to} ${JSON.stringify({ input: toScript(act.acts, act.to) })}]]`;
    self = act.to;
    return `[[handoff ${act.to} they know more]]`;
  });
  return `${turns.join(' ')} [[call look {}]] [[say Done.]]`;
}

/** Whoever looked: who they were, and what they could do. */
interface Look {
  readonly id: string;
  readonly rootId: string;
  readonly scopes: readonly string[];
}

const both = (one: readonly string[], other: readonly string[]): readonly string[] =>
  one.filter((scope) => other.includes(scope));

/** What must be seen: authority only shrinks, by every agent on the way. */
function expectedLooks(
  acts: readonly Act[],
  start: string,
  from: readonly string[],
  rootId: string,
): readonly Look[] {
  let self = start;
  let held = both(from, agents[start] ?? []);
  const look = (): Look => ({ id: `agent:${self}`, rootId, scopes: held });
  const seen = acts.flatMap((act): readonly Look[] => {
    if (act.kind === 'look' || act.to === self) return [look()];
    if (act.kind === 'delegate') return expectedLooks(act.acts, act.to, held, rootId);
    self = act.to;
    held = both(held, agents[act.to] ?? []);
    return [];
  });
  return [...seen, look()];
}

describe('chains of delegation and handoff', () => {
  let app: ThinkingApplication;
  let seen: Look[] = [];
  const declare = (one: Application): void => {
    one.get('/look', { tool: true, toolName: 'look', summary: 'Looks.' }, (_, { user }: RouteRequest) => {
      seen.push({ id: user.id, rootId: user.root_id ?? '', scopes: user.scopes });
      return 'seen';
    });
    for (const [name, scopes] of Object.entries(agents)) {
      const others = names.filter((other) => other !== name);
      one.agent(name, {
        scopes,
        exposeScopes: [],
        public: true,
        tools: ['look', ...others],
        handoffs: others,
      });
    }
  };
  beforeAll(async () => {
    app = await startThinking(declare);
  });
  afterAll(() => app.close());

  it.each<readonly [string, Caller, readonly string[]]>([
    ['ann', 'ANN_KEY', scopes],
    ['cat', 'CAT_KEY', fewScopes],
  ])('never widen what %s may do, and always say on whose behalf', async (caller, key, held) => {
    verifies(
      'authority.run.nested',
      'authority.run.handoff',
      'authority.run.root-id',
      'agent.handoff.scopes',
    );
    await fc.assert(
      fc.asyncProperty(agent, actsOf(2), async (start, acts) => {
        seen = [];
        const { status, value } = await app.ask(start, toScript(acts, start), key);
        expect([status, value.status]).toEqual([200, 'completed']);
        expect(seen).toEqual(expectedLooks(acts, start, held, caller));
      }),
      { numRuns: byTier({ quick: 6, slow: 10, drill: 20 }) },
    );
  });
});
