/**
 * The status of a run that waits and will go on: for a human who decides, or for a provider of models that is out of
 * reach.
 */
export type WaitingStatus = 'awaiting_approval' | 'waiting_provider';

/** The status of a run: how it ended, or what it waits for. */
export type RunStatus =
  | 'completed'
  | 'halted'
  | 'max_tokens'
  | 'step_limit'
  | 'budget_exhausted'
  | 'failed'
  | 'cancelled'
  | WaitingStatus;
