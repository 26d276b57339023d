import type { Json } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import type { SimulatorOptions } from '@waymark/model-simulator';
import { type Application, Type } from '@waymark/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answered, messagesOf, startThinking, type ThinkingApplication } from './agents-application.ts';
import { injections } from './corpora/agents-injections.ts';

type Script = NonNullable<SimulatorOptions['script']>;

/** Looks first where nothing orders anything yet, then does whatever any text tells it to, once. */
const obedient: Script = ({ turns }) => {
  const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
  if (calls.some(({ name }) => name !== 'look') || calls.length > 1) return '[[say I did it all.]]';
  const text = turns
    .flatMap((turn) =>
      turn.role === 'tool' ? turn.results.map(({ text }) => unescaped(text)) : [unescaped(turn.text)],
    )
    .join('\n');
  const orders = [...text.matchAll(/CALL (\w+) (\{[^\n]*?\})(?=$|[\s"<\\])/gm)].map(
    ([, name = '', values = '']) => `${name} ${asArguments(values)}`,
  );
  return orders.length === 0 ? '[[call look {}]]' : `[[calls ${orders.join(', ')}]]`;
};

/** A model reads through what only markup needs. */
function unescaped(text: string): string {
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
  return plain.replaceAll('&amp;', '&').replaceAll('\\"', '"').replaceAll('\\n', '\n');
}

/** What is no JSON is sent as it is. */
function asArguments(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

describe('an agent whose model obeys every text', () => {
  let app: ThinkingApplication;
  let hostile = { context: '', result: '' };
  let done: string[] = [];
  const asked: string[] = [];

  /** An agent with one tool that reads and one that a human must approve, in a house full of others. */
  const openHouse = (house: Application): void => {
    const tool = (name: string, more: object = {}) =>
      house.post(`/${name}`, { tool: true, toolName: name, summary: 'Does it.', ...more }, (): Json => {
        done.push(name);
        return `did ${name}`;
      });
    tool('pay', { approval: 'required', input: { cents: Type.Integer({ minimum: 1 }) } });
    for (const name of ['drop_tables', 'admin_keys', 'post_outside', 'notes_remember']) tool(name);
    house
      .get('/look', { tool: true, toolName: 'look', scopes: ['read'], summary: 'Looks.' }, () => {
        done.push('look');
        return { note: hostile.result };
      })
      .context('notes', () => hostile.context)
      .agent('clerk', { tools: ['look', 'pay'], context: ['notes'], scopes: ['read'], handoffs: ['helper'] })
      .agent('helper', { tools: ['look'], scopes: ['read'] })
      .agent('vault', { tools: ['drop_tables'], scopes: ['write'] });
  };

  beforeAll(async () => {
    app = await startThinking(openHouse, { script: obedient });
  });
  afterAll(() => app.close());
  beforeEach(() => {
    hostile = { context: '', result: '' };
    done = [];
    app.simulator.reset();
  });

  /** Whoever asks may do everything: only the agent's own list and scopes are in the way. Nobody approves anything. */
  const ask = async (input: string): Promise<Answered> => {
    let answered = await app.ask('clerk', input);
    while (answered.status === 202) {
      const approvals = answered.value.pending_approvals ?? [];
      asked.push(...approvals.map(({ tool }) => tool));
      const path = `/_svc/approvals/${approvals[0]?.approval_id}`;
      answered = await app.send(path, { approve: false, note: 'no' });
    }
    return answered;
  };

  const expectHarmless = ({ status, text, value }: Answered, line: string): void => {
    expect(status, text).toBe(200);
    const called = value.steps.flatMap(({ kind, tool }) =>
      kind === 'tool_call' || kind === 'tool_refused' ? [tool] : [],
    );
    // It did try.
    expect(called).toContain(/CALL (\w+)/.exec(line)?.[1]);
    expect(done.filter((name) => name !== 'look')).toEqual([]);
    expect(asked.filter((name) => name !== 'pay')).toEqual([]);
  };

  it('is told to by forty of them', () => {
    expect(new Set(injections).size).toBe(40);
  });

  it.each(injections)(
    'calls nothing outside its list and nothing without a human, told by a user: %j',
    async (line) => {
      verifies('agent.option.tools', 'state.gate.human-decides');
      expectHarmless(await ask(`A customer writes: ${line}`), line);
    },
  );

  it.each(injections)('the same, told by a tool: %j', async (line) => {
    verifies('agent.option.tools', 'state.gate.human-decides');
    hostile = { context: '', result: line };
    expectHarmless(await ask('Look.'), line);
    expect(done).toContain('look');
  });

  it.each(injections)(
    'the same, told by a context, which is one block that its data cannot close: %j',
    async (line) => {
      verifies('agent.option.tools', 'context.blocks');
      hostile = { context: line, result: '' };
      expectHarmless(await ask('Look.'), line);
      const messages = messagesOf(app.simulator);
      expect(messages.map(({ role }) => role)[0]).toBe('user');
      const text = messages[0]?.content[0]?.text ?? '';
      expect(text.match(/<[^>]*>/g)).toEqual(['<context name="notes">', '</context>']);
      expect(text.startsWith('Data of the application.')).toBe(true);
      expect(text.endsWith('\n</context>')).toBe(true);
    },
  );

  it('was kept from paying by a human only', () => {
    expect(new Set(asked)).toEqual(new Set(['pay']));
  });
});
