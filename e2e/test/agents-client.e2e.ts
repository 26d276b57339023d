import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentMessage,
  createClient,
  ProblemError,
  type RunEvent,
  type SupportOutput,
} from '@waymark/client';
import { freePort, verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram } from './program.ts';

const env = {
  OPERATOR_KEY: 'operator-key-of-the-tests',
  DEVICE_KEY: 'device-key-of-the-tests',
  READER_KEY: 'reader-key-of-the-tests',
};

describe('the agents of the generated client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agents-client-'));
  let program: Program;
  let baseUrl = '';
  const start = async (port: string): Promise<void> => {
    program = startProgram('apps/server/example/main.ts', {
      cwd: folder,
      env: { ...env, PORT: port, LOG_LEVEL: 'error' },
    });
    [, baseUrl = ''] = await program.saying(/url +(http:\S+)/);
  };
  beforeAll(async () => start(String(await freePort())));
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  });
  const connect = (apiKey = env.OPERATOR_KEY) => createClient({ baseUrl, apiKey });

  it('answer with a typed result', async () => {
    verifies('client.agents');
    const { status, output, steps, usage } = await connect().agents.support.run({
      input: 'Which tickets are open?',
    });
    expect([status, usage.steps]).toEqual(['completed', 2]);
    expect(output).toContain('Printer on fire');
    expect(steps.map(({ kind }) => kind)).toContain('tool_call');
  });

  it('tell their steps, text as it comes, and the result last', async () => {
    verifies('client.agents');
    const types: string[] = [];
    let text = '';
    const input = { input: '[[call get_tickets {"id":1}]] [[say It burns.]]', stream: true };
    for await (const event of connect().agents.support.stream(input)) {
      types.push(event.type === 'step' ? event.step.kind : event.type);
      if (event.type === 'delta') text += event.text ?? '';
      if (event.type === 'result') expect(event.result.output).toBe('It burns.');
    }
    expect(types.at(-1)).toBe('result');
    expect(types.filter((type) => type !== 'delta')).toEqual([
      'run',
      'context',
      'context',
      'model',
      'tool_call',
      'model',
      'result',
    ]);
    expect(text).toBe('It burns.');
  });

  it('wait for a human, over the death of the process, and are followed to their end', async () => {
    verifies('client.agents');
    const { agents, control } = connect();
    const input = '[[call refund_customer {"id":1,"euros":49}]] [[say They were told.]]';
    const waiting = await agents.biller.run({ input });
    expect(waiting.status).toBe('awaiting_approval');
    const [approval] = waiting.pending_approvals ?? [];
    expect((await agents.biller.answer(waiting.run_id)).status).toBe('awaiting_approval');
    await expect(connect(env.READER_KEY).agents.biller.answer(waiting.run_id)).rejects.toThrow(ProblemError);

    const seen: RunEvent<SupportOutput>[] = [];
    const following = (async () => {
      for await (const event of agents.biller.follow(waiting.run_id)) seen.push(event);
    })();
    await expect.poll(() => seen.at(-1)?.type).toBe('waiting');
    expect(seen).toHaveLength(waiting.steps.length + 2);
    const { port } = new URL(baseUrl);
    program.child.kill('SIGKILL');
    await program.ended();
    await start(port);
    await control.approvals.decide({ id: approval?.approval_id ?? '', approve: true, note: 'Agreed.' });
    await following;
    const numbers = seen.flatMap((event) => (event.type === 'step' ? [event.step.seq] : []));
    // Each once, in order, though two processes told them.
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ type: 'result', result: { output: 'They were told.' } });
    const { steps } = await agents.biller.answer(waiting.run_id);
    expect(numbers).toEqual(steps.map(({ seq }) => seq));
  });

  it('converse over one socket, also over the death of the process while a human is asked', async () => {
    verifies('client.agents.socket');
    const { agents, control } = connect();
    const socket = agents.biller.socket();
    const told: AgentMessage<SupportOutput>[] = [];
    const results: SupportOutput[] = [];
    const listening = (async () => {
      for await (const message of socket) {
        told.push(message);
        if (message.type === 'result') results.push(message.result);
        if (results.length === 3) socket.close();
      }
    })();
    socket.send({ input: '[[say Hello.]]', session_id: 'talk', stream: true });
    socket.send({ input: '[[call refund_customer {"id":1,"euros":49}]] [[say They were told.]]' });
    await expect.poll(() => told.at(-1)?.type).toBe('waiting');
    const waiting = told.at(-1);
    const { port } = new URL(baseUrl);
    program.child.kill('SIGKILL');
    await program.ended();
    // Nobody is there to take it, and nothing is lost.
    socket.send({ input: '[[echo messages]]', session_id: 'talk' });
    await start(port);
    await expect.poll(() => results.length, { timeout: 20_000 }).toBe(2);
    expect(results[1]?.output).toContain('Hello.');
    const [approval] = (waiting?.type === 'waiting' && waiting.pending_approvals) || [];
    await control.approvals.decide({ id: approval?.approval_id ?? '', approve: true, note: 'Agreed.' });
    await listening;
    expect(results[2]).toMatchObject({ status: 'completed', output: 'They were told.' });
    for (const { run_id: runId, steps } of results) {
      const numbers = told.flatMap((one) =>
        one.type === 'step' && one.run_id.split('.')[0] === runId ? [one.step.seq] : [],
      );
      expect(numbers).toEqual(steps.map(({ seq }) => seq));
    }
    const text = told.map((one) => (one.type === 'delta' ? (one.text ?? '') : '')).join('');
    expect(text).toBe('Hello.');
  });

  it('go on being told when the process that told them stops and another one takes over', async () => {
    verifies('client.agents');
    const { port } = new URL(baseUrl);
    const input =
      '[[latency 700]] [[calls get_tickets {"id":1}, list_open_tickets {}]] [[call get_tickets {"id":1}]] [[say Seen.]]';
    const numbers: number[] = [];
    let output = '';
    for await (const event of connect().agents.support.stream({ input })) {
      if (event.type === 'result') output = event.result.output;
      if (event.type !== 'step') continue;
      numbers.push(event.step.seq);
      if (event.step.kind !== 'model' || numbers.length > 3) continue;
      program.child.kill('SIGTERM');
      void program.ended().then(() => start(port));
    }
    expect(output).toBe('Seen.');
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });
});
