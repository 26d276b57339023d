import type { Cancel, FrameRecord, Host } from '@waymark/contract';
import type { Feed } from '../device/feed.ts';

/** Between two pictures a door waits 30 s before it takes a stream for dead; the last one is sent again meanwhile. */
const repeatMs = 10_000;

const boundary = 'frame';

/** The media type of the stream. */
export const mjpegType = `multipart/x-mixed-replace; boundary=${boundary}`;

/**
 * Frames one after the other as parts of one answer. A part is made when the one before has left: a slow reader skips
 * to the newest frame. How old that is depends on what the kernel holds; sockets with receipts do better.
 *
 * @param onEnd called once, when the reader left or the feed ended
 */
export function mjpegStream(
  feed: Feed,
  after: Host['after'],
  first: FrameRecord,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  let waiting: FrameRecord | undefined = first;
  let shown = first;
  let ended = false;
  let wake = (): void => {};
  let leave: Cancel = () => {};
  const end = (): void => {
    if (ended) return;
    ended = true;
    leave();
    onEnd();
    wake();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const take = (frame: FrameRecord): void => {
          waiting = frame;
          wake();
        };
        leave = feed.onFrame(take, end);
        controller.enqueue(Buffer.from(`--${boundary}\r\n`));
      },
      async pull(controller) {
        if (!waiting && !ended) {
          const cancel = after(repeatMs, () => wake());
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          cancel();
        }
        if (ended) return closeQuietly(controller);
        shown = waiting ?? shown;
        waiting = undefined;
        for (const piece of toPart(shown)) controller.enqueue(piece);
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** The boundary stands behind each part: browsers show a picture only when they have seen it. */
function toPart({ mediaType, bytes }: FrameRecord): readonly Uint8Array[] {
  const head = `content-type: ${mediaType}\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  return [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}\r\n`)];
}

/** A reader that left has closed it already. */
function closeQuietly(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // That is all there was to do.
  }
}
