import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from './program.ts';
import { rssMb } from './rss-mb.ts';

// As it is built: whoever bundles leaves out what seems to have no effect.
it.runIf(process.platform === 'linux')(
  'gives back what a burst has left, once there is nothing to do',
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'burst-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const program = startProgram('e2e/test/programs/burst-desk.ts', {
      cwd,
      // V8 would do it by itself now and then.
      nodeOptions: ['--no-memory-reducer'],
    });
    onTestFinished(() => void program.child.kill('SIGKILL'));
    const [, url = '', pid = ''] = await program.saying(/url (\S+) pid (\d+)\n/);
    const held = (): number => rssMb(Number(pid));
    const before = held();
    const response = await fetch(`${url}/burst`, { method: 'POST' });
    expect(await response.json()).toBe(1_500_000);
    expect(held() - before).toBeGreaterThan(100);
    await expect.poll(() => held() - before, { timeout: 60_000, interval: 500 }).toBeLessThan(50);
  },
);
