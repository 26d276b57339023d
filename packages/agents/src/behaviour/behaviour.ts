import type { InputOf, InputShape, Values } from '@waymark/contract';
import { callSite, type Declaration, isOptions } from '@waymark/contract/declaring';
import type { Awaitable } from '@waymark/contract/engine';
import type { BehaviourContext } from './behaviour-context.ts';

/** Options of a behaviour (specification, Behaviour options). Every one has a default. */
export interface BehaviourOptions<I extends InputShape | undefined = undefined> {
  /**
   * Description of the behaviour in listings and as a tool; default: none in listings, the docstring of the function as
   * a tool.
   */
  readonly description?: string;
  /** Schema for each member of the input, or one JSON Schema; default: any JSON object is taken. */
  readonly input?: I;
  /** Names of the tools it may call: those of routes, agents, behaviours and flows; default: none. */
  readonly tools?: readonly string[];
  /** Names of the context providers it may read; default: none. */
  readonly context?: readonly string[];
  /** Scopes of a run: it has those of them that its caller has too. Default: none. */
  readonly scopes?: readonly string[];
  /** Scopes that a caller needs to start a run; default: those in `scopes`. */
  readonly exposeScopes?: readonly string[];
  /** Steps that one run may make (calls, questions, child runs), 1 to 1,000; default: 50. */
  readonly maxSteps?: number;
  /** Tokens that one run and the runs it starts may use, 1 to 1,000,000,000; default: no limit. */
  readonly tokenBudget?: number;
  /** Alias or name of the model that `ctx.ask` asks; default: the alias `default`. */
  readonly model?: string;
  /** Tokens of one answer of the model, 1 to 1,000,000; default: 16,000. */
  readonly maxTokens?: number;
  /** Sampling temperature, 0 to 2; default: not sent, so that the provider decides. */
  readonly temperature?: number;
  /** Path of its route, without parameters; default: `/behaviours/` and its name with hyphens for underscores. */
  readonly exposeAt?: string;
  /** Offers it as a tool to agents, other behaviours, flows and MCP clients; default: true. */
  readonly tool?: boolean;
  /**
   * Confirms that a behaviour whose `exposeScopes` are empty is open to anybody; default: false. Without it such a
   * behaviour is warned about, and with `NODE_ENV=production` the server does not start.
   */
  readonly public?: boolean;
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** Input of a behaviour function: the type of its `input` schemas, or any object without them. */
export type BehaviourInput<I> = I extends InputShape ? InputOf<'', I> : Values;

/**
 * Function of a behaviour. It is called again from its start whenever its run resumes, so all its effects, times and
 * random numbers must come from `ctx`. It returns a JSON value, the output of the run; `undefined` becomes null.
 */
export type BehaviourFunction<I = undefined> = NoInfer<
  (ctx: BehaviourContext, input: BehaviourInput<I>) => Awaitable<unknown>
>;

/** Declaration of a behaviour, as `behaviour` returns it. */
export interface BehaviourDeclaration
  extends Declaration<'behaviour', Omit<BehaviourOptions<InputShape | undefined>, 'declaredAt'>> {
  readonly body: (ctx: BehaviourContext, input: Values) => Awaitable<unknown>;
}

/**
 * Declares a behaviour: a function that calls tools and models in durable steps, so that its run resumes after a restart.
 *
 *     behaviour('close_stale', { tools: ['list_tickets'], scopes: ['tickets:read'] }, async (ctx, input) => …)
 *
 * The name is a letter and up to 63 letters, digits, `_` or `-`; without one, that of the function. It is the name of
 * the tool and, with hyphens, part of the path.
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
