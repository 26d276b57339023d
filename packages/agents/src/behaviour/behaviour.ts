import type { InputOf, InputShape, Values } from '@waymark/contract';
import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';
import type { Awaitable } from '@waymark/contract/engine';
import type { BehaviourContext } from './behaviour-context.ts';

/** What a behaviour is declared with (specification, Behaviour options). */
export interface BehaviourOptions<I extends InputShape | undefined = undefined> {
  /** Describes it as a tool and in listings; the docstring of the function. */
  readonly description?: string;
  /** A schema for each member of its input, or one JSON Schema; any JSON object. */
  readonly input?: I;
  /** Names of the tools it may call, agents, behaviours and flows included; none. */
  readonly tools?: readonly string[];
  /** Context providers it may read; none. */
  readonly context?: readonly string[];
  /** What a run may do, as far as its caller may do it too; nothing. */
  readonly scopes?: readonly string[];
  /** Needed to start a run; `scopes`. */
  readonly exposeScopes?: readonly string[];
  /** Calls, questions and runs of one run; 50. */
  readonly maxSteps?: number;
  /** Tokens of one run and everything it calls; no limit. */
  readonly tokenBudget?: number;
  /** Alias or name of the model it asks; `default`. */
  readonly model?: string;
  /** Tokens of one answer of the model; 16,000. */
  readonly maxTokens?: number;
  /** Sent only when set. */
  readonly temperature?: number;
  /** The path of its route; `/behaviours/` and its name with hyphens. */
  readonly exposeAt?: string;
  /** Whether it is a tool itself; true. */
  readonly tool?: boolean;
  /** Says that anybody shall be able to start it, which is warned about otherwise; false. */
  readonly public?: boolean;
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** What a behaviour is given: what its `input` says, or any object. */
export type BehaviourInput<I> = I extends InputShape ? InputOf<'', I> : Values;

/**
 * The function of a behaviour. It is called again from its start whenever its run goes on, so it reaches out through
 * `ctx` alone. What it returns is JSON; nothing is null.
 */
export type BehaviourFunction<I = undefined> = NoInfer<
  (ctx: BehaviourContext, input: BehaviourInput<I>) => Awaitable<unknown>
>;

/** One declared behaviour. */
export interface BehaviourDeclaration
  extends Declaration<'behaviour', Omit<BehaviourOptions<InputShape | undefined>, 'declaredAt'>> {
  readonly body: (ctx: BehaviourContext, input: Values) => Awaitable<unknown>;
}

/**
 * Declares a behaviour: a function that works with tools and models, and survives its process.
 *
 *     behaviour('close_stale', { tools: ['list_tickets'], scopes: ['tickets:read'] }, async (ctx, input) => …)
 *
 * The name is the function's own where none is given. With hyphens it is part of the path.
 */
export function behaviour(body: BehaviourFunction): BehaviourDeclaration;
export function behaviour<const I extends InputShape | undefined = undefined>(
  options: BehaviourOptions<I>,
  body: BehaviourFunction<I>,
): BehaviourDeclaration;
export function behaviour<const I extends InputShape | undefined = undefined>(
  name: string,
  options: BehaviourOptions<I>,
  body: BehaviourFunction<I>,
): BehaviourDeclaration;
export function behaviour(...given: readonly unknown[]): BehaviourDeclaration {
  const [name, options = {}, body] = arrangeBehaviour(given);
  const { declaredAt = callSite(behaviour), ...rest }: BehaviourOptions = isOptions(options) ? options : {};
  return {
    kind: 'behaviour',
    // A program without types may pass anything: the check says so. The function is typed by the very schemas that
    // its input is validated against.
    name: name as string,
    options: isOptions(options) ? rest : (options as BehaviourDeclaration['options']),
    declaredAt,
    body: body as BehaviourDeclaration['body'],
  };
}

/** Puts the three forms of a behaviour into one: name, options, function. */
export function arrangeBehaviour(
  given: readonly unknown[],
): readonly [name: unknown, options: unknown, body: unknown] {
  const [body, options, name = nameOf(body)] = given.toReversed();
  return [name, options, body];
}

function nameOf(body: unknown): string {
  return typeof body === 'function' ? body.name : '';
}
