import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@waymark/client';
import { validateValue } from '@waymark/contract/schema';
import { verifies } from '@waymark/contract/testing';
import type { Response as Described, OpenApiDocument } from '@waymark/openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, startProgram } from './program.ts';

const env = {
  OPERATOR_KEY: 'operator-key-of-the-tests',
  DEVICE_KEY: 'device-key-of-the-tests',
  READER_KEY: 'reader-key-of-the-tests',
};

const source = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../../packages/client/src/${name}.ts`), 'utf8');

describe('the methods of the client of the reference application', () => {
  it('have a typed result, except where the declaration says nothing of it', () => {
    verifies('client.control', 'client.typed');
    const text = source('index') + source('control');
    const unknown = new Set([...text.matchAll(/^export type (\w+) = unknown;/gm)].map(([, name]) => name));
    const untyped = [...text.matchAll(/^ +(\w+)\([^;]*?\): Promise<(\w+)/gm)].flatMap(([, method, type]) =>
      type === 'unknown' || unknown.has(type) ? [method] : [],
    );
    expect(untyped).toEqual([
      // A handler without `output`; two proxies, whose upstream may answer anything.
      ...['getTicketsByIdSummary', 'listInvoices', 'refundCustomer'],
      // A behaviour, which gives whatever its function does; and the answer of its runs.
      ...['triage', 'getBehavioursTriageRunsByRunId'],
    ]);
    expect(text).toMatch(/Promise<void>/);
  });
});

describe('the control plane in the client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'control-client-'));
  let program: Program;
  let baseUrl: string;
  let document: OpenApiDocument;
  beforeAll(async () => {
    program = startProgram('apps/server/example/main.ts', {
      cwd: folder,
      env: { ...env, PORT: '0', LOG_LEVEL: 'error' },
    });
    [, baseUrl = ''] = await program.saying(/url +(http:\S+)/);
    const response = await fetch(`${baseUrl}/_svc/openapi.json`, {
      headers: { 'x-api-key': env.OPERATOR_KEY },
    });
    document = (await response.json()) as OpenApiDocument;
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(folder, { recursive: true });
  });

  /** What is wrong with an answer, by the document; the path of a listing stands there as it is asked for. */
  async function faultsOf(request: Request, response: Response): Promise<readonly unknown[]> {
    const { pathname } = new URL(request.url);
    const [, item] =
      Object.entries(document.paths).find(([path]) =>
        new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
      ) ?? [];
    const operation = item?.[request.method.toLowerCase() as 'get'];
    const described = operation?.responses[response.status] as Described | undefined;
    const schema = described?.content?.['application/json']?.schema;
    if (typeof schema !== 'object')
      return [`${request.method} ${pathname} ${response.status} is not described`];
    const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
    const own = JSON.parse(text.replaceAll('"#/components/schemas/', '"#/$defs/')) as object;
    const errors = validateValue(own, await response.json());
    return errors.map((error) => ({ operation: operation?.operationId, ...error }));
  }

  it('lists, shows, decides and cancels under human names, and each answer is the one described', async () => {
    verifies('client.control', 'openapi.answers');
    const faults: unknown[] = [];
    const desk = createClient({
      baseUrl,
      apiKey: env.OPERATOR_KEY,
      fetch: async (...given) => {
        const request = new Request(...given);
        const response = await fetch(request.clone(), given[1]);
        if (new URL(request.url).pathname.startsWith('/_svc'))
          faults.push(...(await faultsOf(request, response.clone())));
        return response;
      },
    });
    const { control } = desk;
    const wait = () =>
      desk.agents.biller.run({ input: '[[call refund_customer {"id":1,"euros":5}]] [[say Done.]]' });
    const asked = await wait();
    expect(asked.status).toBe('awaiting_approval');

    const { approvals } = await control.approvals.list();
    const [first] = approvals;
    expect(first).toMatchObject({ run_id: asked.run_id, tool: 'refund_customer', agent: 'biller' });
    const shown = await control.runs.get({ id: asked.run_id });
    expect([shown.status, shown.kind, shown.runs]).toEqual(['awaiting_approval', 'agent', []]);
    const decided = await control.approvals.decide({ id: first?.approval_id ?? '', approve: false });
    expect(decided).toMatchObject({ run_id: asked.run_id, status: 'completed' });
    expect((await control.approvals.list({ status: 'denied' })).approvals).toHaveLength(1);

    const other = await wait();
    expect(await control.runs.cancel({ id: other.run_id })).toEqual({
      run_id: other.run_id,
      status: 'cancelled',
    });
    const { runs } = await control.runs.list({ limit: 10 });
    expect(runs.map(({ run_id, status }) => [run_id, status])).toEqual([
      [other.run_id, 'cancelled'],
      [asked.run_id, 'completed'],
    ]);

    await desk.flows.refund.run({ id: 1 } as never).catch(() => undefined);
    await desk.behaviours.triage({}).catch(() => undefined);
    for (const run of (await control.runs.list()).runs) await control.runs.get({ id: run.run_id });

    // On a busy machine its event loop lags, and it says so.
    expect((await control.health()).status).toMatch(/^(?:ok|degraded)$/);
    expect((await control.usage()).totals.calls).toBeGreaterThan(0);
    expect((await control.audit({ limit: 5 })).events).toHaveLength(5);
    expect((await control.devices.list()).devices.map(({ name }) => name)).toEqual([
      'lobby',
      'dock',
      'thermometer',
    ]);
    expect((await control.agents.list()).agents.map(({ name }) => name)).toContain('lookout');
    expect((await control.watchers.list()).watchers.map(({ name }) => name)).toEqual(['lobby_watch']);
    expect((await control.webhooks.list()).webhooks).toHaveLength(1);
    for (const list of [control.tools, control.routes, control.behaviours, control.flows, control.contexts])
      await list.list();
    await control.models();
    await control.security();
    // `/devices/{name}/snapshot` answers a picture to people and tools alike; only documents describe it.
    expect((await desk.lobbySnapshot()).device).toBe('lobby');
    expect((await desk.getRoot()).app).toBe('support-desk');
    expect(faults).toEqual([]);
  });
});
