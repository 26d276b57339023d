import type { EngineContext } from '@waymark/contract/engine';
import type { ModelClient } from '@waymark/contract/models';
import type { RunScope } from '@waymark/contract/runs';
import type { AuditEvent } from '@waymark/contract/stores';
import type { AgentSettings } from '../agent/agent-settings.ts';
import type { ContextProvider } from '../context/context-provider.ts';

/** What all runs of an application share. */
export interface AgentParts {
  readonly agents: ReadonlyMap<string, AgentSettings>;
  readonly contexts: ReadonlyMap<string, ContextProvider>;
  /** There once the application has started. */
  models(): ModelClient;
  /** Reports an audit event. */
  emit(event: AuditEvent): void;
}

/** What one run works with in one leg. */
export interface RunWork {
  readonly parts: AgentParts;
  readonly scope: RunScope;
  readonly context: EngineContext;
  /** The agent the run was started as: its limits hold to the end. */
  readonly entry: AgentSettings;
}
