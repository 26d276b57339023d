import type { Infer } from '@waymark/contract';
import type { RequestUser } from '@waymark/contract/engine';
import type { ToolError } from '../behaviour-run/tool-error.ts';
import type { ToolArguments, ToolName, ToolOutput } from './tool-types.ts';

/**
 * Tools, models, clock and log of one behaviour run (specification, Behaviour context object).
 *
 * Each method that returns a promise is a journaled step: when a run resumes and its function is called again, the step
 * gives the result that was recorded. Every step counts towards `maxSteps` unless its docstring says otherwise; of contexts,
 * messages, `now`, `random` and `uuid` a run has 10,000 all together, and one more ends it in the same way. While a human
 * decides about a call, no promise settles and no code of the function runs, `finally` blocks included.
 */
export interface BehaviourContext {
  /**
   * Calls one of the declared tools.
   *
   * @param args JSON, as it is at the call
   * @throws {ToolError} the tool answered with an error, a human declined the call, or `tools` of the behaviour lacks it
   */
  call<const N extends ToolName>(tool: N, ...args: ToolArguments<N>): Promise<ToolOutput<N>>;
  /**
   * Runs a declared agent, behaviour or flow as a child of this run and gives its output.
   *
   * @throws {ToolError} the run failed or did not complete; then its status is the `code`
   */
  run<const N extends ToolName>(name: N, ...args: ToolArguments<N>): Promise<ToolOutput<N>>;
  /**
   * Calls several tools and waits for all of them. They start in the order of the items, at most 16 run at once, and the
   * calls that need a human's approval are put to one together.
   *
   * @returns values in the order of the items
   * @throws {ToolError} the first failure by position, once all are done. With `returnExceptions` nothing is thrown: each
   *   failure is an element of the result, and `{ error, status, code?, tool }` as JSON
   */
  gather<const T extends readonly GatherItem[]>(
    items: T,
    options?: GatherOptions & { readonly returnExceptions?: false },
  ): Promise<GatherValues<T>>;
  gather<const T extends readonly GatherItem[]>(
    items: T,
    options: GatherOptions,
  ): Promise<GatherValues<T, ToolError>>;
  /**
   * Asks a model and gives its answer: text, or with a `schema` a value that is valid under it.
   *
   * The journal stores the answer of the model, so a library's schema transforms it anew whenever the run resumes. Its
   * transforms must be synchronous; an asynchronous one is refused, before the model is asked where examples show it.
   *
   * @throws {HTTPError} 502 no answer, or none that fits the schema · 504 too slow
   */
  ask<const S extends object>(
    prompt: string,
    options: AskOptions & { readonly schema: S },
  ): Promise<Infer<S>>;
  ask(prompt: string, options?: AskOptions): Promise<string>;
  /**
   * Asks several questions, at most `concurrency` of them at once, each a step of its own.
   *
   * @returns answers in the order of the prompts
   * @throws {HTTPError} the first failure by position, once all are answered
   */
  askMany<const S extends object>(
    prompts: readonly string[],
    options: AskManyOptions & { readonly schema: S },
  ): Promise<Infer<S>[]>;
  askMany(prompts: readonly string[], options?: AskManyOptions): Promise<string[]>;
  /**
   * Reads one of the declared contexts and gives its text, cut at its `maxChars`. Does not count towards `maxSteps`.
   *
   * @throws {ToolError} `context` of the behaviour lacks it
   * @throws {HTTPError} the context failed
   */
  context(name: string): Promise<string>;
  /** Adds a message to the trace, and to the log of the server. Synchronous, and no step. */
  log(message: string): void;
  /**
   * Ends the run here, with the answer `{halted: true, reason}`. It throws to do so; catching that does not continue
   * the run.
   */
  halt(reason: string): never;
  /** Names of the declared tools. */
  readonly tools: readonly string[];
  /** Names of the declared contexts. */
  readonly contexts: readonly string[];
  /** Principal that the run works for, with the scopes of the run. */
  readonly user: RequestUser;
  /** Steps and tokens used so far, as of the last step whose result was given. */
  readonly usage: BehaviourUsage;
  /** Steps and log messages so far, oldest first: the last 1,000 entries. */
  readonly trace: readonly TraceEntry[];
  /** Id of this run. */
  readonly runId: string;
  /** Runs that this one is nested in; 0 for a root. */
  readonly depth: number;
  /** Current time in epoch milliseconds, recorded: a replay gives the same value, unlike `Date.now()`. */
  now(): number;
  /** Random number from 0, below 1; recorded, so a replay gives the same value. */
  random(): number;
  /** Random UUID; recorded, so a replay gives the same value. */
  uuid(): string;
  /** Fires when the run is cancelled, is out of time, or the server shuts down. */
  readonly signal: AbortSignal;
}

/** One call of `gather`: a tool with its arguments, the bare name of a tool, or both in one object. */
export type GatherItem =
  | ToolName
  | readonly [tool: ToolName, args?: object]
  | { readonly tool: ToolName; readonly [argument: string]: unknown };

/** Options of `ctx.gather`. */
export interface GatherOptions {
  /** Puts failures into the result as `ToolError`s instead of throwing the first; default: false. */
  readonly returnExceptions?: boolean;
}

/** Result of `ctx.gather`: the output of each item, in the order of the items. */
export type GatherValues<T extends readonly unknown[], Failure = never> = {
  -readonly [K in keyof T]: GatherValue<T[K]> | Failure;
};

type GatherValue<T> = T extends string
  ? ToolOutput<T>
  : T extends readonly [infer N, ...unknown[]]
    ? ToolOutput<N>
    : T extends { readonly tool: infer N }
      ? ToolOutput<N>
      : unknown;

/** Options of `ctx.ask`. `model`, `maxTokens` and `temperature` default to those of the behaviour. */
export interface AskOptions {
  /**
   * Schema of the answer: TypeBox, JSON Schema, or one of a library such as Zod, whose transformed value is given.
   * Default: none, and the answer is text.
   */
  readonly schema?: object;
  /** System prompt of the question; default: none. */
  readonly system?: string;
  /** Alias or name of the model that is asked. */
  readonly model?: string;
  /** Tokens of the answer, 1 to 1,000,000. */
  readonly maxTokens?: number;
  /** Sampling temperature, 0 to 2. */
  readonly temperature?: number;
}

/** Options of `ctx.askMany`: those of `ask`, and how many questions run at once. */
export interface AskManyOptions extends AskOptions {
  /** Questions under way at once, a whole number from 1; more than 64 count as 64. Default: 8. */
  readonly concurrency?: number;
}

/** Steps and tokens that a behaviour run has used, in the specification's names. */
export type BehaviourUsage = {
  /** Steps whose results were given. */
  readonly steps: number;
  /** The `maxSteps` of the behaviour. */
  readonly max_steps: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Tokens read from the provider's cache or written to it. */
  readonly cache_tokens: number;
  /** The `tokenBudget` of the behaviour; null without a limit. */
  readonly token_budget: number | null;
  /** Tokens of the root run and all runs below it. */
  readonly tree_tokens: number;
  /** Token budget of the root run; null without a limit. */
  readonly tree_budget: number | null;
  /** Runs that this one is nested in; 0 for a root. */
  readonly depth: number;
};

/** One entry of `ctx.trace`: a log message, or a step with its outcome. */
export type TraceEntry =
  | { readonly kind: 'log'; readonly message: string }
  | {
      readonly kind: 'call' | 'run' | 'ask' | 'context';
      /** Name of the tool, run or context; for `ask`, of the model that the question named, or empty. */
      readonly name: string;
      readonly ok: boolean;
      /** Message of the failure; absent when `ok`. */
      readonly error?: string;
    };
