import type { Json } from '@waymark/contract';
import type { ModelReply, ModelRequest } from '@waymark/contract/models';
import type { RunSpec } from '@waymark/contract/runs';
import { type ScriptedReply, scriptedModel, verifies } from '@waymark/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentsDeclaration, agent, context } from '../src/index.ts';
import type { Row } from './desk/journal.ts';
import { openDesk } from './desk/open-desk.ts';
import { openTools } from './desk/tools.ts';

/** The model of an agent that does a little of everything: it depends on nothing but the conversation. */
function talkative(plan: readonly Turn[]) {
  return (request: ModelRequest): ScriptedReply => {
    if (request.model === 'fast') return 'What was said so far.';
    const said = request.messages.filter(({ role }) => role === 'assistant').length;
    const begun = request.messages.some(
      ({ parts: [part] }) => part?.type === 'text' && part.text.startsWith('Summary'),
    );
    const turn = plan[said + (begun ? 2 : 0)];
    return turn ? toReply(turn, said, request) : `Done: ${JSON.stringify(request.messages).length}`;
  };
}

/** Names of tools called in one turn, and what the turn measured. */
interface Turn {
  readonly calls: readonly string[];
  readonly tokens: number;
}

function toReply({ calls, tokens }: Turn, turn: number, { messages }: ModelRequest): ModelReply {
  const parts = calls.map((name, i) => ({
    ...{ type: 'tool_call' as const, id: `c${messages.length}-${turn}-${i}`, name },
    arguments: argumentsOf(name),
  }));
  const text = { type: 'text' as const, text: `Turn ${turn}.` };
  const counts = { inputTokens: tokens, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const spend = { model: 'm', provider: 'p', estimated: false, costMicros: null, ...counts };
  return {
    message: { role: 'assistant', parts: [text, ...parts] },
    stop: parts.length > 0 ? 'tool_calls' : 'end',
    spend: [spend],
  };
}

function argumentsOf(name: string): Json {
  if (name === 'pay') return { cents: 5 };
  if (name === 'inner') return { input: 'Go.' };
  return name.startsWith('transfer') ? { reason: 'x' } : {};
}

const declarations = (facts: () => unknown): readonly AgentsDeclaration[] => [
  agent('front', {
    ...{ tools: ['look', 'write', 'inner'], scopes: ['read', 'write'], exposeScopes: [], handoffs: ['back'] },
    ...{ context: ['facts'], contextWindow: 1_000, keepRecent: 2, maxSteps: 8 },
  }),
  agent('back', { tools: ['look', 'write'], scopes: ['read'], context: ['facts'], handoffs: ['front'] }),
  agent('inner', { tools: ['look'], scopes: ['read'], exposeScopes: [], maxSteps: 2 }),
  context('facts', facts),
];

/** An agent at work over a plan; `rows` is what its journal holds already. */
async function openPlan(plan: readonly Turn[], rows: readonly Row[] = []) {
  const models = scriptedModel(Array<ScriptedReply>(200).fill(talkative(plan)));
  const tools = openTools();
  let reads = 0;
  const desk = await openDesk(
    declarations(() => `read ${++reads}`),
    models,
    tools,
  );
  const { runner } = desk;
  if (rows.length > 0) {
    const spec: RunSpec = {
      ...{ kind: 'agent', name: 'front', codeVersion: '', scopes: ['read', 'write'] },
      ...{ tokenBudget: null, maxSteps: 8, definition: { contexts: ['facts'] } },
    };
    const principal = {
      id: 'ann',
      rootId: 'ann',
      authenticated: true,
      scopes: ['read', 'write', 'start', 'other'],
    };
    const ord = Math.max(...rows.map((row) => row.ord));
    runner.journals.set('run1', { spec, principal, rows: [...rows], asked: [], ord });
  }
  const resume = rows.length > 0 ? { resume: { rootId: 'run1' } } : {};
  return { models, tools, desk, run: () => desk.run('front', 'Hello.', resume) };
}

const plans = fc.array(
  fc.record({
    calls: fc.array(
      fc.constantFrom('look', 'write', 'inner', 'nope', 'transfer_to_back', 'transfer_to_front'),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    tokens: fc.constantFrom(10, 2_000),
  }),
  { minLength: 1, maxLength: 8 },
);

describe('a run that goes on from its journal', () => {
  it('asks what it asked before, decides nothing twice and ends the same, wherever it was cut off', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(100), async (plan, place) => {
        const whole = await openPlan(plan);
        const first = await whole.run();
        const { rows } = whole.desk.runner.journal;
        // Rows are cut where a process may have died: after any of them.
        const kept = rows.slice(0, place % (rows.length + 1));
        const again = await openPlan(plan, kept);
        const second = await again.run();
        const open = new Set(kept.map(({ runId, seq }) => `${runId}.${seq}`));
        // A child whose call has its result was not opened again.
        const live = again.desk.runner.journal.rows.filter(({ runId, seq }) => !open.has(`${runId}.${seq}`));
        expect(again.models.requests).toHaveLength(
          live.filter(({ kind }) => kind === 'model' || kind === 'compaction').length,
        );
        if (kept.length === rows.length) expect(again.models.requests).toEqual([]);
        const asked = (requests: readonly ModelRequest[]) =>
          requests.map((one) => JSON.stringify(one).replaceAll(/read \d+/g, ''));
        const before = asked(whole.models.requests);
        for (const request of asked(again.models.requests)) expect(before).toContain(request);
        expect(second.status).toBe(first.status);
        expect(second.path).toEqual(first.path);
        expect(again.tools.done.length + doneIn(kept)).toBe(whole.tools.done.length);
      }),
      { numRuns: 60 },
    );
  });

  it('follows its rows where declarations have changed meanwhile', async () => {
    const turns: readonly Turn[] = [
      { calls: ['look'], tokens: 10 },
      { calls: ['look'], tokens: 2_000 },
      { calls: ['transfer_to_back'], tokens: 10 },
      { calls: ['pay'], tokens: 10 },
    ];
    let turn = 0;
    const script: ScriptedReply = (request) =>
      request.model === 'fast' ? 'So far.' : turns[turn] ? toReply(turns[turn]!, turn++, request) : 'Done.';
    const models = scriptedModel(Array<ScriptedReply>(20).fill(script));
    const tools = openTools();
    const back = agent('back', { tools: ['pay'] });
    const front = agent('front', {
      ...{ tools: ['look'], scopes: ['read'], handoffs: ['back'], context: ['facts'] },
      ...{ contextWindow: 1_000, keepRecent: 2 },
    });
    const before = await openDesk([front, back, context('facts', { data: 'old' })], models, tools);
    expect((await before.run('front', 'Hi.')).status).toBe('awaiting_approval');
    const kinds = before.runner.journal.rows.map(({ kind }) => kind);
    expect(kinds).toEqual([
      'context',
      'model',
      'call',
      'model',
      'call',
      'compaction',
      'model',
      'handoff',
      'model',
    ]);
    // No tools, no handoffs, no window and no contexts any more.
    const later = scriptedModel(['Then not.']);
    const after = await openDesk([agent('front', { scopes: ['read'] }), back], later, tools);
    after.runner.journals.set('run1', before.runner.journal);
    after.runner.answer('pay', 'declined');
    const result = await after.run('front', 'Hi.', { resume: { rootId: 'run1' } });
    expect(result).toMatchObject({ status: 'completed', output: 'Then not.', path: ['front', 'back'] });
    const [request] = later.requests;
    expect(JSON.stringify(request)).toContain('So far.');
    expect(tools.done).toEqual(['look ', 'look ']);
  });

  it('fails where the agent it was handed over to is gone', async () => {
    const { desk, models } = await openPlan([{ calls: ['transfer_to_back'], tokens: 10 }]);
    await desk.run('front', 'Hi.');
    expect(models.requests).toHaveLength(2);
    const { rows } = desk.runner.journal;
    const gone = await openDesk(
      [agent('front', { context: ['facts'] }), context('facts', { data: 1 })],
      models,
    );
    gone.runner.journals.set('run1', { ...desk.runner.journal, rows: [...rows] });
    const response = await gone.ask('front', { input: 'Hi.' }, { resume: { rootId: 'run1' } });
    expect(response).toMatchObject({ status: 500, body: { code: 'declaration_gone' } });
  });

  it('keeps the steps it began with', async () => {
    verifies('agent.handoff.stays');
    const look = { calls: [{ name: 'look' }, { name: 'pay', arguments: { cents: 5 } }] };
    const models = scriptedModel([look, 'Done.']);
    const tools = openTools();
    const options = { tools: ['look', 'pay'], scopes: ['read'] };
    const before = await openDesk([agent('front', { ...options, maxSteps: 2 })], models, tools);
    await before.run('front', 'Hi.');
    const after = await openDesk([agent('front', { ...options, maxSteps: 1 })], models, tools);
    after.runner.journals.set('run1', before.runner.journal);
    after.runner.answer('pay', 'approved');
    const result = await after.run('front', 'Hi.', { resume: { rootId: 'run1' } });
    expect(result).toMatchObject({ status: 'completed', output: 'Done.' });
  });
});

/** Effects whose rows were kept. */
function doneIn(rows: readonly Row[]): number {
  return rows.filter(
    ({ kind, name, text }) =>
      kind === 'call' && (name === 'look' || name === 'write') && text.includes('"ok":true'),
  ).length;
}
