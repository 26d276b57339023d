import type { InputShape, Json } from '@waymark/contract';
import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/**
 * One step: the name of a tool, or the tool with what it is given. Texts of `input`, at any depth, may be templates: `$`
 * and `$.path` are what reached the step, `$input` and `$input.path` what the flow was started with, `$$…` a text that
 * begins with `$`. A path that leads nowhere is null.
 */
export type FlowStep =
  | string
  | { readonly tool: string; readonly input?: { readonly [name: string]: Json | undefined } };

/** What every flow may say (specification, Flow options). */
interface AnyFlow {
  /** Describes it as a tool and in listings; empty. */
  readonly description?: string;
  /** What a run may do, as far as its caller may do it too; nothing. */
  readonly scopes?: readonly string[];
  /** Needed to start a run; `scopes`. */
  readonly exposeScopes?: readonly string[];
  /** Tokens of all its steps together; no limit. */
  readonly tokenBudget?: number;
  /** The path of its route; `/flows/` and its name with hyphens. */
  readonly exposeAt?: string;
  /** Whether it is a tool itself; true. */
  readonly tool?: boolean;
  /** What it takes: a schema for each member, or one JSON Schema; an object with a text `input`, if any, and others. */
  readonly inputSchema?: InputShape;
  /** Says that anybody shall be able to start it, which is warned about otherwise; false. */
  readonly public?: boolean;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

interface PipelineFlow {
  /** Steps one after another: each is given what the one before it answered. */
  readonly pipeline: readonly FlowStep[];
  readonly parallel?: never;
  readonly route?: never;
  readonly merge?: never;
  readonly default?: never;
  readonly classifyWith?: never;
  readonly classifyPrompt?: never;
}

interface ParallelFlow {
  /** Steps that are all given the input of the flow, at once. */
  readonly parallel: readonly FlowStep[];
  /** Whether the answers become a list in the order of the steps, or one object; `collect`. */
  readonly merge?: 'collect' | 'merge';
  readonly pipeline?: never;
  readonly route?: never;
  readonly default?: never;
  readonly classifyWith?: never;
  readonly classifyPrompt?: never;
}

interface RouteFlow {
  /** The step for each label; a model chooses the label by the input. */
  readonly route: { readonly [label: string]: FlowStep };
  /** The step where the model chooses no label that there is; then the flow fails. */
  readonly default?: FlowStep;
  /** Alias or name of the model that chooses; `fast`. */
  readonly classifyWith?: string;
  /** What it is asked; may hold `{labels}` and `{input}`. */
  readonly classifyPrompt?: string;
  readonly pipeline?: never;
  readonly parallel?: never;
  readonly merge?: never;
}

/** What a flow is declared with: one of `pipeline`, `parallel` and `route`, and what all of them may say. */
export type FlowOptions = AnyFlow & (PipelineFlow | ParallelFlow | RouteFlow);

/** One declared flow. */
export type FlowDeclaration = Declaration<'flow', FlowOptions>;

/**
 * Declares a flow: steps over tools in an order that no model decides.
 *
 *     flow('triage', { pipeline: ['classify_ticket', { tool: 'notify', input: { text: '$.summary' } }] })
 *
 * @param name its name as a tool, in listings and, with hyphens, in its path
 */
export function flow(name: string, options: FlowOptions): FlowDeclaration {
  if (!isOptions(options)) return { kind: 'flow', name, options, declaredAt: callSite(flow) };
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(flow), ...rest } = options;
  return { kind: 'flow', name, options: rest, declaredAt };
}
