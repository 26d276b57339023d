import { subscribe } from 'node:diagnostics_channel';
import { costOfBlocks } from './in-process.ts';
import type { ServerAsked, ServerMessage } from './server-process.ts';

/**
 * Tells the benchmark that started this process where it listens, and what it has used and done whenever it is asked; or
 * what requests cost it that it sends to itself.
 * Requests are counted by node itself, at the same cost for every server.
 */
export function announce(url: string): void {
  let requests = 0;
  subscribe('http.server.request.start', () => {
    requests++;
  });
  const tell = (message: ServerMessage): void => void process.send?.(message);
  process.on('message', (asked: ServerAsked) => {
    if (asked !== 'sample') {
      // What fails ends the process, and with it the benchmark.
      void costOfBlocks(url, asked.requests, asked.effort).then(tell);
      return;
    }
    const { user, system } = process.cpuUsage();
    tell({ cpuMicros: user + system, requests });
  });
  // Whoever asked is done, or gone.
  process.on('disconnect', () => process.exit());
  tell({ url });
}
