import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Program, run } from './running.ts';

/** A started server, and where it answers. */
async function started(env: NodeJS.ProcessEnv): Promise<{ readonly program: Program; readonly url: string }> {
  const program = run(['apps/server/test/fixtures/behind-proxy.ts'], { env });
  onTestFinished(async () => {
    program.child.kill('SIGKILL');
    await program.ended();
  });
  const [, url = ''] = await program.saying(/listening on (\S+)/);
  return { program, url };
}

const forwarded = { headers: { 'x-forwarded-for': '192.0.2.1' } };

describe('a server that was told of no proxy', () => {
  it('says once in its log that one seems to stand in front', async () => {
    verifies('http.rate.proxy-notice');
    const { program, url } = await started({});
    for (const init of [{}, forwarded, forwarded, {}, forwarded])
      expect((await fetch(url, init)).status).toBe(200);
    await program.saying(/X-Forwarded-For/);
    const lines = program
      .stdout()
      .split('\n')
      .filter((line) => line.includes('X-Forwarded-For'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'X-Forwarded-For arrives and is not believed',
        fix: 'set trustProxy to the number of proxies in front, or to 0 if there is none',
      }),
    ]);
  });

  it.each(['0', '1'])('says nothing where it was told: trustProxy %s', async (TRUST) => {
    verifies('http.rate.proxy-notice');
    const { program, url } = await started({ TRUST });
    expect((await fetch(url, forwarded)).status).toBe(200);
    // What it would have said comes before its last words.
    program.child.kill('SIGTERM');
    await program.ended();
    expect(program.stdout()).not.toContain('X-Forwarded-For');
  });
});
