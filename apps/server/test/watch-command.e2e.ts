import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Program, run } from './running.ts';
import { writeLobby, writePictures } from './watched-lobby.ts';

/** Starts the command on a folder of pictures, where neither keys nor secrets are set. */
function dryRun(
  argv: readonly string[],
  input?: string,
): { readonly program: Program; readonly folder: string } {
  // Inside the repository, so that the application finds its packages.
  const folder = mkdtempSync(join(import.meta.dirname, '.watch-'));
  writeLobby(folder, input === undefined ? {} : { input });
  writePictures(join(folder, 'frames'));
  const program = run(['apps/server/bin/waymark.js', 'watch', 'lobby_watch', '--dry-run', ...argv], {
    cwd: folder,
  });
  onTestFinished(async () => {
    program.child.kill('SIGKILL');
    await program.ended();
    rmSync(folder, { recursive: true });
  });
  return { program, folder };
}

describe('waymark watch as a program', () => {
  it('shows a folder of JPEG and PNG to the simulator, and ends', async () => {
    verifies('cli.watch', 'cli.watch.nobody', 'cli.watch.model', 'cli.watch.cost', 'cli.streams');
    const { program, folder } = dryRun(['frames', '--json']);
    expect([await program.ended(), program.stderr()]).toEqual([0, '']);
    const rows = program
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(rows.map(({ type, file, status }) => [type, file, status])).toEqual([
      ['watcher', undefined, undefined],
      ['frame', 'frames/1.png', 'completed'],
      ['frame', 'frames/2.png', 'skipped'],
      ['frame', 'frames/10.png', 'completed'],
      ['frame', 'frames/11.JPG', 'completed'],
      ['summary', undefined, undefined],
    ]);
    expect(rows[0]).toMatchObject({ simulated: true, model: 'anthropic/claude-haiku-4-5-20251001' });
    expect(existsSync(join(folder, 'called')) || existsSync(join(folder, 'never.db'))).toBe(false);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with the sum so far at %s', async (signal) => {
    verifies('cli.watch.stop');
    const { program } = dryRun(['frames'], '[[latency 1500]] [[say A ball.]]');
    await program.saying(/2\.png .*skipped/);
    program.child.kill(signal);
    expect(await program.ended()).toBe(0);
    expect(program.stdout()).toMatch(/\nstopped: 2 not shown\n2 frames: 1 run, 1 skipped, 0 failed; /);
  });

  it('is stopped while it waits for the first answer', async () => {
    verifies('cli.watch.stop');
    const { program } = dryRun(['frames'], '[[hang]]');
    await program.saying(/dry run of lobby_watch/);
    program.child.kill('SIGINT');
    expect(await program.ended()).toBe(0);
    expect(program.stdout()).toContain(
      'stopped: 4 not shown\n0 frames: 0 runs, 0 skipped, 0 failed; 0 tokens, $0.00\n',
    );
  });
});
