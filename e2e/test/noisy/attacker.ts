// A process that attacks once: it is told what, gets ready, begins at `go`, and says at the end what it did.
import type { Order } from './attack.ts';
import { Ground } from './ground.ts';
import { shapesOf } from './shapes/shapes.ts';

const say = (what: object): void => void process.send?.(what);

process.once('message', (order: Order) => {
  const all = shapesOf(order.attack.shape);
  // Of several each has its share of the time, one after the other.
  const grounds = all.map(() => new Ground({ ...order, ms: order.ms / all.length }));
  const ready = all.map((shape, i) => shape(grounds[i] as Ground));
  process.once('message', () => void attack(grounds, ready));
  say({ ready: true });
});

async function attack(grounds: readonly Ground[], ready: readonly (() => Promise<void>)[]): Promise<void> {
  const deeds: Record<string, number> = {};
  for (const [i, ground] of grounds.entries()) {
    ground.begin();
    await ready[i]?.();
    ground.end();
    for (const [what, times] of Object.entries(ground.deeds)) deeds[what] = (deeds[what] ?? 0) + times;
  }
  say({ deeds });
  process.disconnect();
}
