import { setTimeout as sleep } from 'node:timers/promises';

/** Tells on SIGUSR2 what is left of memory when everything was collected. Needs `--expose-gc`. */
process.on('SIGUSR2', () => void tell());

async function tell(): Promise<void> {
  globalThis.gc?.();
  // What finalizers let go of is collected the second time.
  await sleep(50);
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  console.log(`heap ${heapUsed} external ${external} rss ${rss}`);
}
