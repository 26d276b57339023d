import { el, setShown, setText } from '../shell/dom.ts';
import type { CameraChoice, CameraWishFor } from './camera/cameras.ts';
import type { PictureSize } from './camera/picture-sizes.ts';
import { check, field, fillSelect } from './form-parts.ts';
import { toRates } from './sending/rates.ts';
import type { Choice } from './session.ts';

/** Who hears of a choice. */
export interface ControlsListener {
  onChoice(): void;
  /** The other side of a phone, or the next camera. */
  onSwitch(): void;
}

/** Enough for an agent to read a sign, and little enough for a phone on the road. */
const firstSize = '1280x720';
const firstPerSecond = 10;

/** Which camera, and what is sent of it. */
export class Controls {
  readonly element: HTMLElement;
  readonly #camera: HTMLSelectElement;
  readonly #switch: HTMLButtonElement;
  readonly #size: HTMLSelectElement;
  readonly #rate: HTMLSelectElement;
  readonly #mirrorShown: HTMLInputElement;
  readonly #mirrorSent: HTMLInputElement;
  #wish: CameraWishFor = {};
  #sizes = new Map<string, PictureSize>();
  #perSecond = firstPerSecond;
  /** Whoever has decided about the mirror is not overruled by the next camera. */
  #hasMirrored = false;

  constructor({ onChoice, onSwitch }: ControlsListener) {
    this.#camera = el('select', { id: 'camera', on: { change: () => this.#pick(onChoice) } });
    this.#switch = el('button', { type: 'button', hidden: true, on: { click: onSwitch } });
    this.#size = el('select', { id: 'size', on: { change: onChoice } });
    this.#rate = el('select', { id: 'rate', on: { change: () => this.#pickRate(onChoice) } });
    const mirrorShown = check('Mirror the picture above, as a looking glass does', () => {
      this.#hasMirrored = true;
      onChoice();
    });
    const mirrorSent = check('Mirror what is sent', onChoice);
    this.#mirrorShown = mirrorShown.input;
    this.#mirrorSent = mirrorSent.input;
    this.#mirrorShown.checked = true;
    this.element = el(
      'fieldset',
      { class: 'choices' },
      el('legend', {}, 'Picture'),
      field('Camera', this.#camera, this.#switch),
      field('Size', this.#size),
      field('Frames a second, at most', this.#rate),
      mirrorShown.element,
      mirrorSent.element,
    );
    this.showCameras([], undefined);
  }

  get choice(): Choice {
    return {
      camera: this.#wish,
      size: this.#sizes.get(this.#size.value) ?? { width: 1280, height: 720 },
      perSecond: this.#perSecond,
      mirrored: this.#mirrorSent.checked,
    };
  }

  get mirrorsShown(): boolean {
    return this.#mirrorShown.checked;
  }

  /** Chooses a camera by the way it looks, or the next one. */
  wish(camera: CameraWishFor): void {
    this.#wish = camera;
  }

  /** @param on the camera that is on */
  showCameras(cameras: readonly CameraChoice[], on: MediaTrackSettings | undefined): void {
    const known = cameras.map(({ id, label }) => ({ value: id, text: label }));
    const any = { value: '', text: 'Any camera' };
    const value = on?.deviceId ?? this.#wish.id ?? '';
    fillSelect(this.#camera, known.some((choice) => choice.value === value) ? known : [any, ...known], value);
    setShown(this.#switch, on !== undefined && cameras.length > 1);
    setText(this.#switch, switchTexts[on?.facingMode ?? ''] ?? 'Use the next camera');
    if (on && !this.#hasMirrored) this.#mirrorShown.checked = on.facingMode !== 'environment';
  }

  showSizes(sizes: readonly PictureSize[]): void {
    this.#sizes = new Map(sizes.map((size) => [`${size.width}x${size.height}`, size]));
    const options = sizes.map(({ width, height }) => ({
      value: `${width}x${height}`,
      text: `${width} × ${height}`,
    }));
    fillSelect(this.#size, options, this.#size.value || firstSize);
  }

  /** @param most what the hub takes */
  showRates(most: number): void {
    const options = toRates(most).map((rate) => ({ value: String(rate), text: String(rate) }));
    // What was chosen before comes back with a hub that takes it.
    fillSelect(this.#rate, options, String(Math.min(this.#perSecond, most)));
  }

  #pick(onChoice: () => void): void {
    this.#wish = this.#camera.value === '' ? {} : { id: this.#camera.value };
    onChoice();
  }

  #pickRate(onChoice: () => void): void {
    this.#perSecond = Number(this.#rate.value);
    onChoice();
  }
}

const switchTexts: Readonly<Record<string, string>> = {
  user: 'Use the camera at the back',
  environment: 'Use the camera at the front',
};
