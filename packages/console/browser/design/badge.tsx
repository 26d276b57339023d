import type { VNode } from 'preact';
import type { Tone } from './tone.ts';

/** A word about a state. Its colour says no more than the word does. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }): VNode {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

const ofStatus: Readonly<Record<string, readonly [Tone, string]>> = {
  running: ['busy', 'running'],
  waiting: ['warn', 'waiting'],
  awaiting_approval: ['warn', 'needs approval'],
  waiting_provider: ['warn', 'waits for model'],
  completed: ['good', 'completed'],
  halted: ['idle', 'halted'],
  max_tokens: ['warn', 'cut at max tokens'],
  step_limit: ['warn', 'step limit'],
  budget_exhausted: ['warn', 'budget exhausted'],
  failed: ['bad', 'failed'],
  cancelled: ['idle', 'cancelled'],
  approved: ['good', 'approved'],
  denied: ['bad', 'declined'],
  expired: ['idle', 'expired'],
  withdrawn: ['idle', 'withdrawn'],
};

/** The status of a run, or of an approval. */
export function StatusBadge({ status }: { readonly status: string }): VNode {
  const [tone, word] = ofStatus[status] ?? ['idle', status];
  return <Badge tone={tone}>{word}</Badge>;
}
