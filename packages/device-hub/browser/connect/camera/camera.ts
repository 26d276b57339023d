import type { CameraState } from './camera-state.ts';
import { type CameraWish, openCamera } from './open-camera.ts';
import { type TakePicture, watchPictures } from './watch-pictures.ts';

/** Who hears of a camera. */
export interface CameraListener {
  onPicture(take: TakePicture): void;
  onState(): void;
}

/** A camera that gives no picture for so long, on a page that is seen, is opened anew. */
const silenceMs = 5_000;
const retryMs = 3_000;

/** The camera that was chosen, shown in a video; comes back by itself when it went. */
export class Camera {
  readonly #video: HTMLVideoElement;
  readonly #listener: CameraListener;
  #state: CameraState = 'off';
  #error: unknown;
  #wish: CameraWish | undefined;
  #track: MediaStreamTrack | undefined;
  #unwatch = (): void => {};
  #listening: AbortController | undefined;
  /** When something was last heard of it, or it was last asked for. */
  #heardAtMs = 0;
  /** Each opening is another one: what an older one comes to is nobody's any more. */
  #opening = 0;

  constructor(video: HTMLVideoElement, listener: CameraListener) {
    this.#video = video;
    this.#listener = listener;
  }

  get state(): CameraState {
    return this.#state;
  }

  /** Why, when it is `refused` or `lost`. */
  get error(): unknown {
    return this.#error;
  }

  /** What the camera says of itself; nothing while it is off. */
  get settings(): MediaTrackSettings {
    return this.#track?.getSettings() ?? {};
  }

  /** Of the largest picture it can give, in pixels; 0 where the browser does not know. A phone tells its sides either way round. */
  get longestSide(): number {
    const { width, height } = this.#track?.getCapabilities?.() ?? {};
    return Math.max(width?.max ?? 0, height?.max ?? 0);
  }

  /** Opens it, instead of the one that is open. */
  async start(wish: CameraWish): Promise<void> {
    this.#wish = wish;
    this.#listening ??= this.#listen();
    this.#become('starting');
    await this.#open(wish);
  }

  stop(): void {
    this.#leave('off');
  }

  #listen(): AbortController {
    const listening = new AbortController();
    const { signal } = listening;
    const timer = setInterval(() => this.#check(), 1_000);
    signal.addEventListener('abort', () => clearInterval(timer));
    document.addEventListener('visibilitychange', () => this.#see(), { signal });
    navigator.mediaDevices?.addEventListener('devicechange', () => this.#reopenLost(), { signal });
    return listening;
  }

  /** Not to be blamed for the time in which nobody looked. */
  #see(): void {
    this.#heardAtMs = performance.now();
    if (!document.hidden) this.#reopenLost();
  }

  #reopenLost(): void {
    if (this.#state === 'lost') this.#reopen();
  }

  #check(): void {
    if (document.hidden) return;
    const silentMs = performance.now() - this.#heardAtMs;
    // The person may take their time to permit it; what was permitted has none.
    if (this.#state === 'lost') {
      if (silentMs >= retryMs) this.#reopen();
    } else if (this.#track && silentMs >= silenceMs) this.#lose();
  }

  async #open(wish: CameraWish): Promise<void> {
    const opening = ++this.#opening;
    this.#heardAtMs = performance.now();
    // A phone has no second camera as long as the first one is open.
    this.#close();
    try {
      const stream = await openCamera(wish);
      if (opening === this.#opening) this.#show(stream);
      else for (const track of stream.getTracks()) track.stop();
    } catch (error) {
      if (opening !== this.#opening) return;
      const isPassing = this.#state === 'lost' && !isForbidden(error);
      if (isPassing) this.#become('lost', error);
      else this.#leave('refused', error);
    }
  }

  #reopen(): void {
    if (this.#wish) void this.#open(this.#wish);
  }

  #show(stream: MediaStream): void {
    const [track] = stream.getVideoTracks();
    if (!track || !this.#wish) return;
    this.#track = track;
    this.#heardAtMs = performance.now();
    // What comes back is this camera, never another one that happens to be there: it may look at something private.
    const { deviceId } = track.getSettings();
    if (deviceId) this.#wish = { ...this.#wish, id: deviceId };
    track.addEventListener('ended', () => {
      if (track === this.#track) this.#lose();
    });
    this.#video.srcObject = stream;
    // A page that is hidden may not play; the pictures come when it is seen.
    this.#video.play().catch(() => {});
    this.#unwatch = watchPictures(this.#video, track, (take) => this.#hear(take));
  }

  #hear(take: TakePicture): void {
    this.#heardAtMs = performance.now();
    if (this.#state !== 'on') this.#become('on');
    this.#listener.onPicture(take);
  }

  #lose(): void {
    this.#become('lost');
    this.#reopen();
  }

  #leave(state: 'off' | 'refused', error?: unknown): void {
    this.#opening++;
    this.#listening?.abort();
    this.#listening = undefined;
    this.#close();
    this.#become(state, error);
  }

  #close(): void {
    this.#unwatch();
    this.#unwatch = () => {};
    this.#track?.stop();
    this.#track = undefined;
    this.#video.srcObject = null;
  }

  #become(state: CameraState, error?: unknown): void {
    this.#state = state;
    this.#error = error;
    this.#listener.onState();
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof DOMException && ['NotAllowedError', 'SecurityError'].includes(error.name);
}
