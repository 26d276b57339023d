import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from './program.ts';

/** Megabytes that a process holds. */
function rssMb(pid: string): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

// As it is built: whoever bundles leaves out what seems to have no effect.
it.runIf(process.platform === 'linux')(
  'gives back what a burst has left, once there is nothing to do',
  async () => {
    const program = startProgram('e2e/test/programs/burst-desk.ts', {
      cwd: mkdtempSync(join(tmpdir(), 'burst-')),
      // V8 would do it by itself now and then.
      nodeOptions: ['--no-memory-reducer'],
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    const [, url = '', pid = ''] = await program.saying(/url (\S+) pid (\d+)\n/);
    const before = rssMb(pid);
    const response = await fetch(`${url}/burst`, { method: 'POST' });
    expect(await response.json()).toBe(1_500_000);
    const most = rssMb(pid);
    expect(most - before).toBeGreaterThan(100);
    await expect.poll(() => rssMb(pid) - before, { timeout: 60_000, interval: 500 }).toBeLessThan(50);
  },
);
