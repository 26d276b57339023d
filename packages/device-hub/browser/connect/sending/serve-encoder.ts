import { PictureEncoder } from './encode-picture.ts';
import type { EncodeAnswer, EncodeRequest } from './encoder.ts';

/** What a worker has, as far as it is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<EncodeRequest>) => void) | null;
  postMessage(answer: EncodeAnswer, transfer: readonly ArrayBuffer[]): void;
}

/** Makes JPEGs in a worker, for the `Encoder` of the page. */
export function serveEncoder(scope: WorkerScope): void {
  const encoder = new PictureEncoder();
  const answer = async ({ id, picture, order }: EncodeRequest): Promise<void> => {
    try {
      const jpeg = await encoder.encode(picture, order);
      scope.postMessage({ id, jpeg }, [jpeg]);
    } catch (error) {
      scope.postMessage({ id, error: String(error) }, []);
    }
  };
  scope.onmessage = ({ data }) => void answer(data);
}
