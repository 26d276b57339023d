import { readFileSync } from 'node:fs';

/** Megabytes that a process holds, where Linux tells; 0 where it is gone, which whoever asks finds out by itself. */
export function rssMb(pid: number): number {
  try {
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
}
