import { HTTPError } from '@waymark/contract';
import { memoryStores } from '@waymark/contract/memory';
import type { Delivery, WebhookEndpoint } from '@waymark/contract/stores';
import { fixedClock, type TestHost, testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { Sender } from '../../src/sender/sender.ts';
import { type Answer, endpoint, type Receivers, receivers } from '../receiver.ts';

const hourMs = 3_600_000;
const [yard, door] = [endpoint('yard'), endpoint('door')];
const middle = (): number => 0.5;
const refused = new HTTPError(502, 'https://yard.example did not answer');

interface Started {
  readonly host: TestHost;
  readonly sender: Sender;
  add(...ids: readonly string[]): Promise<void>;
  /** Lets time pass, step by step, so that answers come in between. */
  pass(ms: number, stepMs?: number): Promise<void>;
}

function start(
  outbound: Receivers,
  {
    endpoints = [yard],
    host = testHost({ outbound }),
  }: { readonly endpoints?: readonly WebhookEndpoint[]; readonly host?: TestHost } = {},
): Started {
  const sender = new Sender(host, endpoints, middle);
  sender.start();
  return {
    host,
    sender,
    async add(...ids) {
      for (const id of ids) await host.stores.outbox.add(delivery(id), host.now());
    },
    async pass(ms, stepMs = 500) {
      for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
        await host.clock.advance(Math.min(stepMs, leftMs));
        await settled();
      }
    },
  };
}

/** `door1` is for the door, `1` for the yard. */
function delivery(id: string): Delivery {
  return { id, endpoint: id.startsWith('door') ? 'door' : 'yard', body: { type: 'test', id } };
}

/** Everything that needs no timer has come to its end. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('an endpoint that fails', () => {
  /** What health says after the first message. */
  async function toldAfter(answer: Answer, endpoints: readonly WebhookEndpoint[] = [yard]): Promise<unknown> {
    const { add, pass, sender } = start(
      receivers(() => answer),
      { endpoints },
    );
    await add('1');
    await pass(1_500);
    return sender.troubles.map(({ code, message }) => `${code}: ${message}`);
  }
  const failing = (name: string, fault: string): readonly string[] => [
    `webhook-failing: Receivers of webhooks fail, and their messages wait: "${name}" (${fault}, for 1 s).`,
  ];

  it.each<[Answer, string]>([
    [503, 'answers 503'],
    [500, 'answers 500'],
    [401, 'answers 401'],
    [403, 'answers 403'],
    [404, 'answers 404'],
    [302, 'answers with a redirect'],
    [refused, 'does not answer'],
    [new HTTPError(504, 'late'), 'takes too long to answer'],
    [new HTTPError(403, 'no'), 'has an address that may not be reached'],
  ])('is named, and what it does: %s', async (answer, fault) => {
    verifies('health.outside');
    const named = { ...yard, url: 'https://10.0.0.7/hook' };
    expect(await toldAfter(answer, [named])).toEqual(failing('yard', fault));
  });

  it.each<Answer>([200, 204, 400, 410, 413, 422, 429])(
    'does not, where it says %s of a message',
    async (answer) => {
      verifies('health.outside.fault');
      expect(await toldAfter(answer)).toEqual([]);
    },
  );

  it('is told by its place where its name is made of its host', async () => {
    verifies('health.outside.public');
    const hidden = { name: 'yard', url: 'https://yard/hook' };
    expect(await toldAfter(503, [door, hidden])).toEqual(failing('#2', 'answers 503'));
    expect(await toldAfter(503, [{ ...hidden, url: 'https://elsewhere/hook' }])).toEqual(
      failing('yard', 'answers 503'),
    );
  });

  it('is named until it takes a message, or has not been asked for 15 minutes', async () => {
    verifies('health.outside', 'health.outside.forgotten');
    let answer: Answer = 503;
    const { add, pass, sender } = start(receivers(() => answer));
    await add('1');
    await pass(500);
    expect(sender.troubles).toHaveLength(1);
    answer = 200;
    await pass(9_000);
    expect(sender.troubles).toEqual([]);
    answer = 503;
    await add('2');
    // Asked again and again, with pauses of less than that.
    await pass(15 * 60_000, 5_000);
    expect(sender.troubles).toHaveLength(1);
  });
});

describe('a sender', () => {
  it('sends what waits, in the order of its addition, once', async () => {
    verifies('webhook.order');
    const world = receivers(() => 200);
    const { add, pass, host } = start(world);
    await add('3', '1', '2');
    await pass(5_000);
    expect(world.ids()).toEqual(['3', '1', '2']);
    expect(JSON.parse(world.received[0]?.text ?? '')).toEqual({ type: 'test', id: '3' });
    expect(await host.stores.outbox.lines()).toMatchObject([{ waiting: 0, delivered: 3 }]);
  });

  it('sends a message that failed at its own time, and the others meanwhile', async () => {
    verifies('webhook.order');
    const world = receivers((_, count, id) => (id === '1' && count < 3 ? 500 : 204));
    const { add, pass } = start(world);
    await add('1', '2', '3');
    await pass(4_000);
    expect(world.ids()).toEqual(['1', '2', '3']);
    await pass(2_000);
    expect(world.ids()).toEqual(['1', '2', '3', '1']);
  });

  it('keeps the order over an outage, and asks a receiver that is away with one message at a time', async () => {
    verifies('webhook.order', 'webhook.isolation');
    let isAway = true;
    const world = receivers(() => (isAway ? refused : 200));
    const { add, pass } = start(world);
    const ids = Array.from({ length: 50 }, (_, i) => String(i));
    await add(...ids);
    await pass(hourMs, 5_000);
    // Three messages until it is known, then the probes: after 5, 15, 45, 135 and 405 s, then every 10 minutes.
    const asked = world.ids();
    expect(asked.slice(0, 3)).toEqual(['0', '1', '2']);
    expect(asked.slice(3).every((id) => id === '0')).toBe(true);
    expect(asked.length).toBeLessThan(15);
    isAway = false;
    await pass(605_000, 5_000);
    expect(world.ids().slice(asked.length)).toEqual(ids);
  });

  it('lets no message keep the others', async () => {
    const poison = ['1', '2', '3', '4'];
    const world = receivers((_, __, id) => (poison.includes(id) ? 500 : 200));
    const { add, pass } = start(world);
    await add(...poison);
    await pass(2_000);
    await add('good');
    await pass(300_000);
    expect(world.ids()).toContain('good');
  });

  it('is not kept by one endpoint from sending to the others', async () => {
    verifies('webhook.isolation');
    const world = receivers((url) => (url === yard.url ? 'hang' : 200));
    const { add, pass, sender } = start(world, { endpoints: [yard, door] });
    await add('1', '2', 'door1', 'door2', 'door3');
    await pass(1_000);
    expect(world.ids(door)).toEqual(['door1', 'door2', 'door3']);
    // One at a time.
    expect(world.ids(yard)).toEqual(['1']);
    await sender.stop();
  });

  it('has eight requests under way at most, and four to endpoints that failed last', async () => {
    const many = Array.from({ length: 12 }, (_, i) => endpoint(`e${i}`));
    let areHanging = true;
    const world = receivers(() => (areHanging ? 'hang' : refused));
    const { host, pass, sender } = start(world, { endpoints: many });
    for (const { name } of many) {
      await host.stores.outbox.add({ id: `${name}-1`, endpoint: name, body: 1 }, 0);
      await host.stores.outbox.settle(
        { id: 'before', endpoint: name },
        { state: 'failed', atMs: 0, dueMs: 0, status: 500, error: 'answer' },
        { failures: Number(name.slice(1)) < 6 ? 1 : 0, pausedUntilMs: null, stopped: false },
      );
    }
    await pass(2_000);
    expect(world.received).toHaveLength(8);
    const failing = world.received.filter(({ url }) => /e[0-5]\./.test(url));
    expect(failing.length).toBeLessThanOrEqual(4);
    areHanging = false;
    await sender.stop();
  });

  it('stops at 410, until somebody wants it sent again', async () => {
    verifies('webhook.gone');
    let isGone = true;
    const world = receivers(() => (isGone ? 410 : 200));
    const { add, pass, host } = start(world);
    await add('1', '2');
    await pass(1_000);
    await add('3');
    await pass(hourMs, 10_000);
    expect(world.ids()).toEqual(['1']);
    expect(await host.stores.outbox.lines()).toMatchObject([{ stopped: true, failed: 2, waiting: 1 }]);
    expect(host.events).toEqual([
      { kind: 'webhook_failed', endpoint: 'yard', message: '1', attempts: 1, status: 410, error: 'gone' },
      { kind: 'webhook_stopped', endpoint: 'yard', status: 410 },
    ]);
    isGone = false;
    expect(await host.stores.outbox.redeliver('yard', host.now())).toBe(3);
    await pass(1_000);
    expect(world.ids()).toEqual(['1', '1', '2', '3']);
  });

  it('leaves a receiver alone for as long as it wants', async () => {
    verifies('webhook.retry-after');
    const world = receivers((_, count) =>
      count === 0 ? { status: 429, headers: { 'retry-after': '120' } } : 200,
    );
    const { add, pass } = start(world);
    await add('1', '2');
    await pass(119_000, 1_000);
    expect(world.ids()).toEqual(['1']);
    await pass(2_000);
    expect(world.ids()).toEqual(['1', '1', '2']);
  });

  it('gives a message up 24 h after its addition, and those that waited behind it', async () => {
    const world = receivers(() => refused);
    const { add, pass, host } = start(world);
    await add('1', '2', '3', '4', '5');
    await pass(23.9 * hourMs, 60_000);
    expect(await host.stores.outbox.lines()).toMatchObject([{ waiting: 5, failed: 0 }]);
    await pass(hourMs, 60_000);
    expect(await host.stores.outbox.lines()).toMatchObject([{ waiting: 0, failed: 5 }]);
    expect(host.events.map(({ kind }) => kind)).toContain('webhook_failed');
  });

  it('reports what was dropped once', async () => {
    verifies('webhook.bounds');
    const stores = memoryStores({ outbox: { keepPerEndpoint: 2 } });
    const world = receivers(() => refused);
    const { add, pass, host } = start(world, { host: testHost({ stores, outbound: world }) });
    await add('1');
    await pass(1_000);
    await add('2', '3', '4', '5');
    await pass(10_000);
    expect(host.events).toEqual([{ kind: 'webhook_dropped', endpoint: 'yard', count: 3 }]);
  });

  it('says nothing of URLs and secrets', async () => {
    verifies('webhook.secrets');
    const told = { name: 'yard', url: 'https://yard.example/hook?token=hush', bearerEnv: 'TOKEN' };
    const env = (): string => 'hush-hush';
    const world = receivers((_, count) => (count % 2 === 0 ? refused : 410));
    const { add, pass, host } = start(world, {
      endpoints: [told],
      host: testHost({ outbound: world, env }),
    });
    await add('1', '2', '3');
    await pass(60_000);
    expect(world.received.length).toBeGreaterThan(1);
    const kept = await host.stores.outbox.kept('yard', 10);
    expect(JSON.stringify([host.events, host.logs, kept])).not.toMatch(/hush|example/);
  });
});

describe('a sender and the clock on the wall', () => {
  it.each([48 * hourMs, -48 * hourMs])(
    'is not put off, nor hurried, when it is set by %i ms',
    async (stepMs) => {
      let isAway = true;
      const world = receivers(() => (isAway ? refused : 200));
      const { add, pass, host } = start(world);
      await add('1', '2', '3', '4', '5');
      await pass(120_000);
      const before = world.ids().length;
      host.clock.step(stepMs);
      await add('late1', 'late2');
      await pass(120_000);
      // A probe every two minutes or so, and nothing was given up.
      expect(world.ids().length - before).toBeLessThanOrEqual(2);
      expect(await host.stores.outbox.lines()).toMatchObject([{ waiting: 7, failed: 0 }]);
      isAway = false;
      await pass(900_000, 1_000);
      expect(new Set(world.ids().slice(-7))).toEqual(new Set(['1', '2', '3', '4', '5', 'late1', 'late2']));
      expect(await host.stores.outbox.lines()).toMatchObject([{ waiting: 0, failed: 0, delivered: 7 }]);
    },
  );

  it.each([48 * hourMs, -48 * hourMs])(
    'goes on after a restart with one that was set by %i ms',
    async (stepMs) => {
      let isAway = true;
      const world = receivers(() => (isAway ? refused : 200));
      const stores = memoryStores();
      const first = start(world, { host: testHost({ stores, outbound: world }) });
      await first.add('1', '2', '3', '4', '5');
      await first.pass(120_000);
      await first.sender.stop();
      const before = world.ids().length;
      const clock = fixedClock(first.host.now() + stepMs);
      const second = start(world, { host: testHost({ stores, clock, outbound: world }) });
      isAway = false;
      await second.pass(60_000);
      expect(new Set(world.ids().slice(before))).toEqual(new Set(['1', '2', '3', '4', '5']));
      expect(world.ids().length - before).toBe(5);
    },
  );
});

describe('senders of one outbox', () => {
  it('are one at a time, and the next one takes over when the first is stopped', async () => {
    verifies('webhook.one-sender');
    const stores = memoryStores();
    const clock = fixedClock();
    const [one, two] = [receivers(() => 200), receivers(() => 200)];
    const first = start(one, { host: testHost({ stores, clock, outbound: one }) });
    const second = start(two, {
      host: testHost({ stores, clock, outbound: two, newId: () => 'the-other-one' }),
    });
    await first.add('1');
    await first.pass(2_000);
    expect([one.ids(), two.ids()]).toEqual([['1'], []]);
    await first.sender.stop();
    await second.add('2');
    await second.pass(2_000);
    expect([one.ids(), two.ids()]).toEqual([['1'], ['2']]);
  });

  it('take over within five seconds from one that was killed', async () => {
    verifies('webhook.one-sender');
    const stores = memoryStores();
    const clock = fixedClock();
    const world = receivers(() => 200);
    // A process that died holds the lease until its time is over.
    await stores.leases.acquire('outbox', 'dead', 4_000, clock.now());
    const { add, pass } = start(world, { host: testHost({ stores, clock, outbound: world }) });
    await add('1');
    await pass(3_500);
    expect(world.ids()).toEqual([]);
    await pass(1_500);
    expect(world.ids()).toEqual(['1']);
  });

  it('leave what was under way at the stop to the next one, under the same id', async () => {
    const stores = memoryStores();
    const hanging = receivers(() => 'hang');
    const first = start(hanging, { host: testHost({ stores, outbound: hanging }) });
    await first.add('1');
    await first.pass(1_000);
    first.host.shutdown();
    await first.sender.stop();
    const well = receivers(() => 200);
    const second = start(well, { host: testHost({ stores, outbound: well, newId: () => 'next' }) });
    await second.pass(1_000);
    expect([hanging.ids(), well.ids()]).toEqual([['1'], ['1']]);
    expect(await stores.outbox.kept('yard', 1)).toMatchObject([{ attempts: 1, state: 'delivered' }]);
  });
});
