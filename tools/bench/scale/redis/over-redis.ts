import { has } from '../../lib/cores.ts';
import type { Goal } from '../../lib/goals.ts';
import { startServer } from '../server.ts';
import { type Broker, startNats, startRedis } from './broker.ts';
import { deliveryMs } from './delivery.ts';
import { costOf, type FrameCost } from './frames.ts';
import { byHand, byHandKept, throughHub, throughNats, type Way } from './ways.ts';

const sizes = { '50 KB': 50_000, '200 KB': 200_000 } as const;
const framesOfBlock = 500;

/** What a frame costs that several instances share, beside plain Redis and NATS. Says aloud what is not there. */
export async function overRedis(
  folder: string,
  picture: Uint8Array,
  blocks: number,
): Promise<readonly Goal[]> {
  if (!has('redis-server')) {
    console.log('no redis-server: the hub over Redis is left out');
    return [];
  }
  const redis = await startRedis(folder);
  const nats = has('nats-server') ? await startNats() : undefined;
  if (!nats) console.log('no nats-server: it is left out');
  const ways: readonly (readonly [string, Broker, Way])[] = [
    ['hub', redis, await throughHub(redis.port)],
    ['pub/sub by hand', redis, await byHand(redis.port)],
    ['kept by hand', redis, await byHandKept(redis.port)],
    ...(nats ? ([['NATS', nats, await throughNats(nats.port)]] as const) : []),
  ];
  const goals: Goal[] = [];
  for (const [name, bytes] of Object.entries(sizes)) {
    const costs = await leastOf(ways, bytes, blocks);
    for (const [way, { us, brokerUs, ownUs }] of costs)
      console.log(
        `${name}, ${way}: ${us.toFixed(0)} µs a frame; CPU ${brokerUs.toFixed(0)} µs of the broker, ${ownUs.toFixed(0)} µs of who sends and listens`,
      );
    goals.push(...toGoals(name.replace(' ', '').toLowerCase(), costs));
  }
  for (const [, , way] of ways) await way.close();
  goals.push(await deliveryGoal(folder, redis, picture, blocks));
  await Promise.all([redis.stop(), nats?.stop()]);
  return goals;
}

async function leastOf(
  ways: readonly (readonly [string, Broker, Way])[],
  bytes: number,
  blocks: number,
): Promise<ReadonlyMap<string, FrameCost>> {
  const found = new Map<string, FrameCost>();
  for (let i = 0; i < blocks; i++)
    for (const [name, broker, way] of ways) {
      const cost = await costOf(way, broker, bytes, framesOfBlock);
      const before = found.get(name) ?? cost;
      found.set(name, {
        us: Math.min(cost.us, before.us),
        brokerUs: Math.min(cost.brokerUs, before.brokerUs),
        ownUs: Math.min(cost.ownUs, before.ownUs),
      });
    }
  return found;
}

function toGoals(size: string, costs: ReadonlyMap<string, FrameCost>): readonly Goal[] {
  const [hub, hand, nats] = ['hub', 'pub/sub by hand', 'NATS'].map((name) => costs.get(name));
  if (!hub || !hand) return [];
  return [
    { name: `frame-over-redis-${size}`, measured: hub.us / hand.us, op: '<=', target: 1.2 },
    ...(nats
      ? [
          {
            name: `broker-cpu-beside-nats-${size}`,
            measured: hub.brokerUs / nats.brokerUs,
            op: '<=' as const,
            target: 0.25,
          },
        ]
      : []),
  ];
}

async function deliveryGoal(
  folder: string,
  redis: Broker,
  picture: Uint8Array,
  blocks: number,
): Promise<Goal> {
  const env = { WAYMARK_HUB_REDIS: `redis://127.0.0.1:${redis.port}` };
  const [alone, a, b] = [
    await startServer(1, folder),
    await startServer(1, folder, { ...env, NAMED: 'a' }),
    await startServer(1, folder, { ...env, NAMED: 'b' }),
  ];
  const least = { alone: Number.POSITIVE_INFINITY, apart: Number.POSITIVE_INFINITY };
  for (let i = 0; i < blocks; i++) {
    least.alone = Math.min(least.alone, await deliveryMs(alone.url, alone.url, picture, 60));
    least.apart = Math.min(least.apart, await deliveryMs(a.url, b.url, picture, 60));
  }
  await Promise.all([alone, a, b].map((one) => one.stop()));
  console.log(
    `delivery at 30 fps, median: ${least.alone.toFixed(2)} ms in one process, ${least.apart.toFixed(2)} ms to another over Redis`,
  );
  return { name: 'delivery-over-redis', measured: least.apart / least.alone, op: '<=', target: 3 };
}
