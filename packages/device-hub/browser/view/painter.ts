/** A picture that came. */
export interface ArrivedFrame {
  readonly seq: number;
  readonly mediaType: string;
  readonly image: Blob;
  /** By the clock of this page. */
  readonly arrivedMs: number;
  /** How old it was then. */
  readonly ageMs: number;
}

/** What becomes of pictures. Each that was taken is one of these. */
export interface PainterEvents {
  onShown(frame: ArrivedFrame, width: number, height: number): void;
  /** A newer one came before it could be shown. */
  onSkipped(): void;
  /** Whether one that is decoded is still worth to be shown. */
  isWorth(frame: ArrivedFrame): boolean | Promise<boolean>;
  /** It is none that this browser can show. */
  onBroken(): void;
}

/** The widest canvas: some graphics cards take no more, and no screen has more to show. */
const mostPixelsWide = 4_096;

/** Shows the newest picture: one is decoded at a time, one may wait, and the newest wins. */
export class Painter {
  readonly #canvas: HTMLCanvasElement;
  readonly #events: PainterEvents;
  #next: ArrivedFrame | undefined;
  #busy = false;

  constructor(canvas: HTMLCanvasElement, events: PainterEvents) {
    this.#canvas = canvas;
    this.#events = events;
  }

  take(frame: ArrivedFrame): void {
    if (this.#next) this.#events.onSkipped();
    this.#next = frame;
    if (!this.#busy) void this.#paintAll();
  }

  async #paintAll(): Promise<void> {
    this.#busy = true;
    for (let frame = this.#next; frame; frame = this.#next) {
      this.#next = undefined;
      await this.#paint(frame);
    }
    this.#busy = false;
  }

  async #paint(frame: ArrivedFrame): Promise<void> {
    try {
      const bitmap = await createImageBitmap(frame.image);
      const { width, height } = bitmap;
      const isWorth = await this.#events.isWorth(frame);
      if (isWorth) this.#draw(bitmap);
      bitmap.close();
      if (isWorth) this.#events.onShown(frame, width, height);
      else this.#events.onSkipped();
    } catch {
      // Whatever came, it is said and the next one is awaited.
      this.#events.onBroken();
    }
  }

  #draw(bitmap: ImageBitmap): void {
    const scale = Math.min(1, mostPixelsWide / Math.max(bitmap.width, bitmap.height));
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    const canvas = this.#canvas;
    // Setting them clears it.
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const context = canvas.getContext('2d');
    // A picture may be partly transparent, and then shows no older one.
    context?.clearRect(0, 0, width, height);
    context?.drawImage(bitmap, 0, 0, width, height);
  }
}
