import type { Json } from '@waymark/contract';
import type { Host } from '@waymark/contract/engine';
import type { FrameRecord } from '@waymark/contract/hub';
import type { RunStatus } from '@waymark/contract/runs';
import type { WatchDeclaration } from '../declaration/watch.ts';
import { principalOf, toSettings } from '../declaration/watch-settings.ts';
import { LastLook, type Seen } from '../look/last-look.ts';
import { readAnswer } from '../run/read-answer.ts';
import { toRunInput } from '../run/run-input.ts';

/** What a rehearsed watcher is shown, in place of a look at its device. */
export interface ShownSight {
  readonly frame?: Pick<FrameRecord, 'mediaType' | 'bytes'> | undefined;
  readonly telemetry?: Json | undefined;
}

/** What a watcher made of it; costs are millionths of a USD, null where a model has no price. */
export type RehearsedLook =
  /** Nothing changed since its last run: the agent was not asked. */
  | { readonly ran: false }
  | {
      readonly ran: true;
      readonly status: RunStatus;
      readonly output: string;
      readonly error: string | null;
      readonly tokens: number;
      readonly costMicros: number | null;
    };

/** A watcher that is shown what somebody chose; the ceilings of its declaration are told, and count nothing. */
export interface WatchRehearsal {
  readonly device: string;
  readonly agent: string;
  /** Seconds between two looks. */
  readonly every: number;
  readonly maxRunsPerHour: number;
  /** USD; null: no limit. */
  readonly maxCostPerDay: number | null;
  /**
   * Looks once, by the rules of a tick, and waits for the run that comes of it. Not to be called while it looks.
   *
   * @param cancel ends the run
   */
  show(sight: ShownSight, cancel?: AbortSignal): Promise<RehearsedLook>;
}

/**
 * Runs the agent of a watcher on pictures and readings that come from no device. It publishes nothing, and neither counts
 * nor waits: whoever calls decides when there is something to see.
 *
 * @param host its dispatcher decides what the agent may do
 * @throws {Error} the table has no such agent
 */
export function rehearseWatch(
  declaration: WatchDeclaration,
  host: Pick<Host, 'table' | 'dispatcher' | 'newId' | 'now'>,
): WatchRehearsal {
  const settings = toSettings(declaration);
  const { device, agent, every, maxRunsPerHour, maxCostPerDay, onlyOnChange } = settings;
  const route = host.table.get(agent);
  if (!route) throw new Error(`there is no agent "${agent}"`);
  const last = new LastLook();
  let seq = 0;
  return {
    ...{ device, agent, every, maxRunsPerHour, maxCostPerDay },
    async show({ frame, telemetry }, cancel) {
      const atMs = host.now();
      const seen: Seen = {
        ...(frame && { frame: { ...frame, kind: 'frame', seq: ++seq, atMs } }),
        ...(telemetry !== undefined && { telemetry: { kind: 'telemetry', data: telemetry, atMs } }),
      };
      if (!seen.frame && !seen.telemetry) return { ran: false };
      if (!last.differs(seen) && onlyOnChange) return { ran: false };
      last.keep(seen);
      const response = await host.dispatcher.dispatch({
        route,
        input: { by: 'arguments', values: toRunInput(settings.input, seen) },
        principal: principalOf(settings),
        via: 'watcher',
        requestId: host.newId(),
        transient: true,
        ...(cancel && { cancel }),
      });
      const reading = readAnswer(response);
      // A run is waited for to its end, or to what it waits for.
      if (!reading) throw new Error(`the answer of agent "${agent}" says nothing of how its run stands`);
      const { status, output, error, tokens, costMicros } = reading;
      return { ran: true, status, output, error, tokens, costMicros };
    },
  };
}
