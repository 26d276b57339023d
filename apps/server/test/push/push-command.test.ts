import { writeFileSync } from 'node:fs';
import { verifies } from '@waymark/contract/testing';
import { createApplication } from '@waymark/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inFolder, waymark } from '../command-line.ts';

const keys = { CAM_KEY: 'cam-key-of-the-test-1', VIEWER_KEY: 'viewer-key-of-the-test' };

/** Serves a camera and a sensor until the test is over. @returns its address */
async function served(): Promise<string> {
  inFolder();
  vi.stubEnv('LOG_LEVEL', 'silent');
  for (const [name, key] of Object.entries(keys)) vi.stubEnv(name, key);
  const application = createApplication('yard');
  application.camera('door');
  application.sensor('thermo');
  application.apiKey('CAM_KEY', 'cam', { scopes: ['devices:ingest'] });
  application.apiKey('VIEWER_KEY', 'viewer', { scopes: ['devices:read', 'svc:admin'] });
  application.apiKey('BOTH_KEY', 'both', { scopes: ['devices:ingest', 'svc:admin'] });
  vi.stubEnv('BOTH_KEY', 'both-key-of-the-test');
  const { url, close } = await application.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(close);
  return url;
}

describe('waymark push', () => {
  it.each([
    [
      'a wrong key',
      ['--device', 'door', '--as', 'some-key-of-nobody'],
      /^the credential is not valid; name a key with --as/,
    ],
    ['no key', ['--device', 'door'], /name a key with --as/],
    ['a key that may not send', ['--device', 'door', '--as', 'viewer'], /devices:ingest/],
    ['no such device', ['--device', 'dor', '--as', 'cam'], /^there is no device "dor" at http:\S+$/],
    [
      'one that was meant',
      ['--device', 'dor', '--as', 'both'],
      /^there is no device "dor" at \S+; did you mean door\?$/,
    ],
    [
      'those there are',
      ['--device', 'garden', '--as', 'both'],
      /^there is no device "garden" at \S+; there are door, thermo$/,
    ],
    ['a name with a slash', ['--device', '../thermo', '--as', 'cam'], /^there is no device "..\/thermo"/],
    ['a sensor', ['--device', 'thermo', '--as', 'cam'], /^"thermo" is a sensor: it takes no pictures$/],
    [
      'no ffmpeg',
      ['--device', 'door', '--as', 'cam', '--ffmpeg', 'no-ffmpeg'],
      /^there is no no-ffmpeg here: .* install ffmpeg, or name it with --ffmpeg$/,
    ],
  ])('says in one sentence what is wrong: %s', async (_, argv, says) => {
    verifies('cli.push', 'cli.exit-codes');
    const url = await served();
    const { code, out, err } = await waymark('push', 'film.mp4', '--url', url, ...argv);
    expect(err.trim()).toMatch(says);
    expect([code, out, err.trim().includes('\n')]).toEqual([1, '', false]);
    for (const key of Object.values(keys)) expect(err).not.toContain(key);
  });

  it('says the same of ffmpeg where PATH leads to what cannot be started', async () => {
    const url = await served();
    writeFileSync('no-ffmpeg', '', { mode: 0o600 });
    vi.stubEnv('PATH', process.cwd());
    const argv = ['--url', url, '--device', 'door', '--as', 'cam', '--ffmpeg'];
    expect((await waymark('push', 'film.mp4', ...argv, 'no-ffmpeg')).err).toMatch(
      /^there is no no-ffmpeg here: /,
    );
    expect((await waymark('push', 'film.mp4', ...argv, './no-ffmpeg')).err).toMatch(
      /^cannot start \.\/no-ffmpeg: EACCES$/m,
    );
  });

  it.each([
    [['--device', 'door'], /^name a source, or set WAYMARK_PUSH_SOURCE/],
    [['film.mp4'], /device/],
    [['film.mp4', '--device', 'door', '--fps', 'many'], /^--fps is a number from 0.01 to 1000/],
    [['film.mp4', '--device', 'door', '--quality', '1'], /^--quality is a number from 2 to 31/],
    [['film.mp4', '--device', 'door', '--width', '5'], /^--width is a number from 16 to 16384/],
  ])('refuses %j', async (argv, says) => {
    verifies('cli.exit-codes');
    inFolder();
    const { code, err } = await waymark('push', ...argv);
    expect(err).toMatch(says);
    expect(code).toBe(2);
  });
});
