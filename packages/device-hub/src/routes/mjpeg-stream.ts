import type { Cancel, Host } from '@waymark/contract/engine';
import type { FrameRecord } from '@waymark/contract/hub';
import type { Feed } from '../device/feed.ts';

/** Between two pictures a door waits 30 s before it takes a stream for dead; the last one is sent again meanwhile. */
const repeatMs = 10_000;

/** A reader that takes nothing for so long is given up, as a stalled subscriber is; and what a part takes at 50 KB/s. */
const stallMs = 15_000;
const slowestLine = 50;

const boundary = 'frame';

/** The media type of the stream. */
export const mjpegType = `multipart/x-mixed-replace; boundary=${boundary}`;

/** How long a stream lasts. */
export interface MjpegOptions {
  readonly clock: Pick<Host, 'now' | 'after'>;
  /** When the credential ends that it was asked for with. */
  readonly expiresAtMs?: number;
  /** Called once, when the reader left or the feed ended. */
  onEnd(): void;
}

/**
 * Frames one after the other as parts of one answer. A part is made when the one before has left: a slow reader skips
 * to the newest frame. How old that is depends on what the kernel holds; sockets with receipts do better.
 */
export function mjpegStream(
  feed: Feed,
  first: FrameRecord,
  { clock, expiresAtMs = Number.POSITIVE_INFINITY, onEnd }: MjpegOptions,
): ReadableStream<Uint8Array> {
  const { after } = clock;
  let waiting: FrameRecord | undefined = first;
  let shown = first;
  let ended = false;
  let wake = (): void => {};
  let leave: Cancel = () => {};
  let unexpire: Cancel = () => {};
  let unstall: Cancel = () => {};
  /** Whoever holds the stream asks for the next part only when the last one has left: until then it can but be cut. */
  let asked = false;
  let cut = (): void => {};
  const end = (): void => {
    if (ended) return;
    ended = true;
    unexpire();
    unstall();
    leave();
    onEnd();
    if (asked) wake();
    else cut();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const take = (frame: FrameRecord): void => {
          waiting = frame;
          wake();
        };
        leave = feed.onFrame(take, end);
        // A clock that is set back puts nothing off; one that is set forward is looked at with each part.
        if (Number.isFinite(expiresAtMs)) unexpire = after(expiresAtMs - clock.now(), end);
        cut = () => controller.error(new DOMException('the reader is too slow', 'AbortError'));
        unstall = after(stallMs, end);
        controller.enqueue(Buffer.from(`--${boundary}\r\n`));
      },
      async pull(controller) {
        asked = true;
        unstall();
        if (!waiting && !ended) {
          const cancel = after(repeatMs, () => wake());
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          cancel();
        }
        if (clock.now() >= expiresAtMs) end();
        if (ended) return closeQuietly(controller);
        shown = waiting ?? shown;
        waiting = undefined;
        asked = false;
        unstall = after(stallMs + shown.bytes.length / slowestLine, end);
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
