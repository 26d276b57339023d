import type { RunSpec } from '../runs/run.ts';

/**
 * Facts that the owner of a route tells documents, clients and drivers, so that none of them guesses from its engine.
 * The dispatcher does not read them.
 */
export interface RouteFacts {
  /** What a body is that it reads as bytes or by itself: a schema, or `media(…)`. */
  readonly takes?: object;
  /**
   * Successes by status that `output` leaves out, since tools must not be given a schema of them: pictures, say. One
   * schema, or `media(…)`, for each content type; none for an answer without content, such as a redirect.
   */
  readonly answers?: Readonly<Record<number, readonly object[]>>;
  /** Error statuses of its own, besides those that follow from scopes, input and body. */
  readonly fails?: readonly (400 | 401 | 403 | 404 | 406 | 409 | 410 | 412 | 416 | 422 | 502)[];
  /** What its errors may be besides problem documents: schemas, or `media(…)`. */
  readonly failsAs?: readonly object[];
  /** Request headers that it reads, as they are usually spelt, and what each does. */
  readonly reads?: Readonly<Record<string, string>>;
  /** Headers of its successes, as they are usually spelt, and what each says. */
  readonly sends?: Readonly<Record<string, string>>;
  /**
   * Where the client has it: `approvals.decide` of a control route is `client.control.approvals.decide`. False: the
   * client leaves it out. By its name when absent.
   */
  readonly client?: string | false;
  /** Tells events without an end to whoever asks for them, and goes on after any that has an id. */
  readonly feed?: true;
  /** Answers without doing anything, so that it is never late. */
  readonly atOnce?: true;
  /** What it starts a run of. Its caller inside a run is given what `answerInside` says. */
  readonly startsRun?: RunSpec['kind'];
  /** JSON Schema of all that it takes from a caller inside a run, where that is less than its `inputSchema`. */
  readonly toolInput?: object;
  /** Answers 401 to callers without credentials, whatever its scopes: what it does is done for somebody. */
  readonly named?: true;
  /**
   * Opens, tells or ends the session of a browser: it is told what the door knows of that, and a 401 of its own is that
   * of a wrong credential.
   */
  readonly opensSessions?: true;
  /** The memory that it reads or changes, by name. What is kept there belongs to the caller. */
  readonly memory?: string;
  /** The device whose frames or readings it takes or gives, by name. */
  readonly device?: string;
  /** How whoever declared it gives a tool its words: `write a description`. */
  readonly describedBy?: string;
}

/** Everything that a route says of its answers, by status: the schemas of its `output`, then those of its facts. */
export function answersOf({
  output,
  facts,
}: {
  readonly output: Readonly<Record<number, object>>;
  readonly facts: RouteFacts;
}): Readonly<Record<string, readonly object[]>> {
  const declared = Object.entries(output).map(([status, schema]) => [status, [schema]] as const);
  return { ...facts.answers, ...Object.fromEntries(declared) };
}

/** `reads` of a route whose answers have an `ETag`: the door compares them (RFC 9110, 13.1.2). */
export const ifNoneMatch: RouteFacts['reads'] & object = {
  'If-None-Match': 'An `ETag` that is at hand: answers 304 when it is still the same.',
};

/** `reads` of a route that changes only what its caller has seen (RFC 9110, 13.1.1). */
export const ifMatch: RouteFacts['reads'] & object = {
  'If-Match': 'Goes on only while this is the `ETag`, else answers 412; `*` for any.',
};

/** `reads` of a route that changes nothing its caller has already (RFC 9110, 13.1.2). */
export const unlessMatched: RouteFacts['reads'] & object = {
  'If-None-Match': 'Answers 412 while this is the `ETag`; `*` for any.',
};

/** `sends` of a route whose answers change with their content alone. */
export const etag: RouteFacts['sends'] & object = {
  ETag: 'Another one as soon as the content is another.',
};

/** `sends` of a list that is given in parts (RFC 8288). */
export const nextLink: RouteFacts['sends'] & object = {
  Link: 'Where the next part is: `<…>; rel="next"`. Absent on the last one.',
};

/** `sends` of a route that makes something, or starts what has an address of its own. */
export const location: RouteFacts['sends'] & object = { Location: 'Where it is.' };
