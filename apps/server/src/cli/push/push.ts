import { setTimeout as sleep } from 'node:timers/promises';
import type { CameraPublisher, PublishOptions } from '@waymark/client-gen/runtime';
import { Failure } from '../output/failure.ts';
import type { Ffmpeg, FfmpegEnd } from './ffmpeg.ts';
import type { Progress } from './progress.ts';

/** Frames a second where nobody says otherwise, and the camera takes as many. */
const usualFps = 10;
/** Between two starts of ffmpeg, longer each time. */
const shortestPauseMs = 1_000;
const longestPauseMs = 30_000;
/** What a hub says behind its greeting is not waited for any longer. */
const readyMs = 2_000;
/** The last frames of a file are waited for no longer. */
const answersMs = 5_000;
const lookMs = 20;

/** What pictures are pushed with. */
export interface PushParts {
  publish(options: PublishOptions): CameraPublisher;
  /** Whether the device takes frames. @throws {Failure} it does not */
  checkCamera(): Promise<void>;
  /** Why the service refused for good. */
  toFailure(error: Error): Promise<Failure>;
  film(fps: number, onPicture: (picture: Uint8Array) => void): Ffmpeg;
  /** It ends; else it is live. */
  readonly isPlayed: boolean;
  readonly fps?: number | undefined;
  progress(publisher: () => CameraPublisher): Progress;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Sends what a source shows to a camera, until it is over or somebody ends it. @throws {Failure} why it cannot */
export async function push(parts: PushParts): Promise<void> {
  const end = new AbortController();
  const signal = AbortSignal.any([parts.signal, end.signal]);
  let refusal: Error | undefined;
  let isLost = false;
  const progress = parts.progress(() => publisher);
  const publisher = parts.publish({
    onState: (state, error) => {
      if (state === 'waiting' && !isLost)
        progress.note(`no connection (${error?.message ?? 'no answer'}); trying again…`);
      if (state === 'open' && isLost) progress.note('connected');
      isLost = state === 'waiting' || (isLost && state !== 'open');
      if (state === 'closed') {
        refusal = error;
        end.abort();
      }
    },
    onReceipt: (receipt) => {
      if (receipt.seq === null) progress.refused(receipt.message);
    },
  });
  try {
    await untilReady(publisher, signal);
    if (!signal.aborted) await parts.checkCamera();
    const { maxFps = Number.POSITIVE_INFINITY } = publisher;
    const fps = Math.min(parts.fps ?? usualFps, maxFps);
    if ((parts.fps ?? fps) > fps) progress.note(`the camera takes ${fps} frames a second: no more are sent`);
    const take = (picture: Uint8Array): void => {
      if (signal.aborted) return;
      progress.frame(picture.length);
      publisher.frame(picture);
    };
    await (parts.isPlayed ? play : keepOn)({ ...parts, publisher, progress, signal }, fps, take);
  } finally {
    progress.close();
    publisher.close();
  }
  if (refusal) throw await parts.toFailure(refusal);
}

interface Filming extends Pick<PushParts, 'film' | 'signal'> {
  readonly publisher: CameraPublisher;
  readonly progress: Progress;
}

type TakePicture = (picture: Uint8Array) => void;

/** From its beginning to its end. */
async function play(filming: Filming, fps: number, take: TakePicture): Promise<void> {
  const { publisher, signal } = filming;
  let pictures = 0;
  const { code, said } = await filmOnce(filming, fps, (picture) => {
    pictures++;
    take(picture);
  });
  if (signal.aborted) return;
  if (code !== 0) throw new Failure(`ffmpeg ended with ${code}: ${said}`);
  if (pictures === 0) throw new Failure('there is no picture in it');
  const untilMs = performance.now() + answersMs;
  const isAnswered = (): boolean =>
    publisher.taken + publisher.refused + publisher.dropped >= pictures || performance.now() > untilMs;
  while (!isAnswered() && !signal.aborted) await pause(lookMs, signal);
}

/** Again whenever it ends: a camera may be switched off and on. */
async function keepOn(filming: Filming, fps: number, take: TakePicture): Promise<void> {
  const { progress, signal } = filming;
  let pauseMs = shortestPauseMs;
  while (!signal.aborted) {
    const sinceMs = performance.now();
    const { code, said, pictures } = await filmOnce(filming, fps, take);
    if (signal.aborted) return;
    if (pictures > 0 && performance.now() - sinceMs > longestPauseMs) pauseMs = shortestPauseMs;
    const why = said === '' ? `with ${code}` : `(${said})`;
    progress.note(`ffmpeg ended ${why}; again in ${pauseMs / 1_000} s`);
    await pause(pauseMs, signal);
    pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
  }
}

async function filmOnce({ film, signal }: Filming, fps: number, take: TakePicture): Promise<FfmpegEnd> {
  if (signal.aborted) return { code: 0, said: '', pictures: 0 };
  const ffmpeg = film(fps, take);
  signal.addEventListener('abort', ffmpeg.stop, { once: true });
  try {
    return await ffmpeg.ended;
  } finally {
    signal.removeEventListener('abort', ffmpeg.stop);
  }
}

/** Until it is connected and knows how many frames the camera takes. */
async function untilReady(publisher: CameraPublisher, signal: AbortSignal): Promise<void> {
  let openMs = 0;
  const isReady = (): boolean =>
    publisher.state === 'open' && (publisher.maxFps !== undefined || openMs >= readyMs);
  while (!isReady() && !signal.aborted) {
    await pause(lookMs, signal);
    if (publisher.state === 'open') openMs += lookMs;
  }
}

/** Over at once when it is to end. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
