import type { Progress } from '@waymark/contract';

/** The number of the step that an event tells of; 0 without one. */
export function seqOf(event: Progress | undefined): number {
  return event?.event === 'step' ? (event.data as { readonly seq: number }).seq : 0;
}
