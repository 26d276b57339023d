import type { StartedPlugins } from '@waymark/core-routes';
import type { Attachment, Door } from '@waymark/http';
import type { EmbedParts } from './make-parts.ts';

/** What is closed. */
interface Closing extends EmbedParts {
  readonly started: StartedPlugins;
  /** The servers that close with it. */
  readonly attached: readonly Attachment[];
}

/** What is left after the time for requests, to stop plugins and to write what is still to be written. */
const afterwardsMs = 1_000;

/** How long a socket may take to say goodbye. */
const goodbyeMs = 2_000;

/** Drains the door, closes its servers, then stops the plugins. Never rejects, and never takes longer than its time. */
export async function closeAll(
  { door, started, attached, draining, stopping, release, log }: Closing,
  withinMs: number,
): Promise<void> {
  const endsMs = performance.now() + withinMs + afterwardsMs;
  const reason = new DOMException('the server is stopping', 'AbortError');
  const failed = (error: unknown): void => log('error', 'closing failed', { error });
  // What has no end of its own, such as motion JPEG, ends by it.
  draining.abort(reason);
  const drained =
    attached.length === 0 ? [drain(door, withinMs)] : attached.map((one) => one.close(withinMs));
  await within(Promise.all(drained), withinMs).catch(failed);
  stopping.abort(reason);
  const stopped = started.stop().then(release);
  await within(stopped, endsMs - performance.now()).catch(failed);
}

async function drain(door: Door, withinMs: number): Promise<void> {
  door.drain();
  await Promise.all([door.whenIdle(), door.closeSockets(Math.min(withinMs, goodbyeMs))]);
}

/** What hangs must not keep the process. */
function within(work: Promise<unknown>, ms: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
