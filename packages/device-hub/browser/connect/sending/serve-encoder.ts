import { PictureEncoder } from './encode-picture.ts';
import type { EncodeRequest } from './encoder.ts';

/** What a worker has, as far as it is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<EncodeRequest>) => void) | null;
}

/** Makes JPEGs in a worker, for the `Encoder` of the page. */
export function serveEncoder(scope: WorkerScope): void {
  const encoder = new PictureEncoder();
  const answer = async ({ picture, order, answerTo }: EncodeRequest): Promise<void> => {
    const jpeg = await encoder.encode(picture, order).catch(() => undefined);
    answerTo.postMessage(jpeg, jpeg ? [jpeg] : []);
  };
  scope.onmessage = ({ data }) => void answer(data);
}
