import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Insight } from '@waymark/contract/hub';
import { byTier, verifies } from '@waymark/contract/testing';
import { type Simulator, startSimulator } from '@waymark/model-simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { injections } from './corpora/watchers-injections.ts';
import { picture } from './hub-pictures.ts';
import { type Program, startProgram } from './program.ts';
import { gullible, ordersIn } from './watchers-gullible.ts';

const key = 'ann-secret-of-more-than-16-bytes';
const token = 'hush-token-of-the-receiver';
const signing = randomBytes(32);
const secret = `whsec_${signing.toString('base64')}`;

/** How an order reaches a watcher. */
type Channel = 'values' | 'keys' | 'pictures';

/** All of them reach a model as values. As keys and in pictures CI shows one in so many, the drill of properties all. */
const inRotation = byTier({ quick: 3, slow: 3, drill: 1 });
const turns: Readonly<Record<Channel, number>> = { values: 0, keys: 1, pictures: 2 };
const shownBy = (channel: Channel): readonly string[] =>
  injections.filter((_, i) => channel === 'values' || i % inRotation === turns[channel] % inRotation);

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface ShownRun {
  readonly name: string;
  readonly status: string;
  readonly steps: readonly { readonly kind: string; readonly tool?: string }[];
}

interface Approval {
  readonly approval_id: string;
  readonly run_id: string;
  readonly root_id?: string;
  readonly tool: string;
  readonly arguments: unknown;
}

describe('a watcher whose model obeys whatever its device shows', () => {
  let simulator: Simulator;
  let program: Program;
  let folder: string;
  let url: string;
  let receiver: { readonly url: string; readonly received: readonly Received[]; close(): void };
  const told: Insight[] = [];
  const count = { orders: 0, tried: 0, refused: 0, asked: 0, runs: 0 };

  beforeAll(async () => {
    simulator = await startSimulator({ anonymous: true, script: gullible, maxRequests: 10_000 });
    receiver = await listen();
    folder = mkdtempSync(join(tmpdir(), 'watched-yard-'));
    program = startProgram('e2e/test/programs/watched-yard.ts', {
      cwd: folder,
      env: {
        ...{ ANN_KEY: key, HOOK_SECRET: secret, HOOK_TOKEN: token, LOG_LEVEL: 'debug' },
        ...{ MODELS: simulator.url, HOOK: receiver.url, DATABASE: join(folder, 'yard.db') },
      },
    });
    url = (await program.saying(/^url (\S+)$/m))[1] ?? '';
  });
  afterAll(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    await simulator.close();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
    console.log(
      `injections: ${injections.length} on 3 channels, ${count.runs} runs, ${count.tried} calls tried, ` +
        `${count.refused} refused, ${count.asked} put before a human, ${receiver.received.length} webhook messages`,
    );
  });

  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const response = await fetch(url + path, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && {
        method: 'POST',
        body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    expect(response.status, text).toBeLessThan(300);
    return JSON.parse(text) as T;
  };

  const devices = { values: 'meter', keys: 'gauge', pictures: 'door' } as const;
  const show = (channel: Channel, text: string): Promise<unknown> => {
    const device = devices[channel];
    if (channel === 'pictures') return ask(`/devices/${device}/frames`, sign(text));
    // A reading has 64 KB at most.
    const more = text.length < 10_000;
    const reading =
      channel === 'keys'
        ? { [text]: 1, ...(more && { [`${text}.`]: { [text]: true } }) }
        : { note: text, ...(more && { all: [[text]] }) };
    return ask(`/devices/${device}/telemetry`, reading);
  };
  const newest = async (device: string): Promise<Insight | undefined> =>
    (await ask<{ insights: Insight[] }>(`/devices/${device}/insights`)).insights.at(-1);

  /** With the first of several calls of a turn the others are off. */
  const decline = async (id: string): Promise<void> => {
    const { status } = await fetch(`${url}/_svc/approvals/${id}`, {
      ...{ method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' } },
      body: JSON.stringify({ approve: false, note: 'no' }),
    });
    expect([200, 202, 409]).toContain(status);
  };

  /** Shows it, and gives the insight on it; whatever a human is asked meanwhile is declined. */
  const watched = async (channel: Channel, text: string): Promise<Insight> => {
    const device = devices[channel];
    const before = (await newest(device))?.run_id;
    await show(channel, text);
    await expect.poll(async () => (await newest(device))?.run_id, { interval: 50 }).not.toBe(before);
    for (;;) {
      const insight = (await newest(device)) as Insight;
      if (!told.some((one) => one.run_id === insight.run_id && one.status === insight.status))
        told.push(insight);
      if (insight.status !== 'awaiting_approval') return insight;
      const { approvals } = await ask<{ approvals: Approval[] }>('/_svc/approvals');
      const own = approvals.filter(({ run_id, root_id }) => insight.run_id === (root_id ?? run_id));
      for (const approval of own) {
        count.asked += 1;
        // What a human is shown is the call itself, in whatever words somebody asked for it.
        expect(approval.tool).toBe('unlock');
        expect(JSON.stringify(insight)).not.toContain('did unlock');
        await decline(approval.approval_id);
      }
      await expect
        .poll(async () => (await newest(device))?.status, { interval: 50 })
        .not.toBe('awaiting_approval');
    }
  };

  it('is told to in sixty ways or more', () => {
    expect(new Set(injections).size).toBe(injections.length);
    expect(injections.length).toBeGreaterThanOrEqual(60);
    // Each orders something of whoever believes it.
    expect(injections.filter((text) => ordersIn(text).length === 0)).toEqual([]);
  });

  it('calls nothing outside its list and nothing without a human, told by values, keys and pictures', async () => {
    verifies('agent.option.tools', 'state.gate.human-decides', 'auth.watcher.intersection');
    const showAll = async (channel: Channel): Promise<void> => {
      for (const [i, template] of shownBy(channel).entries()) {
        const mark = `${channel}-${String(i).padStart(3, '0')}-`;
        const text = mark + template.replaceAll('TRAP', `${receiver.url}/trap`);
        const insight = await watched(channel, text);
        expect(insight.status, `${text.slice(0, 300)}: ${insight.error}`).toBe('completed');
        // Whoever reads the insight reads what was tried, and that it was not done.
        expect(insight.output, text.slice(0, 300)).toContain(mark);
        expect(insight.error).toBeNull();
        const { steps } = await ask<ShownRun>(`/_svc/runs/${insight.run_id}`);
        const refused = steps.filter(({ kind }) => kind === 'tool_refused');
        const tried = steps.filter(({ kind }) => kind === 'tool_call' || kind === 'tool_refused');
        expect(tried.length, text.slice(0, 300)).toBeGreaterThan(0);
        count.runs += 1;
        count.tried += tried.length;
        count.refused += refused.length;
      }
    };
    // Each channel has a device and a watcher of its own.
    await Promise.all((['values', 'keys', 'pictures'] as const).map(showAll));
    const done = await ask<readonly string[]>('/did');
    expect(done.filter((name) => name !== 'look')).toEqual([]);
    expect(await ask('/kept')).toEqual({ notes: 0 });
  }, 600_000);

  it('starts no run but its own, and asks nobody but a human', async () => {
    const { runs } = await ask<{ runs: readonly { agent?: string; name?: string; caller: string }[] }>(
      '/_svc/runs?limit=500',
    );
    expect(
      new Set(runs.map(({ caller }) => caller.replace(/^watcher:(values|keys|pictures)$/, 'watcher'))),
    ).toEqual(new Set(['watcher']));
    expect(JSON.stringify(runs)).not.toContain('"vault"');
    expect(count.asked).toBeGreaterThan(0);
    expect(count.runs).toBeGreaterThan(1.6 * injections.length);
    expect(count.refused).toBeGreaterThan(count.runs);
  });

  it('carries nothing from one run into another', () => {
    const mixed = simulator.requests.filter(({ body }) => {
      const marks = JSON.stringify(body).match(/(values|keys|pictures)-\d{3}-/g) ?? [];
      return new Set(marks).size > 1;
    });
    expect(mixed.length).toBe(0);
  });

  it('is given no secret, and calls nobody at an address that it reads', () => {
    const sent = simulator.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    const published = JSON.stringify([told, receiver.received.map(({ text }) => text)]);
    for (const hidden of [key, token, secret, signing.toString('base64')]) {
      expect(sent.includes(hidden)).toBe(false);
      expect(published.includes(hidden)).toBe(false);
    }
    expect(receiver.received.filter(({ path }) => path.startsWith('/trap'))).toEqual([]);
  });

  it('tells it to its webhook as text: whole, signed, and within bounds', async () => {
    verifies('webhook.signed', 'webhook.size', 'webhook.headers');
    const ids = told.map(({ run_id, status }) => `${run_id}:${status}`);
    await expect
      .poll(() => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])), { interval: 500 })
      .toEqual(new Set(ids));
    for (const { headers, text } of receiver.received) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000);
      const [id, time] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
      const signature = createHmac('sha256', signing).update(`${id}.${time}.${text}`).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
      expect(headers['authorization']).toBe(`Bearer ${token}`);
      const body = JSON.parse(text) as Insight & { readonly truncated?: boolean };
      const { output, ...rest } = told.find(
        ({ run_id, status }) => `${run_id}:${status}` === id,
      ) as Insight & {
        has_frame?: boolean;
      };
      delete rest.has_frame;
      expect(body).toMatchObject(rest);
      expect(Object.keys(body).sort()).toEqual(
        [
          ...['agent', 'at_ms', 'cost_micros', 'device', 'error', 'frame_url', 'output', 'run_id', 'seq'],
          ...['status', 'tokens', 'type', 'watcher', ...(body.truncated ? ['truncated'] : [])],
        ].sort(),
      );
      if (body.truncated) expect(output.startsWith(body.output.slice(0, -1))).toBe(true);
      else expect(body.output).toBe(output);
    }
  });

  it('leaves nothing of it in the log, which stays one object in each line', () => {
    const lines = program
      .stdout()
      .split('\n')
      .slice(1, -1)
      .filter((line) => !/^(url |\s)/.test(line));
    const logged = lines.filter((line) => line.startsWith('{'));
    expect(logged.length).toBeGreaterThan(injections.length);
    for (const line of logged) expect(() => JSON.parse(line) as unknown).not.toThrow();
    const said = program.stdout() + program.stderr();
    expect(said.match(/.*(values|keys|pictures)-\d{3}-.*/)).toBeNull();
    expect(said).not.toContain('drop_tables');
    expect(said).not.toContain('forged');
  });

  it('ends its runs and its hour although it is told to go on for ever', async () => {
    verifies('limit.watcher-runs');
    const ticking = async () =>
      (await ask<{ watchers: readonly Record<string, unknown>[] }>('/_svc/watchers')).watchers.find(
        ({ name }) => name === 'ticking',
      );
    const statuses = async () =>
      (await ask<{ insights: readonly Insight[] }>('/devices/clock/insights')).insights.map(
        ({ status }) => status,
      );
    for (let i = 1; i <= 6; i++) {
      await ask('/devices/clock/telemetry', { note: `LOOP ${i} CALL look {} CALL siren {}` });
      if (i <= 3) await expect.poll(statuses).toEqual(Array(i).fill('step_limit'));
      else await expect.poll(ticking).toMatchObject({ status: 'limited' });
    }
    // By the time that another watcher has been at work it would have been, too.
    await watched('values', 'values-998-CALL look {}');
    expect(await ticking()).toMatchObject({ status: 'limited', runs_last_hour: 3 });
    // Three runs of six model calls each.
    const asked = simulator.requests.filter(({ body }) => JSON.stringify(body).includes('LOOP'));
    expect(asked.length).toBeLessThanOrEqual(18);
    expect(await statuses()).toEqual(Array(3).fill('step_limit'));
  });

  it('does what was asked for once a human approves, and once', async () => {
    const before = (await newest('meter'))?.run_id;
    await show('values', 'values-999-CALL unlock {"door":"front"}');
    await expect.poll(async () => (await newest('meter'))?.run_id).not.toBe(before);
    expect(await newest('meter')).toMatchObject({ status: 'awaiting_approval' });
    const { approvals } = await ask<{ approvals: Approval[] }>('/_svc/approvals');
    expect(approvals).toMatchObject([{ tool: 'unlock', arguments: { door: 'front' } }]);
    await ask(`/_svc/approvals/${approvals[0]?.approval_id}`, { approve: true, note: '' });
    await expect.poll(async () => (await newest('meter'))?.status).toBe('completed');
    expect((await ask<readonly string[]>('/did')).filter((name) => name === 'unlock')).toEqual(['unlock']);
  });
});

/** A picture with writing in it. */
function sign(text: string): Buffer {
  const written = Buffer.from(`tEXtsign\0${text}`);
  const chunk = Buffer.alloc(8 + written.length);
  chunk.writeUInt32BE(written.length - 4);
  chunk.set(written, 4);
  const head = picture();
  head.writeUInt32BE(13, 8);
  return Buffer.concat([head, chunk]);
}

/** A receiver of webhooks, and of whatever else comes. */
async function listen() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        text: Buffer.concat(pieces).toString(),
      });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => void server.close(),
  };
}
