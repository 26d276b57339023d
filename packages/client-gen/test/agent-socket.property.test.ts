import { byTier } from '@waymark/contract/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deskClient, type Told } from './agent-project.ts';
import { ChatService, type Plan } from './chat-service.ts';
import { refusal } from './device-project.ts';

const connect = deskClient();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const plan = fc.integer({ min: 0, max: 4 }).chain((steps) =>
  fc.record({
    steps: fc.constant(steps),
    parksAfter: fc.option(fc.integer({ min: 0, max: steps }), { nil: undefined, freq: 3 }),
  }),
);

/** What happens next, and a number where there is a choice. */
const happening = fc.tuple(
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('send', 'hear', 'hear', 'work', 'come back') },
    { weight: 12, arbitrary: fc.constant('tell') },
    { weight: 3, arbitrary: fc.constantFrom('cut', 'cut late', 'approve', 'wait', 'accept') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('stumble', 'stop reading', 'read', 'chatter', 'refuse the handshake'),
    },
  ),
  fc.nat({ max: 9 }),
);

/** Longer than any pause. */
const longMs = 15_000;

/** Plays a story against a service to its end: whatever was not sent is, and the connection breaks no more. */
async function play(plans: readonly Plan[], story: readonly (readonly [string, number])[], isKnown: boolean) {
  const { open, network } = connect(isKnown ? {} : { apiKey: undefined }, () => refusal(503));
  const service = new ChatService(network, plans, isKnown);
  const chat = open();
  const told: Told[] = [];
  let reads = Promise.resolve();
  let goOn = (): void => {};
  const reading = (async () => {
    for await (const message of chat) {
      await reads;
      if (message.type !== 'delta') told.push(message);
    }
  })();
  const keys: string[] = [];
  const send = (): void => void keys.push(chat.send({ input: String(keys.length) }));
  const refuse = async (): Promise<void> => {
    if (chat.state !== 'connecting') return;
    network.sockets.at(-1)?.drop();
    while (chat.state === 'connecting') await new Promise((resolve) => setImmediate(resolve));
  };
  const ways: Readonly<Record<string, (choice: number) => unknown>> = {
    send: () => keys.length < plans.length && send(),
    hear: () => service.hear(),
    work: () => service.work(),
    tell: (choice) => service.tell(choice),
    accept: () => service.accept(),
    'come back': async () => {
      if (chat.state !== 'open') await vi.advanceTimersByTimeAsync(longMs);
      service.accept();
    },
    cut: () => service.cut(false),
    'cut late': () => service.cut(true),
    'refuse the handshake': refuse,
    wait: (choice) => vi.advanceTimersByTimeAsync(1_600 * choice),
    approve: () => service.approve(),
    stumble: () => service.stumble(),
    'stop reading': () => {
      goOn();
      reads = new Promise((resolve) => {
        goOn = resolve;
      });
    },
    read: () => goOn(),
    chatter: () => service.chatter(1_000),
  };
  for (const [way, choice] of story) await ways[way]?.(choice);
  goOn();
  while (keys.length < plans.length) send();
  for (let quiet = 0; quiet < 3; quiet++) {
    service.accept();
    service.work();
    service.approve();
    while (service.hear()) quiet = 0;
    while (service.tell(0)) quiet = 0;
    await vi.advanceTimersByTimeAsync(longMs);
  }
  chat.close();
  await reading;
  return { service, told, keys };
}

const ofRun = (told: readonly Told[], id: string): readonly string[] =>
  told
    .filter((one) => one['run_id'] === id || (one['result'] as Told | undefined)?.['run_id'] === id)
    .map(({ type, ...more }) => (type === 'step' ? String((more['step'] as Told)['seq']) : type));

const stories = {
  plans: fc.array(plan, { minLength: 1, maxLength: 14, size: 'max' }),
  story: fc.array(happening, { minLength: 40, maxLength: 160, size: 'max' }),
};
const draws = { numRuns: byTier({ quick: 300, slow: 450, drill: 3_000 }) };

describe('the socket of an agent, wherever its connection breaks', () => {
  it('tells each step once and in order, one result for each turn, and begins nothing twice', async () => {
    let breaks = 0;
    const property = fc.asyncProperty(stories.plans, stories.story, async (plans, story) => {
      const { service, told } = await play(plans, story, true);
      breaks += service.breaks;
      expect(service.refused).toBe(0);
      expect(service.begun.toSorted()).toEqual(plans.map((_, i) => String(i)).toSorted());
      expect(told.filter(({ type }) => type === 'error')).toEqual([]);
      plans.forEach(({ steps }, i) => {
        const heard = ofRun(told, `r${i}`).filter((word) => word !== 'waiting');
        expect(heard).toEqual(['run', ...Array.from({ length: steps }, (_, seq) => `${seq + 1}`), 'result']);
      });
    });
    await fc.assert(property, draws);
    expect(breaks).toBeGreaterThan(draws.numRuns);
  });

  it('begins nothing twice without credentials either: each turn has one end, and steps in order', async () => {
    let lost = 0;
    const property = fc.asyncProperty(stories.plans, stories.story, async (plans, story) => {
      const { service, told, keys } = await play(plans, story, false);
      expect(service.refused).toBe(0);
      expect(service.begun.length).toBe(new Set(service.begun).size);
      const errors = told.filter(({ type }) => type === 'error');
      lost += errors.length;
      keys.forEach((key, i) => {
        const heard = ofRun(told, `r${i}`).filter((word) => word !== 'waiting');
        const steps = heard.filter((word) => /\d/.test(word));
        expect(steps).toEqual(steps.map((_, seq) => `${seq + 1}`));
        const results = heard.filter((word) => word === 'result').length;
        const failures = errors.filter(
          (one) => one['idempotency_key'] === key || one['run_id'] === `r${i}`,
        ).length;
        expect(results + failures).toBe(1);
      });
    });
    await fc.assert(property, draws);
    expect(lost).toBeGreaterThan(draws.numRuns);
  });
});
