import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@waymark/client';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientModes } from './mcp/sessions.ts';
import { type Program, startProgram } from './program.ts';

const env = {
  OPERATOR_KEY: 'operator-secret-of-the-test',
  DEVICE_KEY: 'device-secret-of-the-test',
  READER_KEY: 'reader-secret-of-the-test',
  PORT: '0',
  LOG_LEVEL: 'error',
};

const triaged = {
  read: 2,
  urgent: [
    { id: 1, title: 'Printer on fire' },
    { id: 2, title: 'Password forgotten' },
  ],
};
const filed = { title: 'Refunded what was billed twice', body: 'March', status: 'closed', customer: 1 };
const refund = { customer: 1, euros: 49, reason: 'March' };

/** What a run that waits is known by. */
type Waiting = { readonly run_id?: string; readonly status?: string };

/** One door, as whoever comes through it sees what it started. */
interface Door {
  readonly name: string;
  /** Starts a behaviour or a flow. @returns its value, or undefined while it waits */
  start(tool: 'triage' | 'refund', input: object): Promise<unknown>;
  /** What it came to, after a human decided. @param decided what the decision was answered with */
  later(decided: unknown): Promise<unknown>;
}

describe('the behaviour and the flow of the reference application', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reference-work-'));
  let program: Program;
  let url = '';
  beforeAll(async () => {
    program = startProgram('apps/server/example/main.ts', { cwd: folder, env });
    [, url = ''] = await program.saying(/url +(http:\S+)/);
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  });

  const send = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': env.OPERATOR_KEY, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, value: await response.json(), headers: response.headers };
  };
  beforeEach(async () => {
    for (const id of [1, 2]) await send(`/tickets/${id}`, { urgent: false }, 'PATCH');
  });

  /** Says yes to everything that waits. @returns the last answer */
  const approve = async (): Promise<unknown> => {
    const { value } = await send('/_svc/approvals');
    const { approvals } = value as { approvals: readonly { approval_id: string; arguments: unknown }[] };
    let last: unknown;
    for (const { approval_id: id } of approvals)
      last = (await send(`/_svc/approvals/${id}`, { approve: true, note: 'yes' })).value;
    return last;
  };

  const doors: readonly Door[] = [
    byHttp(),
    ...clientModes.filter(({ name }) => name === 'client v1' || name === 'client v2, auto').map(byMcp),
    byAgent(),
    byClient(),
  ];

  it.each(doors)('come to the same through $name', async ({ start }) => {
    verifies('face.methods.behaviour', 'purpose.hosts.behaviours');
    expect(await start('triage', {})).toEqual(triaged);
    const { value } = await send('/tickets/open');
    expect((value as { urgent: boolean }[]).map(({ urgent }) => urgent)).toEqual([true, true]);
  });

  it.each(doors)('wait in the middle for a human, and end alike, through $name', async ({ start, later }) => {
    verifies('behaviour.route.waiting', 'flow.route.waiting', 'face.methods.flow', 'purpose.hosts.flows');
    expect(await start('triage', { escalate: true })).toBeUndefined();
    expect(await later(await approve())).toEqual(triaged);
    const { value } = await send('/tickets/1');
    expect((value as { body: string }).body).toContain('on call was woken');

    expect(await start('refund', refund)).toBeUndefined();
    expect(await later(await approve())).toMatchObject(filed);
  });

  it('are shown as one tree of runs', async () => {
    const door = byAgent();
    await door.start('triage', { escalate: true });
    await approve();
    const { value } = await send('/_svc/runs');
    const [newest] = (value as { runs: readonly { run_id: string }[] }).runs;
    const { value: tree } = await send(`/_svc/runs/${newest?.run_id}`);
    expect(tree).toMatchObject({
      ...{ kind: 'agent', name: 'support', depth: 0, status: 'completed' },
      runs: [{ kind: 'behaviour', name: 'triage', depth: 1, status: 'completed', runs: [] }],
    });
  });

  /** Over HTTP: 200, or 202 and where the answer will be. */
  function byHttp(): Door {
    let location = '';
    return {
      name: 'HTTP',
      async start(tool, input) {
        const path = tool === 'triage' ? '/behaviours/triage' : '/flows/refund';
        const { status, value, headers } = await send(path, input);
        location = headers.get('location') ?? '';
        if (status === 202) expect(value).toMatchObject({ status: 'awaiting_approval' });
        return status === 202 ? undefined : outputOf(value);
      },
      async later() {
        const { status, value } = await send(location);
        expect(status).toBe(200);
        return outputOf(value);
      },
    };
  }

  /** By an official MCP client: a result that says where it waits. */
  function byMcp(mode: (typeof clientModes)[number]): Door {
    let path = '';
    return {
      name: `MCP (${mode.name})`,
      async start(tool, input) {
        const session = await mode.connect(url, env.OPERATOR_KEY);
        const { isError, structuredContent, content } = await session.call(tool, { ...input });
        await session.close();
        expect(isError ?? false).toBe(false);
        const value = JSON.parse((content as [{ text: string }])[0].text) as Waiting;
        // What a behaviour answers may be anything, and structured content is an object.
        expect(structuredContent).toEqual(tool === 'triage' ? { result: value } : value);
        path = `/${tool === 'triage' ? 'behaviours' : 'flows'}/${tool}/runs/${value.run_id}`;
        return value.status === 'awaiting_approval' ? undefined : outputOf(value);
      },
      later: async () => outputOf((await send(path)).value),
    };
  }

  /** As a tool of an agent, which says what it was told. */
  function byAgent(): Door {
    return {
      name: 'an agent',
      async start(tool, input) {
        const script = `[[call ${tool} ${JSON.stringify(input)}]] [[say Done.]]`;
        const { status, value } = await send('/agents/support', { input: script });
        return status === 202 ? undefined : resultOf(value);
      },
      later: (decided) => Promise.resolve(resultOf(decided)),
    };
  }

  /** By the generated client. */
  function byClient(): Door {
    let id = '';
    const desk = () => createClient({ baseUrl: url, apiKey: env.OPERATOR_KEY });
    let started: 'triage' | 'refund' = 'triage';
    return {
      name: 'the client',
      async start(tool, input) {
        started = tool;
        const { behaviours, flows } = desk();
        const value = await (tool === 'triage' ? behaviours.triage(input) : flows.refund.run(refund));
        const run = value as Waiting;
        id = run.run_id ?? '';
        return run.status === 'awaiting_approval' ? undefined : outputOf(value);
      },
      async later() {
        const { behaviours, flows } = desk();
        return outputOf(
          await (started === 'triage' ? behaviours.triage.answer(id) : flows.refund.answer(id)),
        );
      },
    };
  }
});

/** A flow answers with its run, a behaviour with its value. */
function outputOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'flow' in value && 'output' in value
    ? value.output
    : value;
}

/** What the tool of an agent's run answered. */
function resultOf(value: unknown): unknown {
  const { steps } = value as { steps: readonly { kind: string; result?: unknown; error?: string }[] };
  const call = steps.find(({ kind }) => kind === 'tool_call');
  expect(call?.error).toBeUndefined();
  return call?.result;
}
