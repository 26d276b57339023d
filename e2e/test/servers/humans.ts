import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, keys } from './fleet.ts';
import type { Job } from './jobs.ts';

/** A decision as it was sent, and the status it was answered with; undefined when nobody answered. */
export interface Decision {
  readonly approvalId: string;
  readonly approve: boolean;
  readonly status: number | undefined;
}

interface Asked {
  readonly approval_id: string;
  readonly root_run_id: string;
  readonly arguments: { readonly job?: string };
}

const headers = { 'x-api-key': keys.BOSS_KEY, 'content-type': 'application/json' };
const lookMs = 200;

/** Those who decide through the control plane, each call by what is meant for its job, and cancel what is to be cancelled. */
export class Humans {
  readonly decisions: Decision[] = [];
  readonly #fleet: Fleet;
  readonly #jobs: ReadonlyMap<string, Job>;
  readonly #underWay = new Set<string>();
  readonly #onDecide: () => void;
  #working = true;
  #done: Promise<void>;

  /** @param onDecide told when a decision is sent */
  constructor(fleet: Fleet, jobs: ReadonlyMap<string, Job>, onDecide: () => void) {
    this.#fleet = fleet;
    this.#jobs = jobs;
    this.#onDecide = onDecide;
    this.#done = this.#work();
  }

  async stop(): Promise<void> {
    this.#working = false;
    await this.#done;
  }

  async #work(): Promise<void> {
    while (this.#working) {
      await this.#look().catch(() => undefined);
      await sleep(lookMs);
    }
  }

  async #look(): Promise<void> {
    if (this.#fleet.servers.length === 0) return;
    const url = await this.#fleet.url();
    const get = async (path: string) => (await fetch(url + path, { headers })).json();
    const { approvals } = (await get('/_svc/approvals?limit=500')) as { approvals: readonly Asked[] };
    for (const asked of approvals) this.#consider(url, asked);
    const { runs } = (await get('/_svc/runs?limit=60')) as {
      runs: readonly { run_id: string; name: string; status: string; ended_at_ms: number | null }[];
    };
    // Some while they work, some while they wait.
    for (const { run_id, name, ended_at_ms } of runs)
      if (name === 'leaver' && ended_at_ms === null && Math.random() < 0.5)
        void fetch(`${url}/_svc/runs/${run_id}/cancel`, { method: 'POST', headers }).catch(() => undefined);
  }

  #consider(url: string, asked: Asked): void {
    const verdict = this.#jobs.get(asked.arguments.job ?? '')?.verdict ?? 'nothing';
    if (verdict === 'nothing' || this.#underWay.has(asked.approval_id)) return;
    this.#underWay.add(asked.approval_id);
    void this.#decide(url, asked.approval_id, verdict === 'yes');
  }

  async #decide(url: string, approvalId: string, approve: boolean): Promise<void> {
    await sleep(Math.random() * 300);
    this.#onDecide();
    const status = await fetch(`${url}/_svc/approvals/${approvalId}`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ approve, note: 'so be it' }),
    })
      .then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      })
      .catch(() => undefined);
    this.decisions.push({ approvalId, approve, status });
    // Whoever heard nothing looks again.
    this.#underWay.delete(approvalId);
  }
}
