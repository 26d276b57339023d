import type { Json } from '@waymark/contract';
import type { Host, RouteResponse } from '@waymark/contract/engine';
import type { Devices, FrameRecord, Insight } from '@waymark/contract/hub';
import type { Principal } from '@waymark/contract/principal';
import type { Runner } from '@waymark/contract/runs';
import { type Delivery, type Evidence, fitBody } from '@waymark/contract/stores';
import { type RunReading, readAnswer } from './read-answer.ts';
import { toInsight } from './to-insight.ts';
import type { WatchMemo } from './watch-memo.ts';

/** A run as its watcher knows it. */
export interface WatchRun {
  readonly runId: string;
  /** Name of the agent's route. */
  readonly route: string;
  readonly principal: Principal;
  readonly memo: WatchMemo;
  /** What was judged, where this process has it. */
  readonly frame: FrameRecord | undefined;
  /** Whether insights of the watcher are posted somewhere. */
  readonly hasWebhook: boolean;
}

/** What conclusions are published with. */
export interface ConclusionParts {
  readonly host: Pick<Host, 'now' | 'newId' | 'log'>;
  readonly runner: Pick<Runner, 'read' | 'acknowledge'>;
  readonly devices: Pick<Devices, 'publish' | 'declared'>;
  /** Of the application; without it links are paths. */
  readonly publicUrl: string | undefined;
}

/** The run is not stored any more. */
export const gone = 'gone';

/**
 * Publishes what runs of watchers came to, or wait for: one insight for each run and status, whoever publishes it, and
 * however often. One path for a run that ended here, and for one that another process began.
 */
export class Conclusions {
  readonly #parts: ConclusionParts;

  constructor(parts: ConclusionParts) {
    this.#parts = parts;
  }

  /**
   * Reads a run, publishes its insight, then says to the runner that it is told.
   *
   * @returns undefined while the run goes on
   * @throws {Error} it could not be read or published; nothing is lost, it can be done again
   */
  async publish(run: WatchRun): Promise<RunReading | typeof gone | undefined> {
    const { runner } = this.#parts;
    const { runId, route, principal } = run;
    const response = await runner.read(runId, route, principal);
    if (isGone(response)) return gone;
    const reading = readAnswer(response);
    if (!reading) return undefined;
    await this.#publish(run, reading);
    await runner.acknowledge(runId, reading.status);
    return reading;
  }

  /** Why a run failed, by its code. */
  async codeOf(runId: string, route: string, principal: Principal): Promise<string | undefined> {
    return readAnswer(await this.#parts.runner.read(runId, route, principal))?.code;
  }

  /** Publishes that an agent would not even begin with what it was given. */
  async refused(run: Omit<WatchRun, 'runId'>, reading: RunReading): Promise<void> {
    await this.#publish({ ...run, runId: '' }, reading);
  }

  async #publish(run: WatchRun, reading: RunReading): Promise<void> {
    const { host, devices } = this.#parts;
    const { device } = run.memo;
    if (!devices.declared.some(({ name }) => name === device)) {
      // Its run was begun by an earlier declaration of the watcher. Where it cannot be told today it cannot be tomorrow.
      const { runId } = run;
      return host.log('warn', 'nobody is told of a run: its device is not declared any more', {
        device,
        run_id: runId,
      });
    }
    const insight = toInsight(run.memo, reading, run.runId, host.now());
    const evidence = toEvidence(run);
    const deliveries = run.hasWebhook ? [this.#toDelivery(run, insight)] : [];
    await devices.publish(insight, { deliveries, ...(evidence && { evidence }) });
  }

  #toDelivery({ runId, memo }: WatchRun, insight: Insight): Delivery {
    const { host, publicUrl = '' } = this.#parts;
    const { watcher, device, token } = memo;
    const frame =
      token === null || runId === ''
        ? null
        : `${publicUrl.replace(/\/$/, '')}/devices/${device}/insights/${runId}/evidence?token=${token}`;
    return {
      id: `${runId === '' ? host.newId() : runId}:${insight.status}`,
      endpoint: endpointOf(watcher),
      body: fitBody({ ...insight, frame_url: frame }) as Json,
    };
  }
}

/** The name of the webhook of a watcher. */
export function endpointOf(watcher: string): string {
  return `watcher:${watcher}`;
}

function toEvidence({ runId, frame, memo: { token } }: WatchRun): Evidence | undefined {
  if (!frame || token === null || runId === '') return undefined;
  return { mediaType: frame.mediaType, bytes: frame.bytes, token };
}

/**
 * A run that failed has its result in the problem. Without that it was the answer that failed.
 *
 * @throws {Error} the service could not answer; later it may
 */
function isGone({ status, body }: RouteResponse): boolean {
  if (body.kind !== 'problem' || body.run !== undefined) return false;
  if (status === 404) return true;
  if (status >= 500) throw new Error(`the answer of a run could not be read: ${body.detail}`);
  return false;
}
