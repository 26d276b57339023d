import type { JsonObject } from '@waymark/client-gen/runtime';
import type {
  ControlAgentsListOutputAgentsItem,
  ControlBehavioursListOutputBehavioursItem,
  ControlFlowsListOutputFlowsItem,
} from '../../client/control.ts';

/** Something that can be run. */
export interface Runnable {
  readonly kind: 'agent' | 'behaviour' | 'flow';
  readonly name: string;
  readonly description: string;
  /** Where it is called. */
  readonly path: string;
  /** Of an agent there is none: it takes words. */
  readonly schema: JsonObject | null;
  readonly tools: readonly string[];
  readonly images: boolean;
}

interface Declared {
  readonly agents: readonly ControlAgentsListOutputAgentsItem[];
  readonly behaviours: readonly ControlBehavioursListOutputBehavioursItem[];
  readonly flows: readonly ControlFlowsListOutputFlowsItem[];
}

/** Everything that was declared, agents first. */
export function toRunnables({ agents, behaviours, flows }: Declared): readonly Runnable[] {
  return [
    ...agents.map(({ name, description, expose_at: path, tools, images }) => ({
      ...{ kind: 'agent' as const, name, description, path, schema: null, tools, images },
    })),
    ...behaviours.map(({ name, description, expose_at: path, tools, input_schema: schema }) => ({
      ...{ kind: 'behaviour' as const, name, description, path, schema, tools, images: false },
    })),
    ...flows.map(({ name, description, expose_at: path, input_schema: schema }) => ({
      ...{ kind: 'flow' as const, name, description, path, schema, tools: [], images: false },
    })),
  ];
}
