import {
  type CameraClient,
  connectDevice,
  type DeviceEvent,
  type DeviceFrame,
  type DeviceHello,
  type Presence,
} from '@waymark/client-gen/runtime';
import { askAdmission } from '../shell/admission.ts';
import { clientTrouble } from '../shell/client-trouble.ts';
import { el, setChildren, setShown } from '../shell/dom.ts';
import type { Page } from '../shell/start-page.ts';
import { sentenceFor, type Trouble } from '../shell/trouble.ts';
import { FrameClock } from './frame-clock.ts';
import { InsightsPanel } from './insights-panel.ts';
import { type ArrivedFrame, Painter } from './painter.ts';
import { PicturePanel } from './picture-panel.ts';
import { Poller } from './poller.ts';
import { Rate } from './rate.ts';
import { Reading } from './reading.ts';
import { Stalls } from './stalls.ts';
import { TelemetryPanel } from './telemetry-panel.ts';
import { listenToKeys } from './view-keys.ts';
import { toViewState } from './view-state.ts';

type Event = DeviceEvent<'full'> | DeviceEvent<'meta'>;

/** What is asked to tell a refused socket from one that cannot open. */
export const viewProbe = { method: 'GET', path: 'telemetry' } as const;

const drawEveryMs = 200;
const sayEveryMs = 30_000;
/** Older than this, right after this page stood still, a picture is not worth to be shown: newer ones are behind it. */
const oldMs = 400;
/** How long what lies in the queues of this page may take to be read. */
const settleMs = 200;

/** Shows a device as it is: its pictures, its readings, and what watchers say of it. */
export class DeviceView {
  readonly #page: Page;
  readonly #pictures: PicturePanel;
  readonly #telemetry = new TelemetryPanel();
  readonly #insights = new InsightsPanel();
  readonly #painter: Painter;
  readonly #reading = new Reading();
  readonly #clock = new FrameClock();
  readonly #rate = new Rate();
  readonly #stalls = new Stalls();
  readonly #over = new AbortController();
  readonly #counts = { shown: 0, skipped: 0, broken: 0 };
  #skipSaidMs = Number.NEGATIVE_INFINITY;
  #poller: Poller | undefined;
  #cut = new AbortController();
  #trouble: Trouble | undefined;
  #connected = false;
  #attempts = 0;
  #kind: 'camera' | 'sensor' | undefined;
  #status: Presence | undefined;
  #hello: { readonly event: DeviceHello; readonly atMs: number } | undefined;
  /** The newest one, by start of the hub and number: after a greeting it comes again. */
  #newest = '';
  /** When the shown picture was new, by the clock of this page. */
  #shownFromMs: number | undefined;

  constructor(page: Page) {
    this.#page = page;
    this.#pictures = new PicturePanel(page.device.name, {
      onPause: () => this.#begin(),
      onRate: (perSecond) => this.#poller?.setRate(perSecond),
    });
    this.#painter = new Painter(this.#pictures.canvas, {
      onShown: (frame, width, height) => this.#onShown(frame, width, height),
      onSkipped: () => this.#skip(1),
      isWorth: (frame) => this.#isWorth(frame),
      onBroken: () => void this.#counts.broken++,
    });
    const aside = el('div', { class: 'aside' }, this.#telemetry.element, this.#insights.element);
    setChildren(page.main, el('div', { class: 'view' }, this.#pictures.element, aside));
  }

  /** Shows until the server will have no more of it, and gives why. @param answer of the probe */
  async watch(answer: unknown): Promise<Trouble> {
    const { signal } = this.#over;
    if (this.#reading.know(answer)) this.#telemetry.take(this.#reading.data);
    document.addEventListener('visibilitychange', () => this.#begin(), { signal });
    listenToKeys(this.#pictures, signal);
    const timer = setInterval(() => this.#draw(), drawEveryMs);
    try {
      while (this.#trouble === undefined) await this.#stream();
      return this.#trouble;
    } finally {
      clearInterval(timer);
      this.#over.abort();
      this.#cut.abort();
      this.#poller?.stop();
      this.#stalls.stop();
    }
  }

  /** Somebody looks, and wants to see what is new. */
  get #wanted(): boolean {
    return !document.hidden && !this.#pictures.paused;
  }

  /** Begins anew, with pictures or without. */
  #begin(): void {
    this.#cut.abort();
    if (this.#wanted) this.#poller?.start();
    else this.#poller?.stop();
    this.#draw();
  }

  async #stream(): Promise<void> {
    const { device, credentials } = this.#page;
    this.#cut = new AbortController();
    const client = connectDevice({ baseUrl: device.url, ...credentials.forClient() })<CameraClient>('');
    // Without pictures where nobody looks, and where the camera is asked for each.
    const events: AsyncIterable<Event> = client.stream({
      frames: this.#wanted && !this.#poller ? 'full' : 'meta',
      signal: this.#cut.signal,
      onState: (state) => {
        if (state === 'waiting') void this.#explain();
        if (state !== 'open') this.#connected = false;
        else this.#attempts = 0;
      },
    });
    try {
      for await (const event of events) this.#take(event);
    } catch (error) {
      this.#trouble = clientTrouble(error, credentials);
    }
  }

  #take(event: Event): void {
    if (event.type === 'hello') this.#greet(event);
    else if (event.type === 'frame') this.#takeFrame(event);
    else if (event.type === 'status') this.#status = event.status;
    else if (event.type === 'insight') {
      this.#page.announcer.say('New insight');
      this.#insights.take(event);
    } else if (event.type === 'telemetry') {
      if (this.#reading.take(event.data, performance.now())) this.#telemetry.take(event.data);
    } else if (this.#wanted) this.#skip(event.skipped);
  }

  #greet(hello: DeviceHello): void {
    const { device, status, insights } = hello;
    const again = this.#hello !== undefined;
    this.#hello = { event: hello, atMs: performance.now() };
    this.#connected = true;
    this.#kind = device.kind;
    this.#status = status;
    this.#pictures.tell(undefined);
    this.#page.header.describe(device.description);
    this.#page.header.offerLink(device.kind === 'camera');
    setShown(this.#pictures.element, device.kind === 'camera');
    for (const insight of insights) this.#insights.take(insight);
    this.#reading.expect();
    if (again) void this.#askReading();
    if (device.pulled && !this.#poller) this.#poll(device.max_fps ?? 1);
    this.#draw();
  }

  #poll(maxFps: number): void {
    const { device, credentials } = this.#page;
    this.#poller = new Poller(device.url, credentials, Math.min(1, maxFps), {
      onFrame: (frame) => this.#painter.take(frame),
      onSame: (ageMs) => {
        if (this.#shownFromMs !== undefined) this.#shownFromMs = performance.now() - ageMs;
      },
      onTrouble: (text) => this.#pictures.tell(text),
      onRefused: (trouble) => {
        this.#trouble = trouble;
        this.#cut.abort();
      },
    });
    this.#pictures.offerRates(maxFps);
    this.#begin();
  }

  /** A reading that comes with a greeting does not say how old it is; the answer to a request does. */
  async #askReading(): Promise<void> {
    const { device, credentials } = this.#page;
    const standing = await askAdmission(device.url, viewProbe, credentials);
    if (standing.admitted) this.#reading.know(standing.answer);
  }

  #takeFrame(frame: DeviceFrame<'full'> | DeviceFrame<'meta'>): void {
    const { seq, bytes, media_type, at_ms } = frame;
    if (typeof bytes === 'number' || !this.#wanted) return;
    const name = `${this.#hello?.event.boot} ${seq}`;
    if (name === this.#newest) return;
    this.#newest = name;
    const arrivedMs = performance.now();
    const ageMs = this.#ageOnArrival(seq, at_ms, arrivedMs);
    if (ageMs > oldMs && this.#stalls.recently && seq !== this.#hello?.event.seq) this.#skip(1);
    // The runtime reads messages as `ArrayBuffer`, which a picture never shares with anybody.
    else
      this.#painter.take({
        seq,
        mediaType: media_type,
        image: new Blob([bytes as Uint8Array<ArrayBuffer>], { type: media_type }),
        arrivedMs,
        ageMs,
      });
  }

  /** A picture that was decoded while this page stood still is old: it is shown only where no newer one is behind it. */
  #isWorth({ arrivedMs, ageMs }: ArrivedFrame): boolean | Promise<boolean> {
    if (performance.now() - arrivedMs + ageMs < oldMs || !this.#stalls.recently) return true;
    const newest = this.#newest;
    return new Promise((resolve) => setTimeout(() => resolve(this.#newest === newest), settleMs));
  }

  /** Counts, and says so now and then: it goes on for as long as the line or this machine is slow. */
  #skip(count: number): void {
    this.#counts.skipped += count;
    const nowMs = performance.now();
    if (nowMs - this.#skipSaidMs < sayEveryMs) return;
    this.#skipSaidMs = nowMs;
    this.#page.announcer.say(`Skipped ${this.#counts.skipped} pictures so far`);
  }

  /** What the greeting says of the picture that follows it, and how late each later one is. */
  #ageOnArrival(seq: number, atMs: number, nowMs: number): number {
    const latenessMs = this.#clock.latenessMs(atMs, nowMs);
    const { event, atMs: greetedMs } = this.#hello ?? { atMs: nowMs };
    const known = seq === event?.seq ? event.age_ms : null;
    return known === null || known === undefined ? latenessMs : known + nowMs - greetedMs;
  }

  #onShown(frame: ArrivedFrame, width: number, height: number): void {
    this.#counts.shown++;
    this.#shownFromMs = frame.arrivedMs - frame.ageMs;
    this.#rate.add(performance.now());
    this.#pictures.show(frame, width, height);
  }

  /** No connection: says why, as far as a request is told. */
  async #explain(): Promise<void> {
    const { device, credentials } = this.#page;
    const attempt = ++this.#attempts;
    const standing = await askAdmission(device.url, viewProbe, credentials);
    if (this.#connected || attempt !== this.#attempts) return;
    // Where requests are answered and sockets are not, for the second time, no more are let in.
    const trouble = standing.admitted ? (attempt > 1 ? 'too-many' : undefined) : standing.trouble;
    if (trouble === undefined) return;
    const { title, text } = sentenceFor(trouble, device.name, 'view');
    this.#pictures.tell(`${title}. ${text}`);
    setShown(this.#pictures.element, true);
  }

  #draw(): void {
    const nowMs = performance.now();
    const ageMs = this.#shownFromMs === undefined ? undefined : nowMs - this.#shownFromMs;
    // Of a camera that is asked for each, a picture may stay the same for a long time.
    const gapMs = Math.max(this.#rate.gapMs ?? 0, this.#poller?.gapMs ?? 0);
    const readingAgeMs = this.#reading.ageMs(nowMs);
    const { state, text } = toViewState({
      ...{ connected: this.#connected, paused: this.#pictures.paused },
      ...{ kind: this.#kind, status: this.#status, ageMs, readingAgeMs, gapMs },
    });
    this.#page.header.show(state, text);
    const frozen = state !== 'live' && state !== 'paused';
    this.#pictures.draw({ ageMs, perSecond: this.#rate.perSecond(nowMs), ...this.#counts }, frozen);
    this.#telemetry.draw(readingAgeMs);
  }
}
