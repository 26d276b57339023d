import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes in use when everything that can go has gone. */
export async function heapUsed(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 5; i++) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}
