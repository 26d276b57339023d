import type { Link } from './link.ts';
import type { ToOwner, ToWorker } from './messages.ts';
import { type Answering, ServedCall } from './served-call.ts';

/** What the calls of a worker are answered with; the clock is `performance.now` by default. */
export type ServeCallsOptions = Omit<Answering, 'monotonic'> & Partial<Pick<Answering, 'monotonic'>>;

/** Answers the calls that come over a link; when it closes nobody waits for them any more, and they are given up. */
export function serveCalls(link: Link<ToWorker, ToOwner>, options: ServeCallsOptions): void {
  const { table, dispatcher, monotonic = () => performance.now() } = options;
  const working = new Map<number, ServedCall>();
  link.onMessage((message) => {
    const { id, type } = message;
    if (type !== 'call') working.get(id)?.receive(message);
    else {
      const served = new ServedCall(link, id, () => working.delete(id));
      working.set(id, served);
      void served.answer(message.call, { table, dispatcher, monotonic });
    }
  });
  link.onClose(() => {
    for (const served of working.values()) served.stop('the client went away');
    working.clear();
  });
}
