import type { SharedLimits } from '@waymark/contract/http';
import { describe, expect, it } from 'vitest';
import { openDoor } from '../open-door.ts';

const page = { method: 'GET', path: '/page' } as const;
const rateLimit = { perSecond: 0.001, burst: 10 };
const failureLimit = { perSecond: 0.001, burst: 3 };

/** Doors that share the limits of one. */
async function doors(count: number) {
  const owner = await openDoor([page], { rateLimit, failureLimit });
  const sharedLimits: SharedLimits = {
    take: async (limit, key, cost) => owner.door.take(limit, key, cost),
  };
  const others = Array.from({ length: count - 1 }, () =>
    openDoor([page], { rateLimit, failureLimit, sharedLimits }),
  );
  return [owner, ...(await Promise.all(others))];
}

async function statuses(urls: readonly string[]): Promise<readonly number[]> {
  return Promise.all(urls.map(async (url) => (await fetch(url)).status));
}

describe('limits that several doors share', () => {
  it('let through as many as one door would, and say what is left', async () => {
    const all = await doors(4);
    const { headers } = await fetch(`${all[1]?.url}/page`);
    expect(headers.get('ratelimit')).toBe('"default";r=9;t=1000');
    const urls = Array.from({ length: 39 }, (_, i) => `${all[i % 4]?.url}/page`);
    const seen = await statuses(urls);
    expect(seen.filter((status) => status === 200)).toHaveLength(9);
    expect(seen.filter((status) => status === 429)).toHaveLength(30);
  });

  it('count the failures of one address together', async () => {
    const all = await doors(2);
    const seen = await statuses(Array.from({ length: 6 }, (_, i) => `${all[i % 2]?.url}/nowhere`));
    expect(seen.filter((status) => status === 404)).toHaveLength(3);
    expect(seen.filter((status) => status === 429)).toHaveLength(3);
  });

  it('refuse nothing while nobody can say', async () => {
    const { url } = await openDoor([page], { rateLimit, sharedLimits: { take: async () => undefined } });
    const seen = await statuses(Array.from({ length: 12 }, () => `${url}/page`));
    expect(new Set(seen)).toEqual(new Set([200]));
  });

  it('of rates alone leave failures to each door, and rates too while nobody can say', async () => {
    let away = false;
    const keeper = await openDoor([page], { rateLimit });
    const sharedRate: SharedLimits = {
      take: async (limit, key, cost) => (away ? undefined : keeper.door.take(limit, key, cost)),
    };
    const options = { rateLimit, failureLimit, sharedRate };
    const [one, other] = await Promise.all([openDoor([page], options), openDoor([page], options)]);
    const ask = (path: string, count: number) =>
      statuses(Array.from({ length: count }, (_, i) => `${(i % 2 === 0 ? one : other).url}${path}`));
    expect((await ask('/page', 20)).filter((status) => status === 200)).toHaveLength(10);
    // Three of each door.
    expect((await ask('/nowhere', 10)).filter((status) => status === 404)).toHaveLength(6);
    away = true;
    // Ten of each door.
    expect((await ask('/page', 40)).filter((status) => status === 200)).toHaveLength(20);
  });

  it('tell one door what the others have answered', async () => {
    const { door } = await openDoor([page]);
    const { url } = await openDoor([page], { onAnswered: (...answer) => door.count(...answer) });
    await fetch(`${url}/page`);
    await fetch(`${url}/nowhere`);
    await expect.poll(() => door.traffic(60_000)).toMatchObject({ requests: 2, clientErrors: 1 });
  });
});
