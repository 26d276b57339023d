import { type CameraClient, connectDevice } from '@waymark/client-gen/runtime';
import { clientTrouble } from '../shell/client-trouble.ts';
import { el, setChildren, setShown, setText } from '../shell/dom.ts';
import type { PageState } from '../shell/page-state.ts';
import type { Page } from '../shell/start-page.ts';
import type { Trouble } from '../shell/trouble.ts';
import type { CameraState } from './camera/camera-state.ts';
import { listCameras, toOtherCamera } from './camera/cameras.ts';
import { pictureSizes, toSizes } from './camera/picture-sizes.ts';
import { Controls } from './controls.ts';
import { Figures } from './figures.ts';
import type { Encoder } from './sending/encoder.ts';
import { Session } from './session.ts';
import { type Status, toReadyStatus, toStatus } from './status.ts';
import { Telemetry } from './telemetry/telemetry.ts';
import { telemetryChoices } from './telemetry/telemetry-choices.ts';

/** What a hub takes that has not said yet. */
const usualMostPerSecond = 30;
/** Numbers that change more often cannot be read. */
const figuresMs = 500;

/** Makes a camera the device, from Start to Stop and again, until the server will have no more of this key. */
export class ConnectPage {
  readonly #page: Page;
  readonly #end: (trouble: Trouble) => void;
  readonly #video = el('video', { muted: true, playsinline: true, 'aria-label': 'Picture of the camera' });
  readonly #hint = el('p', {}, 'The picture of the camera appears here.');
  readonly #go = el('button', { type: 'button', class: 'main go', on: { click: () => this.#toggle() } });
  readonly #sentence = el('p', { class: 'sentence' });
  readonly #figures = new Figures();
  readonly #controls: Controls;
  readonly #encoder: Encoder;
  readonly #telemetry = new Telemetry((reading) => this.#session?.telemetry(reading));
  readonly #timer: ReturnType<typeof setInterval>;
  #session: Session | undefined;
  #cameraWas: CameraState = 'off';
  #told = '';

  /** @param end told when the server lets this key in no more */
  constructor(page: Page, encoder: Encoder, end: (trouble: Trouble) => void) {
    this.#page = page;
    this.#encoder = encoder;
    this.#end = end;
    // A property, too: browsers let a video play by itself only while it is silent.
    this.#video.muted = true;
    this.#controls = new Controls({
      onChoice: () => this.#choose(),
      onSwitch: () => void this.#switch(),
    });
    this.#controls.showSizes(pictureSizes);
    this.#controls.showRates(usualMostPerSecond);
    setChildren(
      page.main,
      el(
        'div',
        { class: 'connect' },
        el('div', { class: 'camera' }, this.#hint, this.#video),
        el('div', { class: 'card sending' }, this.#go, this.#sentence, this.#figures.element),
        el('div', { class: 'card choose' }, this.#controls.element, telemetryChoices(this.#telemetry)),
      ),
    );
    page.header.offerLink(true);
    navigator.mediaDevices?.addEventListener('devicechange', this.#onDevices);
    this.#timer = setInterval(() => this.#count(), figuresMs);
    void this.#listCameras();
    const status = this.#readyStatus();
    this.#go.disabled = status.word !== 'Ready';
    this.#show(status);
  }

  readonly #onDevices = (): void => void this.#listCameras();

  #readyStatus(): Status {
    return toReadyStatus(isSecureContext && navigator.mediaDevices !== undefined);
  }

  #toggle(): void {
    if (this.#session) {
      this.#stop();
      this.#show(this.#readyStatus());
    } else this.#start();
  }

  #start(): void {
    const { device, credentials } = this.#page;
    const client = connectDevice({ baseUrl: device.url, ...credentials.forClient() })<CameraClient>('');
    this.#session = new Session(
      {
        video: this.#video,
        encoder: this.#encoder,
        openPublisher: client.publish,
        onChange: () => this.#update(),
      },
      this.#controls.choice,
    );
    this.#telemetry.start();
    addEventListener('beforeunload', askBeforeLeaving);
    this.#update();
  }

  #stop(): void {
    this.#count();
    const session = this.#session;
    this.#session = undefined;
    this.#cameraWas = 'off';
    removeEventListener('beforeunload', askBeforeLeaving);
    this.#telemetry.stop();
    session?.stop();
  }

  #update(): void {
    const session = this.#session;
    if (!session) return;
    const { line, camera } = session;
    const status = toStatus(session);
    if (line.state === 'closed') {
      this.#leave(line.error);
      return;
    }
    if (camera.state === 'on' && this.#cameraWas !== 'on') void this.#listCameras();
    this.#cameraWas = camera.state;
    if (camera.state === 'refused') this.#stop();
    this.#controls.showRates(line.maxFps ?? usualMostPerSecond);
    this.#show(status);
  }

  /** The server will have no more of it: the shell says why, and asks for another key. */
  #leave(error: Error | undefined): void {
    this.#stop();
    clearInterval(this.#timer);
    this.#telemetry.close();
    navigator.mediaDevices?.removeEventListener('devicechange', this.#onDevices);
    this.#end(clientTrouble(error, this.#page.credentials));
  }

  #choose(): void {
    this.#session?.change(this.#controls.choice);
    this.#mirror();
  }

  async #switch(): Promise<void> {
    const settings = this.#session?.camera.settings;
    if (!settings) return;
    this.#controls.wish(toOtherCamera(settings, await listCameras()));
    this.#choose();
  }

  async #listCameras(): Promise<void> {
    const cameras = await listCameras();
    const camera = this.#session?.camera;
    const isOn = camera?.state === 'on';
    this.#controls.showCameras(cameras, isOn ? camera.settings : undefined);
    if (isOn) this.#controls.showSizes(toSizes(camera.longestSide));
    this.#mirror();
  }

  #mirror(): void {
    this.#video.classList.toggle('mirrored', this.#controls.mirrorsShown);
  }

  #count(): void {
    if (this.#session) this.#figures.show(this.#session);
  }

  #show({ word, sentence }: Status): void {
    const { header, announcer } = this.#page;
    setText(this.#go, this.#session ? 'Stop' : 'Start');
    setShown(this.#hint, this.#cameraWas !== 'on');
    this.#go.classList.toggle('stop', this.#session !== undefined);
    header.show(states[word], word);
    if (this.#told === sentence) return;
    this.#told = sentence;
    setText(this.#sentence, sentence);
    announcer.say(sentence);
  }
}

/** Whoever follows a link, or closes the wrong tab, is asked by the browser: the device would be blind. */
function askBeforeLeaving(event: Event): void {
  event.preventDefault();
}

const states: Readonly<Record<Status['word'], PageState>> = {
  Ready: 'paused',
  Starting: 'connecting',
  Sending: 'live',
  'Some frames refused': 'stale',
  Waiting: 'stale',
  'Not sending': 'refused',
};
