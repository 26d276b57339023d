import { spawn } from 'node:child_process';
import { Failure } from '../output/failure.ts';
import { JpegSplitter } from './jpeg-splitter.ts';

/** The largest frame that any camera takes. */
const maxPictureBytes = 64 * 1_048_576;
/** From being asked to end until it is made to. */
const graceMs = 2_000;
/** What is kept of its messages. */
const maxSaid = 4_096;

/** How an ffmpeg is run. */
export interface FfmpegOptions {
  /** Its name, found along the `PATH`, or its path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Ended when it gives no picture for so long: a camera that went away is noticed by no ffmpeg alike. */
  readonly silentMs?: number | undefined;
  onPicture(picture: Uint8Array): void;
}

/** How it ended. */
export interface FfmpegEnd {
  /** null when a signal ended it. */
  readonly code: number | null;
  /** Its last line, or ours: why it ended. May hold the address of the source. */
  readonly said: string;
  readonly pictures: number;
}

/** One ffmpeg, which writes JPEGs. */
export class Ffmpeg {
  /** When it has ended and everything that it wrote was read. @throws {Failure} it could not be started */
  readonly ended: Promise<FfmpegEnd>;
  readonly stop: () => void;

  constructor({ program, args, silentMs, onPicture }: FfmpegOptions) {
    // In its environment are our keys.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: ownEnvironment() });
    const splitter = new JpegSplitter(maxPictureBytes);
    let said = '';
    let why: string | undefined;
    let pictures = 0;
    let forced: NodeJS.Timeout | undefined;
    const stop = (reason?: string): void => {
      why ??= reason;
      child.kill('SIGTERM');
      forced ??= setTimeout(() => child.kill('SIGKILL'), graceMs);
    };
    const watch = silentMs === undefined ? undefined : setTimeout(() => stop(silence(silentMs)), silentMs);
    // Whatever ends this process, ffmpeg is not to go on.
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.stdout.on('data', (piece: Buffer) => {
      for (const picture of splitter.push(piece)) {
        pictures++;
        watch?.refresh();
        onPicture(picture);
      }
      if (splitter.tooLarge > 0) stop('a picture has more than 64 MB');
    });
    child.stderr.on('data', (piece: Buffer) => {
      said = (said + piece).slice(-maxSaid);
    });
    this.stop = () => stop();
    this.ended = new Promise((resolve, reject) => {
      child.once('error', (error) => reject(notStarted(program, error)));
      child.once('close', (code) => resolve({ code, pictures, said: why ?? lastLine(said) }));
    });
    const clear = (): void => {
      clearTimeout(watch);
      clearTimeout(forced);
      process.removeListener('exit', kill);
    };
    this.ended.then(clear, clear);
  }
}

function ownEnvironment(): NodeJS.ProcessEnv {
  const { WAYMARK_PUSH_SOURCE: _, ...rest } = process.env;
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !name.endsWith('_KEY')));
}

function silence(ms: number): string {
  return `no picture for ${Math.round(ms / 1_000)} s`;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

const installed: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'sudo apt-get install ffmpeg',
  darwin: 'brew install ffmpeg',
  win32: 'winget install ffmpeg',
};

function notStarted(program: string, cause: NodeJS.ErrnoException): Failure {
  // Where a folder of PATH cannot be entered, or what is called so there is no program, nobody knows of another one.
  const isMissing = cause.code === 'ENOENT' || (cause.code === 'EACCES' && !/[\\/]/.test(program));
  if (!isMissing) return new Failure(`cannot start ${program}: ${cause.code}`, { cause });
  const advice = installed[process.platform] ?? 'install ffmpeg';
  return new Failure(`there is no ${program} here: ${advice}, or name it with --ffmpeg`, { cause });
}
