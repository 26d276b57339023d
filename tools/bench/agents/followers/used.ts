import { heapUsed } from '../heap-used.ts';
import type { Used } from './told.ts';

/** What this process has used so far, seen after a collection. */
export async function used(url: string): Promise<Used> {
  const before = cpuMs();
  const heap = await heapUsed();
  const { external } = process.memoryUsage();
  return { url, cpuMs: before, lookedCpuMs: cpuMs(), bytes: heap + external };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
