import { type EncodeOrder, PictureEncoder } from './encode-picture.ts';
import { toScriptUrl } from './script-url.ts';

/** What goes to the worker, and what comes back. */
export interface EncodeRequest {
  readonly id: number;
  readonly picture: ImageBitmap;
  readonly order: EncodeOrder;
}
export interface EncodeAnswer {
  readonly id: number;
  readonly jpeg?: ArrayBuffer;
  readonly error?: string;
}

interface Waiting {
  resolve(jpeg: ArrayBuffer): void;
  reject(error: Error): void;
}

/** Makes JPEGs beside the page, so that it stays quick to answer; in the page where there are no workers. */
export class Encoder {
  readonly #inPage = new PictureEncoder();
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 0;

  /** @param workerUrl of a script that calls `serveEncoder` */
  constructor(workerUrl: string) {
    this.#worker = this.#hire(workerUrl);
  }

  get worksBeside(): boolean {
    return this.#worker !== undefined;
  }

  /** @param picture is closed afterwards, or handed over */
  async encode(picture: ImageBitmap, order: EncodeOrder): Promise<Uint8Array> {
    const worker = this.#worker;
    if (!worker) return new Uint8Array(await this.#inPage.encode(picture, order));
    const id = this.#nextId++;
    const jpeg = await new Promise<ArrayBuffer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, picture, order } satisfies EncodeRequest, [picture]);
    });
    return new Uint8Array(jpeg);
  }

  close(): void {
    this.#dismiss(new Error('the encoder is closed'));
  }

  #hire(url: string): Worker | undefined {
    if (!('OffscreenCanvas' in globalThis)) return undefined;
    try {
      const worker = new Worker(toScriptUrl(url), { type: 'module' });
      worker.onmessage = ({ data }: MessageEvent<EncodeAnswer>) => this.#receive(data);
      worker.onerror = () => this.#dismiss(new Error('the browser started no worker'));
      return worker;
    } catch {
      // A browser that knows no workers of this kind, or an application with a policy of its own.
      return undefined;
    }
  }

  #receive({ id, jpeg, error }: EncodeAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (jpeg) waiting?.resolve(jpeg);
    else waiting?.reject(new Error(error));
  }

  /** What comes next is made in the page. */
  #dismiss(error: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
