import type { Response, Schema } from './document.ts';

/** Every error answer (decision 2.2): RFC 9457 and the members this service adds. */
export const problemSchema: Schema = {
  type: 'object',
  description: 'An error (RFC 9457).',
  properties: {
    type: { type: 'string', description: 'A URI that names the kind of error.', default: 'about:blank' },
    title: { type: 'string', description: 'The phrase of the status.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What went wrong, written for the caller.' },
    request_id: { type: 'string', description: 'The id under which the request is logged.' },
    code: { type: 'string', description: 'A word for programs, where one is named.' },
    errors: {
      type: 'array',
      description: 'What is wrong with the input, one by one (422).',
      items: {
        type: 'object',
        properties: { path: { type: 'string', description: 'A JSON pointer.' }, message: { type: 'string' } },
        required: ['path', 'message'],
      },
    },
    run: { description: 'The whole result of a run that failed.' },
    decision: {
      enum: ['approved', 'denied', 'withdrawn'],
      description: 'How an approval was decided already (409).',
    },
    decided_by: { type: ['string', 'null'], description: 'By whom; null when its run ended without asking.' },
    decided_at_ms: { type: ['integer', 'null'], description: 'When, in epoch milliseconds.' },
  },
  required: ['type', 'title', 'status', 'detail', 'request_id'],
};

/** The content of an error answer. */
export const problemContent: NonNullable<Response['content']> = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};

/** When each status is answered; the ones a route can answer are listed with it. */
export const problems = {
  400: { name: 'Malformed', description: 'Malformed JSON, percent-encoding, or a single value given twice.' },
  401: { name: 'Unauthenticated', description: 'No credential, or a wrong one.' },
  403: { name: 'Forbidden', description: 'The credential lacks a scope.' },
  404: { name: 'NotFound', description: 'There is nothing of this name.' },
  406: { name: 'NotAcceptable', description: 'There is no answer of a media type that `Accept` takes.' },
  409: { name: 'Conflict', description: 'What is asked conflicts with what is stored.' },
  410: { name: 'Gone', description: 'It was there, and its time is over.' },
  412: { name: 'PreconditionFailed', description: 'It has changed since it was read (`If-Match`).' },
  413: { name: 'TooLarge', description: 'The body is over its limit.' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body has another media type or encoding than this route reads.',
  },
  416: { name: 'RangeNotSatisfiable', description: 'What is there has no such part (`Range`).' },
  422: { name: 'Invalid', description: 'Well-formed input that breaks a rule; `errors` has each.' },
  429: { name: 'TooManyRequests', description: 'Too many requests; `Retry-After` says when to come back.' },
  500: { name: 'InternalError', description: 'A fault of the service; `detail` is `internal error`.' },
  502: { name: 'UpstreamFailed', description: 'An upstream, a model provider or a step failed.' },
  503: { name: 'Unavailable', description: 'The service is shutting down or cannot store anything.' },
  504: { name: 'TimedOut', description: 'No answer within the time limit.' },
} as const;

/** A status that has a component of its own. */
export type ProblemStatus = keyof typeof problems;

/** The shared error answers, by component name. */
export function problemResponses(): Readonly<Record<string, Response>> {
  const statuses = Object.keys(problems).map(Number) as ProblemStatus[];
  return Object.fromEntries(statuses.map((status) => [problems[status].name, toProblemResponse(status)]));
}

/** One of them. */
export function toProblemResponse(status: ProblemStatus): Response {
  const headers = headersOf[status];
  return { description: problems[status].description, ...(headers && { headers }), content: problemContent };
}

const retryAfter: Response['headers'] = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

const headersOf: Partial<Record<ProblemStatus, NonNullable<Response['headers']>>> = {
  401: { 'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } },
  429: retryAfter,
  503: retryAfter,
};
