import type { Static, TSchema } from 'typebox';
import type { Progress, RouteRequest } from '../engine/message.ts';
import type { StandardOutput, StandardSchema } from '../schema/standard-schema.ts';
import type { Reply } from './reply.ts';

/** A flat record of schemas, TypeBox, JSON Schema or of a library, one for each parameter. TypeBox's `TSchema` is `{}`: `object` is the tighter bound. */
export type InputRecord = Readonly<Record<string, object>>;

/** A JSON Schema 2020-12 object, kept untouched. Told from an `InputRecord` by `type` being a string. */
export type RawSchema = { readonly type: 'object'; readonly [keyword: string]: unknown };

/** A declaration of input: a schema for each parameter, or one for all of them, as JSON Schema or of a library. */
export type InputShape = InputRecord | RawSchema | StandardSchema;

/** A declaration of output: one schema (status 200), or a map of status to schema. */
export type OutputShape = object;

/** The names in a path template: `/a/{id}/{rest*}` gives `id | rest`. */
export type ParamNames<P extends string> = P extends `${string}{${infer N}}${infer R}`
  ? (N extends `${infer B}*` ? B : N) | ParamNames<R>
  : never;

/** The type of what is valid under a schema: of TypeBox, JSON Schema, or of a library, which may have made something else of it. */
export type Infer<S> = S extends StandardSchema ? StandardOutput<S> : S extends TSchema ? Static<S> : never;
type OptionalKeys<I> = { [K in keyof I]: I[K] extends { '~optional': true } ? K : never }[keyof I];

/** The input of a handler: the declared parameters, and a string for each template name without a schema. */
export type InputOf<P extends string, I> = I extends RawSchema | StandardSchema
  ? Infer<I>
  : { readonly [K in Exclude<keyof I, OptionalKeys<I>>]: Infer<I[K]> } & {
      readonly [K in OptionalKeys<I>]?: Infer<I[K]>;
    } & { readonly [K in Exclude<ParamNames<P>, keyof I>]: string };

type ByStatus<O> = [keyof O] extends [number] ? O : { readonly 200: O };
type Plain<M> = { [S in keyof M & (200 | 201 | 202)]: Infer<M[S]> }[keyof M & (200 | 201 | 202)];
type Replies<M> = { [S in keyof M & number]: Reply<S, Infer<M[S]>> }[keyof M & number];

/**
 * What a handler may return: the success value, a reply with a declared status, `undefined` where 204 is declared.
 * Without `output`: anything.
 */
export type OutputOf<O> = O extends object
  ? Plain<ByStatus<O>> | Replies<ByStatus<O>> | (204 extends keyof O ? undefined : never)
  : unknown;

/**
 * The function behind a handler route: takes the validated input, answers with what it returns. An async generator
 * reports progress with `yield` and answers with `return`; who listens is the door's business: server-sent events over
 * HTTP, notifications over MCP, `step` messages on a socket, nobody for a plain caller.
 * Its types follow from the declaration, never the other way round: nothing is inferred from a handler.
 */
export type Handler<P extends string, I, O> = NoInfer<
  (
    input: InputOf<P, I>,
    request: RouteRequest,
  ) => OutputOf<O> | Promise<OutputOf<O>> | AsyncGenerator<Progress, OutputOf<O>>
>;
