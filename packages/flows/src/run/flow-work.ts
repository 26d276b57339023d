import type { EngineContext } from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import type { RunScope } from '@waymark/contract/runs';

/** What all flows of an application share. */
export interface FlowParts {
  /** There once the application has started. */
  models(): ModelClient;
}

/** What one run works with in one leg. */
export interface FlowWork {
  readonly parts: FlowParts;
  readonly scope: RunScope;
  readonly context: EngineContext;
}
