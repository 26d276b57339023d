import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram } from './program.ts';

const keys = {
  OPERATOR_KEY: 'operator-secret-of-the-test',
  DEVICE_KEY: 'device-secret-of-the-test',
  READER_KEY: 'reader-secret-of-the-test',
} as const;

/** What of an envelope these tests look at. */
interface Envelope {
  readonly run_id: string;
  readonly status: string;
  readonly output: string;
  readonly steps: readonly { readonly kind: string; readonly tool?: string }[];
  readonly pending_approvals?: readonly {
    readonly approval_id: string;
    readonly arguments: unknown;
    readonly tool: string;
    readonly agent: string;
  }[];
}

const refund = (euros: number): string =>
  `[[call refund_customer {"id":1,"euros":${euros}}]] [[say The customer was told.]]`;

describe('the agents of the reference application', () => {
  let folder: string;
  let program: Program;
  let url: string;
  const start = async (): Promise<void> => {
    const env = { ...keys, PORT: '0', LOG_LEVEL: 'error' };
    program = startProgram('apps/server/example/main.ts', { cwd: folder, env });
    [, url = ''] = await program.saying(/url +(http:\S+)/);
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'reference-agents-'));
    await start();
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  });

  const send = async (path: string, body?: unknown, key: keyof typeof keys = 'OPERATOR_KEY') => {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': keys[key], ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const value = (await response.json()) as Envelope;
    return { status: response.status, location: response.headers.get('location') ?? '', value };
  };
  const decide = (id: string, approve: boolean, key?: keyof typeof keys) =>
    send(`/_svc/approvals/${id}`, { approve, note: 'as agreed' }, key);
  const asked = async (euros: number) => {
    const { status, location, value } = await send('/agents/biller', { input: refund(euros) });
    expect(status).toBe(202);
    const [approval] = value.pending_approvals ?? [];
    return { location, run: value.run_id, id: approval?.approval_id ?? '', approval };
  };

  it('answer with what their tools say', async () => {
    verifies('purpose.hosts.agents', 'purpose.hosts.contexts', 'face.methods.agent', 'face.methods.context');
    verifies('simulator.offline', 'endpoint.agent.answers');
    const { status, value } = await send(
      '/agents/support',
      { input: 'Which tickets are open?' },
      'READER_KEY',
    );
    expect([status, value.status]).toEqual([200, 'completed']);
    expect(value.output).toContain('Printer on fire');
    expect(value.output).toContain('I am a scripted model');
    expect(value.steps.map(({ kind }) => kind)).toEqual([
      'context',
      'context',
      'model',
      'tool_call',
      'model',
    ]);
  });

  it('wait for a human, who sees who wants what, and whose word brings the answer', async () => {
    verifies('agent.route.waiting', 'state.run.waiting-listed', 'state.run.approved', 'control.approvals');
    verifies(
      'state.run.approved-unknown',
      'control.approvals.decide',
      'purpose.control.approvals',
      'route.option.approval.agents',
    );
    const { location, run, id, approval } = await asked(49);
    expect(approval).toMatchObject({ agent: 'biller', tool: 'refund_customer' });
    expect(approval?.arguments).toEqual({ id: 1, euros: 49 });
    expect(location).toBe(`/agents/biller/runs/${run}`);
    const { approvals } = (await send('/_svc/approvals')).value as unknown as {
      approvals: readonly { readonly arguments: unknown }[];
    };
    expect(approvals).toMatchObject([
      {
        ...{ approval_id: id, run_id: run, root_run_id: run, kind: 'agent', agent: 'biller' },
        ...{ path: ['biller'], caller: 'operator', tool: 'refund_customer' },
      },
    ]);
    expect(approvals.map((row) => row.arguments)).toEqual([{ id: 1, euros: 49 }]);
    expect((await send(location)).status).toBe(202);

    expect((await decide(id, true, 'READER_KEY')).status).toBe(403);
    const { status, value } = await decide(id, true);
    expect([status, value.run_id, value.status]).toEqual([200, run, 'completed']);
    expect(value.output).toBe('The customer was told.');
    expect((await decide(id, true)).status).toBe(409);
    expect((await decide('01ARZ3NDEKTSV4RRFFQ69G5FAV', true)).status).toBe(404);

    // Its owner can ask for it later, and nobody else.
    expect((await send(location)).value.output).toBe('The customer was told.');
    expect((await send(location, undefined, 'READER_KEY')).status).toBe(403);
  });

  it('hand over, and the decision is answered with the result of the run that was started', async () => {
    verifies('state.run.approved', 'agent.handoff.changes', 'run.for-caller');
    const input =
      '[[handoff biller they were billed twice]] [[call refund_customer {"id":2,"euros":7}]] [[say Done.]]';
    const { status, location, value } = await send('/agents/support', { input });
    expect([status, location]).toEqual([202, `/agents/support/runs/${value.run_id}`]);
    const [approval] = value.pending_approvals ?? [];
    // A human is asked by the one who wants it.
    const asks = { agent: 'biller', path: ['support', 'biller'] };
    expect(approval).toMatchObject({ ...asks, tool: 'refund_customer', arguments: { id: 2, euros: 7 } });
    const decided = await decide(approval?.approval_id ?? '', true);
    expect(decided.value).toMatchObject({
      ...{ run_id: value.run_id, path: ['support', 'biller'], agent: 'biller', output: 'Done.' },
    });
    const work = decided.value.steps.filter(({ kind }) => kind === 'tool_call' || kind === 'handoff');
    expect(work).toMatchObject([
      { kind: 'handoff', agent: 'support' },
      { tool: 'refund_customer', agent: 'biller' },
    ]);
    // A reader may start this agent, and still reads nothing of the operator's runs.
    expect((await send(location)).value.output).toBe('Done.');
    expect((await send(location, undefined, 'READER_KEY')).status).toBe(404);
  });

  it('do without what a human declines, and can say why', async () => {
    verifies('state.run.declined', 'state.run.approved-note', 'state.gate.human-decides');
    const input = '[[call refund_customer {"id":1,"euros":50}]] [[echo results]]';
    const waiting = await send('/agents/biller', { input });
    const { status, value } = await decide(waiting.value.pending_approvals?.[0]?.approval_id ?? '', false);
    expect([status, value.status]).toEqual([200, 'completed']);
    // What the model says is what it was told.
    expect(value.output).toContain('a human declined this call: as agreed');
    expect(JSON.stringify(value.steps)).not.toContain('"refunded":true');
  });

  it('hear nothing after the time of an approval is over: it is 410', async () => {
    verifies('http.status.410');
    const { value } = await send('/agents/archivist', {
      input: '[[call purge_tickets {}]] [[say Later, then.]]',
    });
    const id = value.pending_approvals?.[0]?.approval_id ?? '';
    await sleep(5_500);
    expect((await decide(id, true)).status).toBe(410);
  });

  it('are found waiting by the next process, with everything they had', async () => {
    verifies('run.survives');
    const { id, location } = await asked(51);
    program.child.kill('SIGKILL');
    await program.ended();
    await start();
    expect((await send(location)).status).toBe(202);
    const { status, value } = await decide(id, true);
    expect([status, value.output]).toEqual([200, 'The customer was told.']);
    expect((await send(location)).value.status).toBe('completed');
  });
});
