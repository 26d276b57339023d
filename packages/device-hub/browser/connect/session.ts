import {
  type CameraPublisher,
  type PublishOptions,
  SocketError,
  type SocketState,
} from '@waymark/client-gen/runtime';
import { Camera } from './camera/camera.ts';
import type { CameraWishFor } from './camera/cameras.ts';
import type { PictureSize } from './camera/picture-sizes.ts';
import { WakeLock } from './camera/wake-lock.ts';
import type { Encoder } from './sending/encoder.ts';
import { Line } from './sending/line.ts';
import { Meter, type Throughput } from './sending/meter.ts';
import { Pace } from './sending/pace.ts';
import { endedByFrame, toRefusalKind } from './sending/refusals.ts';
import { Sender } from './sending/sender.ts';
import { Tally } from './sending/tally.ts';
import type { Reading } from './telemetry/readings.ts';

/** What a person chose. */
export interface Choice {
  readonly camera: CameraWishFor;
  readonly size: PictureSize;
  /** Frames a second at most. */
  readonly perSecond: number;
  /** What is sent, not what is shown here. */
  readonly mirrored: boolean;
}

/** What a session works with. */
export interface SessionParts {
  readonly video: HTMLVideoElement;
  readonly encoder: Encoder;
  readonly openPublisher: (options: PublishOptions) => CameraPublisher;
  /** Something is different that a person should see at once; what only counts on is read from time to time. */
  readonly onChange: () => void;
}

/** How long a refusal counts as news. */
const latelyMs = 3_000;
/** A new connection finds out how many frames may be on their way; until then there is room for few. */
const settlingMs = 2_500;
const messageTooLarge = 1009;

/** From Start to Stop: a camera, the line to the hub, and what is sent. */
export class Session {
  readonly camera: Camera;
  readonly line: Line;
  readonly pace: Pace;
  readonly tally = new Tally();
  readonly #parts: SessionParts;
  readonly #sender: Sender;
  readonly #meter = new Meter();
  readonly #wakeLock = new WakeLock();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #refusedAtMs = new Map<string, number>();
  #choice: Choice;
  #tooFast = '';
  #openedAtMs = 0;
  #takenAtMs = Number.NEGATIVE_INFINITY;

  /** Call it while a click is handled: browsers ask for a camera then. */
  constructor(parts: SessionParts, choice: Choice) {
    this.#parts = parts;
    this.#choice = choice;
    this.pace = new Pace(choice.perSecond);
    this.#sender = new Sender({
      encoder: parts.encoder,
      pace: this.pace,
      tally: this.tally,
      look: () => this.#choice,
      onError: (error) => console.warn('a picture could not be sent', error),
    });
    this.camera = new Camera(parts.video, {
      onPicture: (take) => this.#sender.offer(take),
      onState: parts.onChange,
    });
    this.line = new Line(parts.openPublisher, {
      onState: (state, error) => this.#onLine(state, error),
      onAnswer: (bytes, refusal) => this.#onAnswer(bytes, refusal),
    });
    this.#meter.start(performance.now());
    this.#sender.use(this.line);
    this.#timer = setInterval(() => this.#judge(), 1_000);
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#wakeLock.hold();
    void this.#openCamera(choice.camera);
  }

  /** The line was open before. */
  get wasOpen(): boolean {
    return this.#openedAtMs > 0;
  }

  get throughput(): Throughput {
    return this.#meter.read(performance.now());
  }

  /** Frames left out because the line is slow. */
  get dropped(): number {
    return this.tally.skippedForLine + this.line.dropped;
  }

  /** Why the hub refused frames lately, newest last. */
  get refusedLately(): readonly string[] {
    return [...this.#refusedAtMs.keys()];
  }

  /** The hub took a frame in the last seconds. */
  get takenLately(): boolean {
    return performance.now() - this.#takenAtMs < latelyMs;
  }

  get isHidden(): boolean {
    return document.hidden;
  }

  /** Another camera, size or rate, while it runs. */
  change(choice: Choice): void {
    const before = this.#choice;
    this.#choice = choice;
    this.#limitRate();
    const isOtherCamera = choice.camera !== before.camera;
    if (!isOtherCamera && choice.size === before.size) return;
    this.pace.forgetSize();
    // Another size is one of the camera that is on, whichever the browser would choose now.
    const { deviceId } = this.camera.settings;
    void this.#openCamera(isOtherCamera || !deviceId ? choice.camera : { id: deviceId });
  }

  telemetry(reading: Reading): void {
    this.line.telemetry(reading);
  }

  stop(): void {
    clearInterval(this.#timer);
    document.removeEventListener('visibilitychange', this.#onVisible);
    this.#sender.use(undefined);
    this.#wakeLock.release();
    this.camera.stop();
    this.line.close();
  }

  readonly #onVisible = (): void => {
    this.#wakeLock.renew();
    this.#parts.onChange();
  };

  async #openCamera(camera: CameraWishFor): Promise<void> {
    const { size, perSecond } = this.#choice;
    await this.camera.start({ ...camera, size, perSecond });
  }

  #onLine(state: SocketState, error: Error | undefined): void {
    if (state === 'open') {
      this.#openedAtMs = performance.now();
      this.#sender.moved();
    }
    // Each try costs a connection: nothing half as large is sent again.
    if (error instanceof SocketError && error.code === messageTooLarge)
      this.#refused(this.#sender.lastBytes / 2, endedByFrame);
    this.#parts.onChange();
  }

  #onAnswer(bytes: number, refusal: string | undefined): void {
    this.#meter.add(performance.now(), bytes);
    this.#sender.moved();
    this.#limitRate();
    if (refusal !== undefined) {
      this.#refused(bytes, refusal);
      return;
    }
    this.#takenAtMs = performance.now();
    if (++this.tally.taken === 1) this.#parts.onChange();
  }

  #refused(bytes: number, message: string): void {
    this.tally.refuse(message);
    const kind = toRefusalKind(message);
    if (kind === 'too-fast') {
      this.#tooFast = message;
      this.pace.tooFast();
    } else this.#tell(message);
    if (kind === 'too-large') this.pace.tooLarge(bytes);
  }

  #tell(refusal: string): void {
    const isNews = !this.#refusedAtMs.has(refusal);
    // Behind the others: the last one is the newest.
    this.#refusedAtMs.delete(refusal);
    this.#refusedAtMs.set(refusal, performance.now());
    if (isNews) this.#parts.onChange();
  }

  #judge(): void {
    const nowMs = performance.now();
    // One frame that came too fast now and then is nothing to speak of.
    if (nowMs - this.#openedAtMs < settlingMs) this.pace.forgive();
    else if (this.pace.judge() === 'too-fast') this.#tell(this.#tooFast);
    for (const [message, atMs] of this.#refusedAtMs)
      if (nowMs - atMs >= latelyMs) this.#refusedAtMs.delete(message);
    this.#parts.onChange();
  }

  #limitRate(): void {
    this.pace.choose(Math.min(this.#choice.perSecond, this.line.maxFps ?? this.#choice.perSecond));
  }
}
