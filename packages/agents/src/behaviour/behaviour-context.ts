import type { Infer } from '@waymark/contract';
import type { RequestUser } from '@waymark/contract/engine';
import type { ToolError } from '../behaviour-run/tool-error.ts';
import type { ToolArguments, ToolName, ToolOutput } from './tool-types.ts';

/**
 * What a behaviour works with (specification, Behaviour context object). What reaches out is a journaled step, counted by
 * `maxSteps` unless it says otherwise, and returns a promise; a run that goes on later is given what it was given before.
 * While a human is asked nothing settles, and nothing of the function runs, `finally` included.
 */
export interface BehaviourContext {
  /**
   * Calls one of the declared tools.
   *
   * @param args JSON, as it is at the call
   * @throws {ToolError} whatever the tool answered but its value; a human said no; it is not declared
   */
  call<const N extends ToolName>(tool: N, ...args: ToolArguments<N>): Promise<ToolOutput<N>>;
  /**
   * Runs a declared agent, behaviour or flow as a child of this run and gives its output.
   *
   * @throws {ToolError} it failed, or ended otherwise than completed: the status is the `code`
   */
  run<const N extends ToolName>(name: N, ...args: ToolArguments<N>): Promise<ToolOutput<N>>;
  /**
   * Calls several tools and waits for all of them. At most 16 are executed at once, in their order; humans are asked
   * about all that need it together.
   *
   * @returns values in the order of the items
   * @throws {ToolError} the first failure by position, once all are done; with `returnExceptions` it stands in the list,
   *   and as JSON it is `{ error, status, code?, tool }`
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
   * Asks a model and gives its answer: text, or with a `schema` a value that is valid under it. What is stored is what
   * the model said: a library makes its value of it each time, and must not wait to do so. One that does is refused before the
   * model is asked, as far as examples of an answer show it; else when it is asked about the answer.
   *
   * @throws {HTTPError} 502 no answer, or none that can be used · 504 too slow
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
   * What one of the declared contexts says, cut at its `maxChars`. No counted step.
   *
   * @throws {ToolError} it is not declared
   * @throws {HTTPError} it failed
   */
  context(name: string): Promise<string>;
  /** Adds a message to the trace, and to the log of the server. */
  log(message: string): void;
  /** Ends the run here: it answers `{halted: true, reason}`. Catching what this throws changes nothing. */
  halt(reason: string): never;
  /** Names of the declared tools. */
  readonly tools: readonly string[];
  /** Names of the declared contexts. */
  readonly contexts: readonly string[];
  /** Whom the run works for, with the scopes that it has. */
  readonly user: RequestUser;
  /** What was used so far, as of the last step whose result was given. */
  readonly usage: BehaviourUsage;
  /** What was done so far, oldest first: the last 1,000 entries. */
  readonly trace: readonly TraceEntry[];
  readonly runId: string;
  /** How many runs this one is nested in. */
  readonly depth: number;
  /** Epoch milliseconds. The clock of the process is another one at each replay; this one is recorded. */
  now(): number;
  /** From 0 up to 1, recorded. */
  random(): number;
  /** A random UUID, recorded. */
  uuid(): string;
  /** Fires when the run is cancelled, is out of time, or the server shuts down. */
  readonly signal: AbortSignal;
}

/** One call of `gather`: a tool with its arguments, the bare name of a tool, or both in one object. */
export type GatherItem =
  | ToolName
  | readonly [tool: ToolName, args?: object]
  | { readonly tool: ToolName; readonly [argument: string]: unknown };

/** How `gather` goes about it. */
export interface GatherOptions {
  /** A failure takes its place in the list instead of being thrown; false. */
  readonly returnExceptions?: boolean;
}

/** What `gather` gives, item by item. */
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

/** How a question is put. What is left out is as the behaviour declares it. */
export interface AskOptions {
  /** What the answer must be: TypeBox, JSON Schema, or a schema of a library, which may make something of it. Text without one. */
  readonly schema?: object;
  /** Said first; nothing. */
  readonly system?: string;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
}

/** How several questions are put. */
export interface AskManyOptions extends AskOptions {
  /** Questions under way at once, 1 to 64; 8. */
  readonly concurrency?: number;
}

/** What a run has used, in the specification's names. */
export type BehaviourUsage = {
  /** Calls, questions and runs whose results were given. */
  readonly steps: number;
  readonly max_steps: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Read from the provider's cache or written to it. */
  readonly cache_tokens: number;
  readonly token_budget: number | null;
  /** Of the root and everything below it. */
  readonly tree_tokens: number;
  readonly tree_budget: number | null;
  readonly depth: number;
};

/** One thing that a run has done. */
export type TraceEntry =
  | { readonly kind: 'log'; readonly message: string }
  | {
      readonly kind: 'call' | 'run' | 'ask' | 'context';
      /** Of the tool, run or context; of the model where the question named one. */
      readonly name: string;
      readonly ok: boolean;
      /** Why it failed. */
      readonly error?: string;
    };
