import { HTTPError } from '@waymark/contract';
import { type Awaitable, type BodySource, goingOn, withoutStack } from '@waymark/contract/engine';
import type { HubBackend } from '@waymark/contract/hub';
import type { DeviceSettings, FrameSettings } from '../declarations/device-settings.ts';
import { checkFrameSize, emptyFrame, frameTypeOf } from '../image/frame-type.ts';
import { FrameRate } from './frame-rate.ts';
import { IngestBucket } from './ingest-bucket.ts';
import { maxReadingBytes, readReading, toReadingText } from './read-reading.ts';

/** Bytes of a reading that is parsed at once, whatever else there is to do. */
const smallBytes = 4_096;

/** What ingest works with. */
export interface IngestParts {
  readonly settings: DeviceSettings;
  readonly backend: HubBackend;
  readonly telemetryPerSecond: number;
  /** As `Host.monotonic`. */
  monotonic(): number;
  /** The time that a record shows, from which its age is counted. */
  stamp(kind: 'frame' | 'telemetry'): number;
  /** A frame that shows this time is the newest still. */
  confirm(atMs: number): void;
  /** The device said something that was taken. */
  heard(kind: 'frame' | 'telemetry'): void;
}

/** What one device may send: sizes, rates and types are decided here, and whatever is taken is published. */
export class Ingest {
  readonly #parts: IngestParts;
  readonly #limits: FrameSettings;
  readonly #frames: IngestBucket;
  readonly #readings: IngestBucket;
  readonly #rate = new FrameRate();
  /** Requests whose frames are still coming: slow senders must not have all the memory there is. */
  #arriving = 0;
  /** A second's worth of them, on a line where a frame takes that long; two at least. */
  readonly #maxArriving: number;
  #framesIn = 0;
  #framesDropped = 0;
  #bytesIn = 0;

  constructor(parts: IngestParts) {
    const { settings, telemetryPerSecond } = parts;
    this.#parts = parts;
    this.#limits = settings.frames ?? noFrames;
    const { maxFps } = this.#limits;
    this.#frames = new IngestBucket(maxFps + overtime(maxFps), framesAtOnce(maxFps));
    this.#maxArriving = Math.max(2, Math.ceil(this.#limits.maxFps));
    this.#readings = new IngestBucket(telemetryPerSecond, Math.max(1, 2 * telemetryPerSecond));
  }

  get counts() {
    return {
      framesIn: this.#framesIn,
      framesDropped: this.#framesDropped,
      bytesIn: this.#bytesIn,
      fps: this.#rate.perSecond(this.#parts.monotonic()),
    };
  }

  /** What a frame is told that came too fast. */
  get ceiling(): string {
    return `a device takes ${this.#limits.maxFps} frames a second`;
  }

  /** The same of readings. */
  get readingCeiling(): string {
    return `a device takes ${this.#parts.telemetryPerSecond} readings a second`;
  }

  /**
   * Takes the frame of a request. Size and rate are decided before its body is read.
   *
   * @returns its number
   * @throws {HTTPError} 413 too large · 415 no PNG, JPEG, GIF or WebP · 422 empty, without its size, or with too many
   *   pixels · 429 too fast, or as many as may be on their way are still coming
   */
  async takeBody(body: BodySource): Promise<number> {
    this.#arriving++;
    try {
      if (body.contentLength === 0) throw emptyFrame();
      if (body.contentLength !== undefined) this.#checkSize(body.contentLength);
      if (this.#arriving > this.#maxArriving) throw this.#tooManyAtOnce();
      if (!this.#frames.take(this.#parts.monotonic())) throw this.#tooFast();
      return await this.#publish(await body.read(this.#limits.maxFrameBytes));
    } catch (error) {
      this.#framesDropped++;
      throw error;
    } finally {
      this.#arriving--;
    }
  }

  /**
   * Takes a frame that came by socket.
   *
   * @returns undefined when it was dropped because it came too fast (specification, Errors); a promise only of a backend
   *   that gives one
   * @throws {HTTPError} as `takeBody` does
   */
  takeMessage(bytes: Uint8Array): Awaitable<number | undefined> {
    if (!this.#frames.take(this.#parts.monotonic())) {
      this.#framesDropped++;
      return undefined;
    }
    try {
      const seq = this.#publish(bytes);
      return typeof seq === 'number' ? seq : seq.catch(this.#dropped);
    } catch (error) {
      return this.#dropped(error);
    }
  }

  /** Takes the reading of a request. @throws {HTTPError} 400 not JSON · 413 over 64 KB · 429 too fast */
  async takeReadingBody(body: BodySource): Promise<void> {
    if ((body.contentLength ?? 0) > maxReadingBytes) throw largeReading();
    if (!this.admitReading()) throw this.#readingTooFast();
    const bytes = await body.read(maxReadingBytes);
    // Parsed one after the other, as a turn of the event loop has room: a large one takes 1 to 4 ms.
    if (bytes.length > smallBytes)
      await new Promise<void>((begin) => void goingOn.wait(this.#parts.settings.name, begin));
    await this.#publishReading(toReadingText(bytes));
  }

  /** Whether another reading may be taken now, which it then has to be. */
  admitReading(): boolean {
    return this.#readings.take(this.#parts.monotonic());
  }

  /** Takes a reading that came by socket, and was admitted. @throws {HTTPError} 400 not JSON · 413 over 64 KB */
  takeReadingText(text: string): Awaitable<void> {
    if (Buffer.byteLength(text) > maxReadingBytes) throw largeReading();
    return this.#publishReading(text);
  }

  /**
   * Takes a frame that was fetched: nobody sent it, so that it is neither too fast nor dropped (decision 9.4). The newest
   * one over again keeps its number, and is as old as if it had come now.
   *
   * @throws {HTTPError} 413 too large · 415 no PNG, JPEG, GIF or WebP · 422 empty, without its size, or with too many pixels
   */
  async takePulled(bytes: Uint8Array): Promise<void> {
    const { settings, backend, confirm, heard } = this.#parts;
    const newest = await backend.newest(settings.name);
    if (newest && Buffer.compare(newest.bytes, bytes) === 0) {
      confirm(newest.atMs);
      heard('frame');
    } else await this.#publish(bytes);
  }

  #publish(bytes: Uint8Array): Awaitable<number> {
    this.#checkSize(bytes.length);
    const { mediaType, size } = frameTypeOf(bytes);
    const { settings, backend, stamp } = this.#parts;
    const atMs = stamp('frame');
    const seq = backend.publishFrame(settings.name, { mediaType, bytes, atMs, ...size });
    if (typeof seq === 'number') return this.#published(bytes, seq);
    return seq.then((known) => this.#published(bytes, known));
  }

  #published(bytes: Uint8Array, seq: number): number {
    const { monotonic, heard } = this.#parts;
    this.#framesIn++;
    this.#bytesIn += bytes.length;
    this.#rate.count(monotonic());
    heard('frame');
    return seq;
  }

  readonly #dropped = (error: unknown): never => {
    this.#framesDropped++;
    throw error;
  };

  #publishReading(text: string): Awaitable<void> {
    const data = readReading(text);
    const { settings, backend, stamp, heard } = this.#parts;
    const atMs = stamp('telemetry');
    const told = backend.publishTelemetry(settings.name, { data, atMs });
    if (told) return told.then(() => heard('telemetry'));
    return heard('telemetry');
  }

  #checkSize(length: number): void {
    checkFrameSize(length, this.#limits);
  }

  #tooFast(): HTTPError {
    const { maxFps } = this.#limits;
    return tooFast(this.ceiling, maxFps, this.#frames.waitSeconds);
  }

  #tooManyAtOnce(): HTTPError {
    return tooFast(`a device sends ${this.#maxArriving} frames at a time`, this.#maxArriving, 1);
  }

  #readingTooFast(): HTTPError {
    return tooFast(this.readingCeiling, this.#parts.telemetryPerSecond, this.#readings.waitSeconds);
  }
}

/**
 * What may come at once without `maxFps` being more than a ceiling (decision 9.1): in any second, that many and two. The
 * quarter lets through what comes a little early from a camera that sends just as fast as it may.
 */
function framesAtOnce(maxFps: number): number {
  return maxFps < 10 ? 1.25 : 2;
}

/**
 * What is taken a second beyond `maxFps`: cameras whose timers count whole milliseconds send 30.3 frames for 30. Below ten it
 * fits beside what may come at once; from there on it ends where a second would have one more than that many and two.
 */
function overtime(maxFps: number): number {
  const share = 0.03 * maxFps;
  return maxFps < 10 ? share : Math.min(share, 0.95 * (Math.floor(maxFps) + 1 - maxFps));
}

/** Of a sensor: it has no routes that could ask. */
const noFrames: FrameSettings = { keep: 1, maxFps: 1, maxFrameBytes: 0 };

function largeReading(): HTTPError {
  return new HTTPError(413, `a reading has ${maxReadingBytes} bytes at most`);
}

function tooFast(detail: string, limit: number, seconds: number): HTTPError {
  const headers = {
    'retry-after': String(seconds),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(seconds),
  };
  return withoutStack(() => new HTTPError(429, detail, { headers }));
}
