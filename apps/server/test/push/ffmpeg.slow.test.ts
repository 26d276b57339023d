import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Ffmpeg, type FfmpegOptions } from '../../src/cli/push/ffmpeg.ts';

/** Another program in its place: what it does is all that matters here. */
function running(script: string, options: Partial<FfmpegOptions> = {}) {
  const pictures: number[][] = [];
  const onPicture = (picture: Uint8Array): void => void pictures.push([...picture]);
  const ffmpeg = new Ffmpeg({ program: process.execPath, args: ['-e', script], onPicture, ...options });
  onTestFinished(async () => {
    ffmpeg.stop();
    await ffmpeg.ended;
  });
  return { ffmpeg, pictures };
}

/** Writes one. */
const picture = 'process.stdout.write(Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 7, 0xff, 0xd9]));';
const bytes = [0xff, 0xd8, 0xff, 0xda, 0, 2, 7, 0xff, 0xd9];

describe('an ffmpeg', () => {
  it('gives its pictures, and says how it ended in its last line', async () => {
    const script = `${picture}${picture} console.error('first\\nlast'); process.exitCode = 3;`;
    const { ffmpeg, pictures } = running(script);
    expect(await ffmpeg.ended).toEqual({ code: 3, said: 'last', pictures: 2 });
    expect(pictures).toEqual([bytes, bytes]);
  });

  it('is ended when it gives no picture for too long, and not while it does', async () => {
    verifies('cli.push.sources');
    const script = `let left = 8; setInterval(() => { if (left-- > 0) { ${picture} } }, 250);`;
    const { ffmpeg, pictures } = running(script, { silentMs: 1_400 });
    expect(await ffmpeg.ended).toMatchObject({ said: 'no picture for 1 s' });
    expect(pictures.length).toBe(8);
  });

  it('is ended with a picture of more than 64 MB', async () => {
    verifies('cli.push.pictures');
    const script = `process.stdout.write(Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2]));
      const write = () => { while (process.stdout.write(Buffer.alloc(1e6))); };
      process.stdout.on('drain', write); write();`;
    const { ffmpeg } = running(script);
    expect(await ffmpeg.ended).toMatchObject({ said: 'a picture has more than 64 MB', pictures: 0 });
  });

  it('is made to end when it does not want to', async () => {
    verifies('cli.push.no-child');
    const { ffmpeg, pictures } = running(
      `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); ${picture}`,
    );
    await expect.poll(() => pictures.length).toBe(1);
    ffmpeg.stop();
    expect(await ffmpeg.ended).toMatchObject({ code: null });
  });

  it('is told no key', async () => {
    verifies('cli.no-keys');
    vi.stubEnv('CAM_KEY', 'cam-key-of-the-test');
    vi.stubEnv('WAYMARK_PUSH_SOURCE', 'rtsp://admin:s3cret@camera/1');
    vi.stubEnv('SHOWN', 'yes');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { ffmpeg } = running('console.error(JSON.stringify(process.env))');
    const { said } = await ffmpeg.ended;
    expect(said).not.toContain('cam-key');
    expect(said).not.toContain('s3cret');
  });
});
