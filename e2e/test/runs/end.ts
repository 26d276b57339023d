import type { RunRecord } from '@waymark/contract/stores';

/** Whether something can still happen with a root. */
export function isOpen({ status }: RunRecord): boolean {
  return status === 'running' || status === 'ready' || status === 'waiting';
}
