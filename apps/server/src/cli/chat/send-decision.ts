import { setTimeout as sleep } from 'node:timers/promises';
import { type Target, toRefusal } from '../call/target.ts';
import { Failure } from '../output/failure.ts';

/** What a human decided about a call, and why. */
export interface Decision {
  readonly approve: boolean;
  readonly note: string;
}

/**
 * Sends a decision, again each second while nothing answers: a server that starts again is no end of a conversation.
 *
 * @param tries how often at most
 * @throws {Failure} when the key may not decide, somebody was faster, or nothing answered
 */
export async function sendDecision(
  target: Pick<Target, 'send' | 'controlPrefix'>,
  id: string,
  decision: Decision,
  { tries = 60, pauseMs = 1_000 } = {},
): Promise<void> {
  for (let left = tries - 1; ; left--) {
    const response = await post(target, id, decision).catch((error: unknown) => {
      if (left <= 0) throw error;
      return undefined;
    });
    // Its caller has asked too often, and may ask later.
    if (response && (response.status !== 429 || left <= 0)) {
      const isAgain = left < tries - 1;
      await refuse(response, isAgain);
      return;
    }
    // The end of the conversation does not wait for it.
    await sleep(pauseMs, undefined, { ref: false });
  }
}

function post(
  { send, controlPrefix }: Pick<Target, 'send' | 'controlPrefix'>,
  id: string,
  decision: Decision,
): Promise<Response> {
  return send(`${controlPrefix}/approvals/${encodeURIComponent(id)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(decision),
  });
}

async function refuse(response: Response, isAgain: boolean): Promise<void> {
  if (response.status === 403)
    throw new Failure(`this key may not decide (${await toRefusal(response)}): somebody else has to`);
  // It had arrived before the connection broke, or somebody else decided: the run says which.
  if (response.status === 409 && isAgain) return;
  // How the run itself came out is told over its socket.
  if ([401, 404, 409, 410, 429].includes(response.status)) throw new Failure(await toRefusal(response));
}
