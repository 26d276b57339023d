import { type EncodeOrder, PictureEncoder } from './encode-picture.ts';
import { toScriptUrl } from './script-url.ts';

/** What goes to the worker. */
export interface EncodeRequest {
  readonly picture: ImageBitmap;
  readonly order: EncodeOrder;
  /** Takes the JPEG, or nothing when there is none. */
  readonly answerTo: MessagePort;
}

/** Makes JPEGs beside the page, so that it stays quick to answer; in the page where there are no workers. */
export class Encoder {
  readonly #inPage = new PictureEncoder();
  #worker: Worker | undefined;

  /** @param workerUrl of a script that calls `serveEncoder` */
  constructor(workerUrl: string) {
    if (!('OffscreenCanvas' in globalThis)) return;
    try {
      this.#worker = new Worker(toScriptUrl(workerUrl), { type: 'module' });
      this.#worker.onerror = () => {
        this.#worker = undefined;
      };
    } catch {
      // A browser that knows no workers of this kind, or an application with a policy of its own.
    }
  }

  /** Takes forever where the worker fails. @param picture is closed afterwards, or handed over */
  async encode(picture: ImageBitmap, order: EncodeOrder): Promise<Uint8Array> {
    const jpeg = await (this.#worker
      ? encodeBeside(this.#worker, picture, order)
      : this.#inPage.encode(picture, order));
    if (!jpeg) throw new Error('the browser made no JPEG');
    return new Uint8Array(jpeg);
  }
}

async function encodeBeside(
  worker: Worker,
  picture: ImageBitmap,
  order: EncodeOrder,
): Promise<ArrayBuffer | undefined> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<ArrayBuffer | undefined>) => {
      port1.close();
      resolve(data);
    };
    worker.postMessage({ picture, order, answerTo: port2 } satisfies EncodeRequest, [picture, port2]);
  });
}
