import type { EngineContext } from '@waymark/contract/engine';
import type { RunScope } from '@waymark/contract/runs';
import type { BehaviourSettings } from '../behaviour/behaviour-settings.ts';
import type { AgentParts } from '../run/run-work.ts';
import type { StepGuard } from './step-guard.ts';
import type { Trace } from './trace.ts';

/** What all runs of behaviours share. */
export interface BehaviourParts extends Pick<AgentParts, 'contexts' | 'models'> {
  /** Epoch milliseconds. */
  now(): number;
}

/** What one run works with in one leg. */
export interface BehaviourWork {
  readonly parts: BehaviourParts;
  readonly settings: BehaviourSettings;
  readonly context: EngineContext;
  readonly scope: RunScope;
  readonly guard: StepGuard;
  readonly trace: Trace;
}
