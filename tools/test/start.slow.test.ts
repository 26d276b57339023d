import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Program, startProgram } from '../../e2e/test/program.ts';

/** `npm start`, but for the look at what is installed. @param env keys that somebody has set */
async function start(
  argv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly program: Program; readonly url: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'waymark-start-'));
  const program = startProgram('tools/start.ts', { cwd, argv, env: { PORT: '0', ...env } });
  onTestFinished(async () => {
    program.child.kill('SIGTERM');
    await program.ended();
    rmSync(cwd, { recursive: true, force: true });
  });
  const [, url = ''] = await program.saying(/url +(http:\S+)/);
  return { program, url };
}

describe('npm start', () => {
  it('makes the keys that nobody has set', async () => {
    verifies('reference.makes-keys');
    const own = 'operator-key-of-somebody-0123456789abcdef';
    const { program, url } = await start([], { OPERATOR_KEY: own });
    await program.saying(/READER_KEY=\S+/);
    const asked = await fetch(`${url}/_svc/routes`, { headers: { 'x-api-key': own } });
    expect(asked.status).toBe(200);
    expect(program.stdout()).toMatch(/^ *READER_KEY=/m);
    expect(program.stdout()).not.toMatch(/^ *OPERATOR_KEY=/m);
  });

  it.each([
    ['on what was built', [], []],
    ['on the sources', ['--source'], ['--port', '0']],
  ])(
    'runs the reference application %s, as it is told beside, until it is to end',
    async (_, argv, words) => {
      verifies('start.built', 'start.source', 'start.words');
      const unknown = startProgram('tools/start.ts', { cwd: tmpdir(), argv: [...argv, '--prot', '8311'] });
      expect(await unknown.ended()).toBe(2);
      expect(unknown.stderr()).toBe('unknown option "--prot"; did you mean "--port"?\n');
      const { program, url } = await start([...argv, ...words, '--host=127.0.0.2']);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.2:/);
      const health = await fetch(`${url}/_svc/health`);
      expect(health.status).toBe(200);
      program.child.kill('SIGTERM');
      expect(await program.ended()).toBe(0);
    },
  );
});
