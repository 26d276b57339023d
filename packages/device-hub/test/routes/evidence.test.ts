import type { Insight } from '@waymark/contract/hub';
import { anonymous, type Principal } from '@waymark/contract/principal';
import { describe, expect, it } from 'vitest';
import { camera, sensor } from '../../src/index.ts';
import { png } from '../pictures.ts';
import { ada, serveHub } from '../serve-hub.ts';

const framePath = '/devices/door/insights/{run_id}/frame';
const linkPath = '/devices/door/insights/{run_id}/evidence';
const token = 'pAlcb4SbQkmTu-1y_3yQtA';
const evidence = { mediaType: 'image/png', bytes: png(), token };
const dayMs = 24 * 3_600_000;

function insight(fields: Partial<Insight> = {}): Insight {
  return {
    ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
    ...{ output: 'Nobody.', error: null, run_id: 'r1', tokens: 12, cost_micros: 40, at_ms: 1_000 },
    ...fields,
  };
}

/** A hub with one insight that has a picture, and the ways to ask for it. */
async function served() {
  const hub = await serveHub([camera('door', { readScopes: ['look'] }), sensor('thermo')]);
  const { ask, host, plugin } = hub;
  // Of a run that goes on: it may be told again.
  await plugin.devices.publish(insight({ status: 'awaiting_approval', at_ms: host.now() }), { evidence });
  const reader = { ...ada, scopes: ['look'] };
  return {
    ...hub,
    frame: (run_id: string, principal: Principal = reader) =>
      ask('GET', framePath, { input: { run_id }, principal }),
    link: (run_id: string, given: string | undefined = token) =>
      ask('GET', linkPath, { input: { run_id, token: given }, principal: anonymous() }),
  };
}

describe('GET insights/{run_id}/frame', () => {
  it('gives the picture to those who may read the device', async () => {
    const { frame } = await served();
    const { status, headers, body } = await frame('r1');
    expect([status, body]).toEqual([200, { kind: 'bytes', bytes: png(), mediaType: 'image/png' }]);
    expect(headers).toEqual({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'cache-control': 'private, no-cache',
      'content-disposition': 'inline; filename="door-r1.png"',
      'referrer-policy': 'no-referrer',
    });
    expect((await frame('r1', ada)).status).toBe(403);
    expect((await frame('r1', anonymous())).status).toBe(401);
  });

  it('says that there is none', async () => {
    const { frame, plugin } = await served();
    await plugin.devices.publish(insight({ run_id: 'r2' }));
    for (const id of ['r2', 'r3', '', '..', 'r1"\r\n', 'x'.repeat(129), 'r1\0']) {
      const { status, detail } = await frame(id);
      expect([status, detail]).toEqual([404, `no picture of run ${id} is kept for "door"`]);
    }
  });

  it('has another tag for another picture of a run, and says nothing of its token', async () => {
    const { frame, plugin } = await served();
    const { etag: before = '' } = (await frame('r1')).headers;
    await plugin.devices.publish(insight({ status: 'failed' }), { evidence });
    expect((await frame('r1')).headers['etag']).toBe(before);
    await plugin.devices.publish(insight(), { evidence: { ...evidence, token: 'another' } });
    expect((await frame('r1')).headers['etag']).not.toBe(before);
    expect(before).not.toContain(token);
  });

  it('is of cameras only', async () => {
    const { table } = await served();
    const paths = [...table].map(({ path }) => path).filter((path) => path.includes('{run_id}'));
    expect(paths).toEqual([framePath, linkPath]);
  });
});

describe('GET insights/{run_id}/evidence', () => {
  it('gives the picture to whoever has its link', async () => {
    const { link, frame } = await served();
    const { status, headers, body } = await link('r1');
    expect([status, body]).toEqual([200, { kind: 'bytes', bytes: png(), mediaType: 'image/png' }]);
    expect(headers).toEqual((await frame('r1')).headers);
  });

  it('says of everything else the same', async () => {
    const { link, plugin } = await served();
    await plugin.devices.publish(insight({ run_id: 'r2' }), { evidence: { ...evidence, token: '' } });
    await plugin.devices.publish(insight({ run_id: 'r3' }));
    const wrong = [
      ...['', token.slice(1), `${token}x`, token.toLowerCase(), 'ä'].map((one) => link('r1', one)),
      ...[link('r2', ''), link('r2'), link('r3'), link('r4'), link('', ''), link('r1"', token)],
    ];
    for (const { status, detail } of await Promise.all(wrong))
      expect([status, detail]).toEqual([404, 'nothing is kept behind this link, or not any more']);
  });

  it('ends seven days after its insight, and with it', async () => {
    const { link, host, plugin } = await served();
    await host.clock.advance(7 * dayMs);
    expect((await link('r1')).status).toBe(200);
    await host.clock.advance(1);
    expect((await link('r1')).status).toBe(404);
    // Somebody is sent a link again: to the same picture.
    await plugin.devices.publish(insight({ status: 'failed', at_ms: host.now() }));
    expect((await link('r1')).status).toBe(200);
    for (let i = 0; i < 32; i++) await plugin.devices.publish(insight({ run_id: `later${i}` }));
    expect((await link('r1')).status).toBe(404);
  });
});

describe('GET insights', () => {
  it('says of which the picture is kept', async () => {
    const { ask, plugin } = await served();
    await plugin.devices.publish(insight({ run_id: 'r2' }));
    const { value } = await ask('GET', '/devices/door/insights', { principal: { ...ada, scopes: ['look'] } });
    expect(value).toMatchObject({
      insights: [
        { run_id: 'r1', cost_micros: 40, has_frame: true },
        { run_id: 'r2', has_frame: false },
      ],
    });
  });
});
