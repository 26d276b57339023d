import { proxy } from '@waymark/pages';
import { describe, expect, it } from 'vitest';
import { failures } from '../test/proxy-failures.ts';
import { serveProxies } from '../test/proxy-upstreams.ts';
import { exchange, rawRequest } from '../test/raw-client.ts';

const rounds = 1000;
const atOnce = 50;
const get = rawRequest('GET', '/a', ['Connection: close']);

/** Connections of this process: the caller's, ours and the upstream's. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((one) => one === 'TCPSocketWrap').length;
}

describe('an upstream that fails 1,000 times', () => {
  it.each(failures)(
    'with $name leaves no connection open',
    async ({ upstream: start, outcome, timeoutMs }) => {
      const before = openSockets();
      const up = await start();
      const { port } = await serveProxies(up.url, [proxy('GET', '/a', 'desk')], { timeoutMs });
      const worker = async (): Promise<void> => {
        for (let i = 0; i < rounds / atOnce; i++) {
          const [answer] = await exchange(port, get);
          // A cut answer is none: its end never came.
          expect(answer?.status).toBe(outcome === 'cut' ? undefined : outcome);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      await up.quiet?.();
      while (openSockets() > before) await new Promise((resolve) => setTimeout(resolve, 100));
    },
  );
});
