import { setTimeout as sleep } from 'node:timers/promises';

/** Whom humans ask and how. */
export interface HumansOptions {
  /** Of the service; it may be away for a while. */
  readonly url: () => string;
  readonly apiKey: string;
  readonly random: () => number;
}

interface Asked {
  readonly approval_id: string;
  readonly reason?: string;
}

const lookMs = 40;
const mostThoughtMs = 150;

/**
 * Decides on every call that waits, after a while. Most of them may be made; one that may have happened already may not.
 *
 * @returns stops it
 */
export function decideAll({ url, apiKey, random }: HumansOptions): () => Promise<void> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const thinking = new Set<string>();
  let isStopped = false;
  const decide = async (id: string, approve: boolean): Promise<void> => {
    await sleep(random() * mostThoughtMs);
    const body = JSON.stringify({ approve, note: 'so be it' });
    await fetch(`${url()}/_svc/approvals/${id}`, { method: 'POST', headers, body }).then((response) =>
      response.arrayBuffer(),
    );
  };
  const look = async (): Promise<void> => {
    const answer = await fetch(`${url()}/_svc/approvals?limit=500`, { headers });
    const { approvals } = (await answer.json()) as { readonly approvals: readonly Asked[] };
    for (const { approval_id: id, reason } of approvals) {
      if (thinking.has(id)) continue;
      thinking.add(id);
      // Whoever heard nothing looks again.
      void decide(id, reason === undefined && random() < 0.85)
        .catch(() => {})
        .finally(() => thinking.delete(id));
    }
  };
  const work = async (): Promise<void> => {
    while (!isStopped) {
      await look().catch(() => {});
      await sleep(lookMs);
    }
  };
  const done = work();
  return async () => {
    isStopped = true;
    await done;
  };
}
