import type { RunRecord } from '@waymark/contract/stores';

/** Whether something can still happen with a run. */
export function isOpen({ status }: Pick<RunRecord, 'status'>): boolean {
  return status === 'running' || status === 'ready' || status === 'waiting';
}

/** Whether nothing happens with a run any more, or nothing before a human decides. */
export function isSettled({ status }: Pick<RunRecord, 'status'>): boolean {
  return status !== 'running' && status !== 'ready';
}
