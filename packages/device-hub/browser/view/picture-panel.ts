import { addChildren, el, setAttribute, setShown, setText } from '../shell/dom.ts';
import { toDuration } from './durations.ts';
import type { ArrivedFrame } from './painter.ts';

/** What somebody may ask of it. */
export interface PictureActions {
  onPause(paused: boolean): void;
  /** Pictures a second of a camera that is asked for each. */
  onRate(perSecond: number): void;
}

/** What stands below the picture. */
export interface PictureFacts {
  readonly ageMs: number | undefined;
  readonly perSecond: number | undefined;
  readonly shown: number;
  readonly skipped: number;
  readonly broken: number;
}

/** The picture, what is known of it, and what can be done with it. */
export class PicturePanel {
  readonly element: HTMLElement;
  readonly canvas = el('canvas', { role: 'img', 'aria-label': 'No picture yet', hidden: true });
  readonly #device: string;
  readonly #stage: HTMLElement;
  readonly #veil = el('p', { class: 'veil' }, 'No picture has come yet.');
  readonly #trouble = el('p', { class: 'trouble', hidden: true });
  readonly #facts = {
    age: el('dd'),
    rate: el('dd'),
    shown: el('dd'),
    skipped: el('dd'),
    broken: el('dd'),
    size: el('dd'),
  };
  readonly #brokenRow: HTMLElement;
  readonly #pause: HTMLButtonElement;
  readonly #snapshot: HTMLButtonElement;
  readonly #fit: HTMLButtonElement;
  readonly #screen: HTMLButtonElement;
  readonly #rate: HTMLElement;
  readonly #rates: HTMLSelectElement;
  readonly #actions: PictureActions;
  #frame: ArrivedFrame | undefined;

  constructor(device: string, actions: PictureActions) {
    this.#device = device;
    this.#actions = actions;
    this.#stage = el(
      'div',
      { class: 'stage', tabindex: 0, role: 'group', 'aria-label': 'Picture' },
      this.canvas,
      this.#veil,
    );
    this.#pause = toButton('Pause', 'Space', () => this.togglePause());
    this.#snapshot = toButton('Save picture', 'S', () => this.save());
    this.#snapshot.disabled = true;
    this.#screen = toButton('Full screen', 'F', () => void this.toggleFullScreen());
    this.#fit = toButton('Real size', '', () => this.#toggleFit());
    setShown(this.#screen, document.fullscreenEnabled === true);
    for (const button of [this.#pause, this.#fit]) button.setAttribute('aria-pressed', 'false');
    this.#rates = el('select', {
      id: 'rate',
      on: { change: () => actions.onRate(Number(this.#rates.value)) },
    });
    this.#rate = el(
      'div',
      { class: 'rate', hidden: true },
      el('label', { for: 'rate' }, 'Pictures a second'),
      this.#rates,
    );
    const { age, rate, shown, skipped, broken, size } = this.#facts;
    this.#brokenRow = toRow('Broken', broken);
    setShown(this.#brokenRow, false);
    this.element = el(
      'section',
      { class: 'picture', 'aria-label': 'Live picture', hidden: true },
      this.#stage,
      this.#trouble,
      el('div', { class: 'tools' }, this.#pause, this.#snapshot, this.#screen, this.#fit, this.#rate),
      el(
        'dl',
        { class: 'facts' },
        toRow('Age', age),
        toRow('Per second', rate),
        toRow('Shown', shown),
        toRow('Skipped', skipped),
        this.#brokenRow,
        toRow('Size', size),
      ),
    );
  }

  get paused(): boolean {
    return this.#pause.getAttribute('aria-pressed') === 'true';
  }

  /** Says which picture the canvas shows now. */
  show(frame: ArrivedFrame, width: number, height: number): void {
    this.#frame = frame;
    setShown(this.canvas, true);
    this.#snapshot.disabled = false;
    this.#stage.style.aspectRatio = String(Math.min(3, Math.max(0.6, width / height)));
    setAttribute(this.canvas, 'aria-label', `Picture ${frame.seq} of ${this.#device}`);
    setText(this.#facts.size, `${width} × ${height}, ${Math.max(1, Math.round(frame.image.size / 1000))} kB`);
  }

  /** @param frozen it is not what is to be seen now */
  draw({ ageMs, perSecond, shown, skipped, broken }: PictureFacts, frozen: boolean): void {
    const { age, rate } = this.#facts;
    setText(age, ageMs === undefined ? '–' : toDuration(ageMs));
    setText(rate, perSecond === undefined || frozen ? '–' : perSecond.toFixed(1));
    setText(this.#facts.shown, String(shown));
    setText(this.#facts.skipped, String(skipped));
    setText(this.#facts.broken, String(broken));
    setShown(this.#brokenRow, broken > 0);
    this.#stage.classList.toggle('frozen', frozen && ageMs !== undefined);
    const none = broken > 0 ? 'What came is no picture that can be shown.' : 'No picture has come yet.';
    setText(this.#veil, ageMs === undefined ? none : `Last seen ${toDuration(ageMs)} ago`);
    setShown(this.#veil, ageMs === undefined || frozen);
  }

  /** Says what is wrong with the line or the camera; undefined when nothing is. */
  tell(trouble: string | undefined): void {
    setText(this.#trouble, trouble ?? '');
    setShown(this.#trouble, trouble !== undefined);
  }

  /** Offers to choose how often a camera is asked. @param most what the camera allows */
  offerRates(most: number): void {
    if (this.#rates.options.length > 0) return;
    const rates = [0.2, 0.5, 1, 2, 5, 10].filter((rate) => rate <= most);
    if (rates.length === 0) rates.push(most);
    addChildren(
      this.#rates,
      ...rates.map((rate) =>
        el('option', { value: rate, selected: rate === Math.min(1, most) }, String(rate)),
      ),
    );
    setShown(this.#rate, rates.length > 1);
  }

  togglePause(): void {
    const paused = !this.paused;
    this.#pause.setAttribute('aria-pressed', String(paused));
    this.#actions.onPause(paused);
  }

  /** Saves the very picture that is shown, as it came. */
  save(): void {
    const frame = this.#frame;
    if (!frame) return;
    const url = URL.createObjectURL(frame.image);
    const ending = /^image\/(\w+)$/.exec(frame.mediaType)?.[1] ?? 'bin';
    el('a', {
      href: url,
      download: `${this.#device}-${frame.seq}.${ending === 'jpeg' ? 'jpg' : ending}`,
    }).click();
    // The download has begun by then.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  async toggleFullScreen(): Promise<void> {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await this.#stage.requestFullscreen();
    } catch {
      // A browser that refuses says so itself.
    }
  }

  #toggleFit(): void {
    const real = this.#stage.classList.toggle('real');
    this.#fit.setAttribute('aria-pressed', String(real));
  }
}

function toRow(name: string, value: HTMLElement): HTMLElement {
  return el('div', {}, el('dt', {}, name), value);
}

function toButton(text: string, key: string, act: () => void): HTMLButtonElement {
  return el(
    'button',
    {
      type: 'button',
      ...(key !== '' && { 'aria-keyshortcuts': key, title: `Key: ${key}` }),
      on: { click: act },
    },
    text,
  );
}
