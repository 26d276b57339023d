import { clauses, type Requirement } from './clause.ts';

const request = clauses('service: Request object, ');
const answer = clauses('service: Response and error objects, ');

/** Paragraphs "Request object" and "Response and error objects". */
export const serviceObjects: readonly Requirement[] = [
  ...request.built('method', { 'request.method': 'A handler reads the HTTP method as a string.' }),
  ...request.built('path', { 'request.path': 'A handler reads the path of the request as a string.' }),
  ...request.built('params', { 'request.params': 'A handler reads the path parameters as a map.' }),
  ...request.built('query', { 'request.query': 'A handler reads the query parameters as a map.' }),
  ...request.built('headers', {
    'request.headers': 'A handler finds every header under its lower-cased name.',
  }),
  ...request.built('body', { 'request.body': 'A handler reads the raw bytes of the body.' }),
  ...request.built('json', { 'request.json': '`json()` gives the parsed body and parses it once only.' }),
  ...request.built('user', {
    'request.user': 'A handler sees its caller as `id`, `authenticated` and `scopes`.',
  }),
  ...request.built('scopes', { 'request.scopes': 'A handler reads the scopes of its caller as a list.' }),
  ...request.built('get', {
    'request.get.order': '`get(name)` looks in the path, then the query, then the body.',
    'request.get.default': '`get` falls back on its second argument, and on nothing when there is none.',
  }),
  ...answer.built('Response', {
    'response.positions': 'A response is made from body, status, headers and content type, in this order.',
    'response.body.default': 'A response has no body by default.',
    'response.status.default': 'A response has status 200 by default.',
    'response.headers.default': 'A response adds no headers by default.',
    'response.content-type.default': 'A response is `application/json` by default.',
  }),
  ...answer.built('HTTPError', {
    'response.http-error': 'An HTTPError is made from a status and a message.',
  }),
];
