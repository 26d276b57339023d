import { subscribe } from 'node:diagnostics_channel';
import type { ServerMessage } from './server-process.ts';

/**
 * Tells the benchmark that started this process where it listens, and what it has used and done whenever it is asked.
 * Requests are counted by node itself, at the same cost for every server.
 */
export function announce(url: string): void {
  let requests = 0;
  subscribe('http.server.request.start', () => {
    requests++;
  });
  const tell = (message: ServerMessage): void => void process.send?.(message);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    tell({ cpuMicros: user + system, requests });
  });
  // Whoever asked is done, or gone.
  process.on('disconnect', () => process.exit());
  tell({ url });
}
