import type { InputShape, Json } from '@waymark/contract';
import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';

/**
 * Step of a flow: the name of a tool, or a tool with its `input`. Texts in `input`, at any depth, may be templates: `$`
 * and `$.path` stand for the value that reached the step, `$input` and `$input.path` for the input of the flow, `$$…` for
 * a text that begins with `$`. A path that leads nowhere gives null.
 */
export type FlowStep =
  | string
  | { readonly tool: string; readonly input?: { readonly [name: string]: Json | undefined } };

/** Options of every kind of flow (specification, Flow options). */
interface AnyFlow {
  /** Description of the flow as a tool and in listings; default: empty. */
  readonly description?: string;
  /** Scopes of a run: it has those of them that its caller has too. Default: none. */
  readonly scopes?: readonly string[];
  /** Scopes that a caller needs to start a run; default: those in `scopes`. */
  readonly exposeScopes?: readonly string[];
  /** Tokens that all steps of one run may use together, 1 to 1,000,000,000; default: no limit. */
  readonly tokenBudget?: number;
  /** Path of its route, without parameters; default: `/flows/` and its name with hyphens for underscores. */
  readonly exposeAt?: string;
  /** Offers it as a tool to agents, behaviours, other flows and MCP clients; default: true. */
  readonly tool?: boolean;
  /**
   * Schema for each member of the input, or one JSON Schema; default: any object, whose `input`, if it has one, is
   * text.
   */
  readonly inputSchema?: InputShape;
  /**
   * Confirms that a flow whose `exposeScopes` are empty is open to anybody; default: false. Without it such a flow is
   * warned about, and with `NODE_ENV=production` the server does not start.
   */
  readonly public?: boolean;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

interface PipelineFlow {
  /** Steps that run one after another; each is given the answer of the one before it. */
  readonly pipeline: readonly FlowStep[];
  readonly parallel?: never;
  readonly route?: never;
  readonly merge?: never;
  readonly default?: never;
  readonly classifyWith?: never;
  readonly classifyPrompt?: never;
}

interface ParallelFlow {
  /** Steps that run at the same time, each with the input of the flow. */
  readonly parallel: readonly FlowStep[];
  /**
   * Form of the output. `collect`, the default: a list of the answers in the order of the steps. `merge`: one object with
   * the members of all answers, later steps winning; an answer that is no object is a member by the name of its tool.
   */
  readonly merge?: 'collect' | 'merge';
  readonly pipeline?: never;
  readonly route?: never;
  readonly default?: never;
  readonly classifyWith?: never;
  readonly classifyPrompt?: never;
}

interface RouteFlow {
  /** Step for each label; a model chooses the label by the input. Labels are words of up to 64 characters. */
  readonly route: { readonly [label: string]: FlowStep };
  /** Step to take when the model chooses none of the labels; default: none, and the flow fails. */
  readonly default?: FlowStep;
  /** Alias or name of the model that chooses; default: the alias `fast`. */
  readonly classifyWith?: string;
  /** Prompt of the model that chooses, with the optional places `{labels}` and `{input}`; default: one in English. */
  readonly classifyPrompt?: string;
  readonly pipeline?: never;
  readonly parallel?: never;
  readonly merge?: never;
}

/**
 * Options of a flow: exactly one of `pipeline`, `parallel` and `route`, with its own options and those of all flows.
 */
export type FlowOptions = AnyFlow & (PipelineFlow | ParallelFlow | RouteFlow);

/** Declaration of a flow, as `flow` returns it. */
export type FlowDeclaration = Declaration<'flow', FlowOptions>;

/**
 * Declares a flow: steps over tools in an order that no model decides.
 *
 *     flow('triage', { pipeline: ['classify_ticket', { tool: 'notify', input: { text: '$.summary' } }] })
 *
 * @param name a letter and up to 63 letters, digits, `_` or `-`; its name as a tool, in listings and, with hyphens, in
 * its path
 */
export function flow(name: string, options: FlowOptions): FlowDeclaration {
  if (!isOptions(options)) return { kind: 'flow', name, options, declaredAt: callSite(flow) };
  // Options nobody knows are kept: the check names them.
  const { declaredAt = callSite(flow), ...rest } = options;
  return { kind: 'flow', name, options: rest, declaredAt };
}
