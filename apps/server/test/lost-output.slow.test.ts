import { closeSync, openSync } from 'node:fs';
import { byTier, freePort } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applicationText, inFolder } from './command-line.ts';
import { type Program, run } from './running.ts';

const cli = 'apps/server/bin/waymark.js';
const full = 'cannot write to standard output: there is no space left\n';

function onFullDisk(argv: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Program {
  const stdout = openSync('/dev/full', 'w');
  const program = run([cli, ...argv], { cwd, env, stdout });
  closeSync(stdout);
  onTestFinished(async () => {
    program.child.kill('SIGKILL');
    await program.ended();
  });
  return program;
}

describe('an output that cannot be written', () => {
  /** Each is a program: some stand for the others in CI. */
  const commands = [
    ['check'],
    ['routes'],
    ['typegen'],
    ['check', '--json'],
    ['openapi'],
    ['security'],
    ['keygen'],
    ['mcp-config', '--client', 'claude', '--json'],
    ['--help'],
    ['new', 'made'],
    ['--version'],
  ].filter((_, i) => i % byTier({ quick: 4, slow: 4, drill: 1 }) === 0);

  it.each(commands.map((argv) => [argv]))(
    'ends %j with 1 and a line, when there is no space',
    async (argv) => {
      const folder = inFolder({ 'application.ts': applicationText('') });
      const program = onFullDisk(argv, folder);
      expect(await program.ended()).toBe(1);
      expect(program.stderr()).toBe(full);
    },
  );

  it('keeps the exit code of a command that failed', async () => {
    const program = onFullDisk([], inFolder());
    expect(await program.ended()).toBe(2);
  });

  it('ends a command with 1 and a line when nobody reads any more', async () => {
    const folder = inFolder({ 'application.ts': applicationText('') });
    const program = run([cli, 'openapi'], { cwd: folder });
    program.child.stdout?.destroy();
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toBe('cannot write to standard output: nobody reads it any more\n');
  });

  it.each(['1', '2'])(
    'leaves a server serving, which ends by itself when it is told to: %s processes',
    async (workers) => {
      // Its report is lost: the application says itself where it listens.
      const folder = inFolder({
        'application.ts': applicationText(
          `application.add({ name: 'address', routes: [], start: () => { setTimeout(() => console.error('started'), 100); } });
application.get('/hello', () => 'hi');`,
        ),
      });
      const port = await freePort();
      const program = onFullDisk(['start', '--port', String(port), '--workers', workers], folder);
      await program.saying(/started/);
      for (let i = 0; i < 3; i++)
        expect(await (await fetch(`http://127.0.0.1:${port}/hello`)).json()).toBe('hi');
      program.child.kill('SIGTERM');
      expect(await program.ended()).toBe(0);
      expect(program.stderr()).toContain(full);
    },
  );
});
