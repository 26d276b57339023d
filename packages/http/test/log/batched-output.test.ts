import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';

/** A process that runs `source` with an `output`, and lives on until it is told to end. */
function program(source: string): ReturnType<typeof spawn> {
  const module = new URL('../../src/log/batched-output.ts', import.meta.url).href;
  const child = spawn(
    process.execPath,
    [
      '--conditions=@waymark/source',
      '--input-type=module',
      '-e',
      `import { BatchedOutput } from '${module}';
       const output = new BatchedOutput();
       ${source}
       process.stdin.resume();`,
    ],
    { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill());
  return child;
}

async function lines(child: ReturnType<typeof spawn>, count: number): Promise<string[]> {
  const found: string[] = [];
  if (!child.stdout) return found;
  for await (const line of createInterface({ input: child.stdout })) {
    found.push(line);
    if (found.length === count) break;
  }
  return found;
}

describe('BatchedOutput', () => {
  it('writes a line soon, while the process lives on', async () => {
    const child = program(`output.write('one\\n');`);
    expect(await lines(child, 1)).toEqual(['one']);
    expect(child.exitCode).toBeNull();
  });

  it('writes everything in order for a reader that is slow, and to the last line', async () => {
    // More than a pipe holds, so that batches come while one is being written.
    const child = program(`
      let next = 0;
      const timer = setInterval(() => {
        for (let i = 0; i < 1000; i++) output.write(String(next++).padEnd(200, '.') + '\\n');
        if (next < 5000) return;
        clearInterval(timer);
        process.stderr.write('done');
      }, 20);`);
    if (child.stderr) await once(child.stderr, 'data');
    const found = await lines(child, 5000);
    expect(found.map((line) => Number.parseInt(line, 10))).toEqual(Array.from({ length: 5000 }, (_, i) => i));
    expect(child.exitCode).toBeNull();
  });

  it('loses lines rather than memory when nobody reads', async () => {
    const child = program(`
      const line = 'x'.repeat(1023) + '\\n';
      for (let i = 0; i < 64 * 1024; i++) output.write(line);
      process.stderr.write('done');
      setTimeout(() => process.exit(), 1);`);
    if (child.stderr) await once(child.stderr, 'data');
    let bytes = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(child, 'close');
    expect(bytes).toBeGreaterThan(16 * 1024 * 1024);
    expect(bytes).toBeLessThan(17 * 1024 * 1024);
  });

  it.each(['/dev/full', 'a closed pipe'])(
    'keeps nobody from serving, or from ending, with %s behind it',
    async (to) => {
      const module = new URL('../../src/log/batched-output.ts', import.meta.url).href;
      // Lines before it ends, so that a batch has failed, and one at the end.
      const source = `import { BatchedOutput } from '${module}';
      const output = new BatchedOutput();
      output.write('one\\n');
      setTimeout(() => {
        process.stderr.write('still here');
        output.write('two\\n');
        process.exit(0);
      }, 300);`;
      const file = to === '/dev/full' ? openSync(to, 'w') : undefined;
      const child = spawn(
        process.execPath,
        ['--conditions=@waymark/source', '--input-type=module', '-e', source],
        { cwd: import.meta.dirname, stdio: ['ignore', file ?? 'pipe', 'pipe'] },
      );
      onTestFinished(() => void child.kill('SIGKILL'));
      if (file !== undefined) closeSync(file);
      child.stdout?.destroy();
      let said = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(said).toBe('still here');
    },
  );
});
