import type { Json } from '@waymark/contract';
import type { RouteResponse } from '@waymark/contract/engine';
import type { RunStatus } from '@waymark/contract/runs';

/** How a run of an agent stands, as the answer of its route says. */
export type RunReading = {
  readonly status: RunStatus;
  readonly output: string;
  /** Why it failed. */
  readonly error: string | null;
  /** The code of that: `interrupted`. */
  readonly code: string | undefined;
  /** Of the run and all below it. */
  readonly tokens: number;
  /** In millionths of a USD; null where a model has no price. */
  readonly costMicros: number | null;
};

/** What is read of the envelope of a run (decision 6.4). */
type Envelope = {
  readonly status?: RunStatus | 'running';
  readonly output?: Json;
  readonly usage?: { readonly tree_tokens?: number; readonly cost_usd?: number | null };
};

/**
 * Reads the answer of an agent's route: the result, what it waits for, or why it failed.
 *
 * @returns undefined while the run goes on, here or elsewhere
 */
export function readAnswer({ body }: RouteResponse): RunReading | undefined {
  if (body.kind === 'problem') {
    const envelope = (body.run ?? {}) as Envelope;
    if (envelope.status === 'running') return undefined;
    return { ...toReading(envelope, 'failed'), error: body.detail, code: body.code };
  }
  const envelope = (body.kind === 'json' ? JSON.parse(body.text) : {}) as Envelope;
  return envelope.status === 'running' ? undefined : toReading(envelope, envelope.status ?? 'failed');
}

function toReading({ output, usage }: Envelope, status: RunStatus): RunReading {
  const cost = usage?.cost_usd ?? null;
  return {
    status,
    output: toText(output),
    ...{ error: null, code: undefined },
    tokens: usage?.tree_tokens ?? 0,
    costMicros: cost === null ? null : Math.round(cost * 1_000_000),
  };
}

/** A structured answer is its JSON. */
function toText(output: Json | undefined): string {
  if (typeof output === 'string') return output;
  return output === undefined || output === null ? '' : JSON.stringify(output);
}
