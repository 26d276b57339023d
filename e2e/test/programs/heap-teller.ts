import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';

/**
 * Tells on SIGUSR2 what is left of memory when everything was collected, bytes, with what of the heap is compiled code. Needs
 * `--expose-gc`.
 */
process.on('SIGUSR2', () => void tell());

async function tell(): Promise<void> {
  globalThis.gc?.();
  // What finalizers let go of is collected the second time.
  await sleep(50);
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  console.log(`heap ${heapUsed} code ${compiledCode()} external ${external} rss ${rss}`);
}

/** Where V8 keeps machine code and bytecode; functions are compiled as they get hot, for hours if they are seldom called. */
function compiledCode(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => /^(code|trusted)_/.test(name));
  return spaces.reduce((sum, { space_used_size: size }) => sum + size, 0);
}
