import type { ServerResponse } from 'node:http';
import type { Visit } from './visit.ts';

/** Fires when the client goes away before the answer is complete, or is treated so. */
export function whenGone(visit: Pick<Visit, 'cutShort'>, res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!res.writableFinished || visit.cutShort)
      controller.abort(new DOMException('the client went away', 'AbortError'));
  };
  if (res.destroyed) onClose();
  else res.once('close', onClose);
  return controller.signal;
}
