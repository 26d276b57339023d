import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CameraClient, connectDevice } from '@waymark/client-gen/runtime';
import { expect, inject, onTestFinished } from 'vitest';
import { type Program, startProgram } from './program.ts';

const bin = 'apps/server/bin/waymark.js';
const viewerKey = 'viewer-key-of-the-yard';
const cameraKey = 'camera-key-of-the-yard';

/** A server that the command line started, with a camera `door`. */
export interface PushYard {
  readonly folder: string;
  readonly url: string;
  readonly port: number;
  /** Starts `waymark push --device door`; ended with the test. */
  push(argv: readonly string[], options?: { readonly url?: string; readonly source?: string }): Program;
  /** What somebody sees who looks at the camera from now on. */
  look(): Promise<readonly SeenPicture[]>;
  framesIn(): Promise<number>;
}

/** A picture, and when it was seen: milliseconds of the clock of this process. */
export interface SeenPicture {
  readonly bytes: Uint8Array;
  readonly seenMs: number;
}

/** Starts one until the test is over. */
export async function startYard(): Promise<PushYard> {
  // Inside the repository, so that the application finds its packages.
  const folder = mkdtempSync(join(import.meta.dirname, '.push-'));
  writeFileSync(
    join(folder, 'application.ts'),
    `import { createApplication } from '@waymark/server';
export const application = createApplication('yard', { shutdownTimeout: 0.3 });
application.camera('door');
application.apiKey('CAM_KEY', 'cam', { scopes: ['devices:ingest'] });
application.apiKey('VIEWER_KEY', 'viewer', { scopes: ['devices:read', 'svc:admin'] });
`,
  );
  const env = { CAM_KEY: cameraKey, VIEWER_KEY: viewerKey };
  const programs: Program[] = [];
  const start = (argv: readonly string[], more: Readonly<Record<string, string>> = {}): Program => {
    const program = startProgram(bin, { cwd: folder, argv, env: { ...env, ...more } });
    programs.unshift(program);
    return program;
  };
  onTestFinished(async () => {
    for (const program of programs) {
      program.child.kill('SIGTERM');
      await program.ended();
    }
    rmSync(folder, { recursive: true });
  });
  const server = start(['start', '--port', '0'], { LOG_LEVEL: 'warn' });
  const [, url = ''] = await server.saying(/url +(http:\S+)/);
  return {
    ...{ folder, url, port: Number(new URL(url).port) },
    push: (argv, { url: to = url, source } = {}) =>
      start(
        ['push', ...argv, '--device', 'door', '--as', 'cam', '--url', to, '--ffmpeg', inject('ffmpeg')],
        source === undefined ? {} : { WAYMARK_PUSH_SOURCE: source },
      ),
    look: () => lookAt(url),
    async framesIn() {
      const response = await fetch(`${url}/_svc/devices`, { headers: { 'x-api-key': viewerKey } });
      return Object(await response.json()).devices[0].frames_in;
    },
  };
}

async function lookAt(url: string): Promise<readonly SeenPicture[]> {
  const seen: SeenPicture[] = [];
  const events = connectDevice({ baseUrl: url, apiKey: viewerKey })<CameraClient>('/devices/door').stream();
  onTestFinished(async () => void (await events.return?.()));
  await events.next();
  const looking = async (): Promise<void> => {
    for await (const event of events)
      if (event.type === 'frame') seen.push({ bytes: event.bytes, seenMs: performance.now() });
  };
  void looking();
  return seen;
}

/** Runs ffmpeg to its end. @returns what it wrote to stdout */
export function ffmpeg(args: readonly string[], input?: Uint8Array): Buffer {
  const { status, stdout, stderr } = spawnSync(inject('ffmpeg'), ['-v', 'error', ...args], {
    maxBuffer: 100_000_000,
    ...(input && { input }),
  });
  expect([status, String(stderr)]).toEqual([0, '']);
  return stdout;
}

/** Two halves of a picture, each as bright as a digit of 16: ten of them a second, for 25 s. */
export const numbered =
  "color=c=black:s=64x32:r=10:d=25,geq=lum='16+13*if(lt(X,32),mod(N,16),floor(N/16))':cb=128:cr=128";

/** The numbers that such pictures show. */
export function numbersOf(pictures: readonly Uint8Array[]): readonly number[] {
  const halves = ffmpeg(
    [
      '-f',
      'image2pipe',
      '-c:v',
      'mjpeg',
      '-i',
      'pipe:0',
      '-vf',
      'scale=2:1:flags=area',
      '-pix_fmt',
      'gray',
    ].concat(['-f', 'rawvideo', 'pipe:1']),
    Buffer.concat(pictures),
  );
  // JPEG has the whole range of a byte, video 219 steps of it.
  const digit = (at: number): number => Math.round(((halves[at] ?? 0) * 219) / 255 / 13);
  return pictures.map((_, i) => digit(2 * i) + 16 * digit(2 * i + 1));
}

/** The processes below one, by what Linux says of them. */
export function descendants(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === pid)
    .flatMap((name) => [Number(name), ...descendants(Number(name))]);
}

/** undefined when it has ended. */
export function parentOf(pid: number): number | undefined {
  try {
    const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    // It ended while we looked.
    return undefined;
  }
}
