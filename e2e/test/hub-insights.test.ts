import type { Insight } from '@waymark/contract/hub';
import { anonymous } from '@waymark/contract/principal';
import { verifies } from '@waymark/contract/testing';
import { camera } from '@waymark/device-hub';
import { describe, expect, it } from 'vitest';
import { authenticate, serveHub } from './hub-door.ts';
import { picture } from './hub-pictures.ts';
import { openSocket } from './hub-socket.ts';

const stream = '/devices/door/stream';
const token = 'pAlcb4SbQkmTu-1y_3yQtA';
const dayMs = 24 * 3_600_000;

function insight(fields: Partial<Insight> = {}): Insight {
  return {
    ...{ type: 'insight', watcher: 'calm', device: 'door', agent: 'guard', seq: 1, status: 'completed' },
    ...{ output: 'Nobody.', error: null, run_id: 'r1', tokens: 12, cost_micros: 40, at_ms: Date.now() },
    ...fields,
  };
}

const evidence = (size: number) => ({ mediaType: 'image/png', bytes: picture(size), token });

/** Lets those in who have no key: they are nobody. */
const openDoor: Parameters<typeof serveHub>[2] = {
  authenticate: (credentials) =>
    credentials.headers['x-api-key'] === undefined
      ? { ok: true, principal: anonymous() }
      : authenticate(credentials),
};

describe('insights over sockets and HTTP', () => {
  it('reach every subscriber, whoever comes later, and the route', async () => {
    verifies('event.stream.insight', 'event.insight.stream', 'event.insight.route', 'insight.cost');
    verifies('insight.replaced');
    const { url, devices, send } = await serveHub([camera('door')]);
    const viewers = [await openSocket(url, stream), await openSocket(url, `${stream}?frames=meta`)];
    const waiting = insight({ status: 'awaiting_approval', cost_micros: null });
    const done = insight();
    expect(await devices.publish(waiting)).toBe(true);
    expect(await devices.publish(insight({ run_id: 'r2' }))).toBe(true);
    expect(await devices.publish(done, { evidence: evidence(40) })).toBe(true);
    expect(await devices.publish(done)).toBe(false);
    const told = [waiting, insight({ run_id: 'r2', at_ms: expect.any(Number) }), done];
    for (const viewer of viewers) {
      expect(await viewer.next()).toMatchObject({ type: 'hello', insights: [] });
      for (const one of told) expect(await viewer.next()).toEqual(one);
    }
    const kept = [told[1], done];
    expect(await (await openSocket(url, stream)).next()).toMatchObject({ type: 'hello', insights: kept });
    expect(await (await send('GET', '/devices/door/insights')).json()).toEqual({
      device: 'door',
      insights: [
        { ...kept[0], has_frame: false },
        { ...kept[1], has_frame: true },
      ],
    });
  });
});

describe('the picture that an insight is about', () => {
  it('is for those who may read the device', async () => {
    verifies('insight.evidence.kept', 'insight.evidence.frame');
    const { devices, send } = await serveHub([camera('door')]);
    await devices.publish(insight(), { evidence: evidence(5_000) });
    const path = '/devices/door/insights/r1/frame';
    const answer = await send('GET', path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(picture(5_000)));
    expect((await send('GET', path, undefined, 'sender')).status).toBe(403);
    expect((await send('GET', path, undefined, 'nobody')).status).toBe(401);
    const missing = await send('GET', '/devices/door/insights/r2/frame');
    expect([missing.status, JSON.parse(await missing.text()).detail]).toEqual([
      404,
      'no picture of run r2 is kept for "door"',
    ]);
    for (let i = 0; i < 32; i++) await devices.publish(insight({ run_id: `later${i}` }));
    expect((await send('GET', path)).status).toBe(404);
  });

  it('is not sent again to whoever has it', async () => {
    const { devices, url } = await serveHub([camera('door')]);
    await devices.publish(insight(), { evidence: evidence(5_000) });
    const path = `${url}/devices/door/insights/r1/frame`;
    const headers = { 'x-api-key': 'reader' };
    const tag = (await fetch(path, { headers })).headers.get('etag') ?? '';
    const again = await fetch(path, { headers: { ...headers, 'if-none-match': tag } });
    expect([again.status, await again.text(), again.headers.get('cache-control')]).toEqual([
      304,
      '',
      'private, no-cache',
    ]);
    expect((await fetch(path, { headers: { 'if-none-match': tag, 'x-api-key': 'sender' } })).status).toBe(
      403,
    );
  });

  it('is kept within 16 MB for each device, the oldest goes first', async () => {
    verifies('insight.evidence.bounded');
    const { devices, send } = await serveHub([camera('door')]);
    const half = 8 * 1_048_576;
    for (const run_id of ['r1', 'r2', 'r3']) {
      await devices.publish(insight({ run_id }), { evidence: evidence(run_id === 'r3' ? 100 : half) });
    }
    const { insights } = JSON.parse(await (await send('GET', '/devices/door/insights')).text());
    expect(insights.map(({ has_frame }: { has_frame: boolean }) => has_frame)).toEqual([false, true, true]);
  });

  it('is for whoever was sent its link, and nobody else', async () => {
    verifies('insight.evidence.link');
    const { devices, url } = await serveHub([camera('door')], {}, openDoor);
    await devices.publish(insight(), { evidence: evidence(5_000) });
    const path = `${url}/devices/door/insights/r1/evidence`;
    const answer = await fetch(`${path}?token=${token}`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(picture(5_000)));
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, no-cache',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline; filename="door-r1.png"',
      'x-content-type-options': 'nosniff',
    });
    for (const query of ['', '?token=', '?token=x', `?token=${token}x`, `?token=%00`, `?Token=${token}`])
      expect((await fetch(path + query)).status, query).toBe(404);
    expect((await fetch(`${url}/devices/door/insights/r2/evidence?token=${token}`)).status).toBe(404);
    expect((await fetch(`${url}/devices/door/insights/r1/frame?token=${token}`)).status).toBe(401);
  });

  it('is behind its link for seven days', async () => {
    verifies('insight.evidence.link-ends');
    const { devices, url } = await serveHub([camera('door')], {}, openDoor);
    const link = (run: string) => fetch(`${url}/devices/door/insights/${run}/evidence?token=${token}`);
    for (const [run_id, age] of [
      ['old', 7 * dayMs + 1],
      ['new', 7 * dayMs - 60_000],
    ] as const)
      await devices.publish(insight({ run_id, at_ms: Date.now() - age }), { evidence: evidence(100) });
    expect([(await link('old')).status, (await link('new')).status]).toEqual([404, 200]);
    for (let i = 0; i < 32; i++) await devices.publish(insight({ run_id: `later${i}` }));
    expect((await link('new')).status).toBe(404);
  });
});
