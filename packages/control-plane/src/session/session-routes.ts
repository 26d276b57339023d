import { type EngineRouteOptions, media, type Route, Type, toRoute } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { Method } from '@waymark/contract/route';
import { stylePath } from '../face/face.ts';
import { stylesheet } from '../face/stylesheet.ts';
import { bytesAnswer } from './session-answers.ts';
import { SessionDesk, type SessionDeskOptions } from './session-desk.ts';

/** Tokens at their longest, each of their characters written as three. */
const maxFormBytes = 32_768;

/** Of all of them. */
const facts = { client: false, opensSessions: true } as const;

/**
 * The routes with which browsers sign in and out (decision 12.1). They are open to any credential, and say nothing about
 * the service.
 */
export function sessionRoutes(options: SessionDeskOptions): readonly Route[] {
  const desk = new SessionDesk(options);
  return [
    row('GET', '/session', (context) => desk.tell(context), {
      summary: 'Says who you are, and until when.',
      output: sessionRecord,
    }),
    row('POST', '/session', (context) => desk.open(context), {
      summary: 'Signs a browser in: a key or token is shown once, and a cookie stands for it from then on.',
      body: 'bytes',
      maxBodyBytes: maxFormBytes,
      output: sessionRecord,
      facts: {
        ...facts,
        takes: Type.Object({ credential: Type.String({ description: 'A key or a token.' }) }),
        answers: { 303: [] },
        fails: [400, 401, 403, 422],
      },
    }),
    row('POST', '/session/code', (context) => desk.code(context), {
      summary: 'Gives a program of this machine a code, with which a browser signs in once within a minute.',
      body: 'bytes',
      maxBodyBytes: maxFormBytes,
      output: codeRecord,
      facts: { client: false, fails: [401] },
    }),
    row('DELETE', '/session', (context) => desk.close(context), {
      summary: 'Signs a browser out: its session is refused from then on.',
      facts: { ...facts, answers: { 204: [] }, fails: [403] },
    }),
    row('POST', '/session/end', (context) => desk.leave(context), {
      summary: 'Signs a browser out that has no scripts, and leads it on.',
      body: 'bytes',
      maxBodyBytes: maxFormBytes,
      facts: { ...facts, answers: { 303: [] }, fails: [403] },
    }),
    row('GET', '/sign-in', (context) => desk.page(context), {
      summary: 'The page to sign in with, and out; the query name `to` is the local path that it leads to.',
      output: media('text/html'),
    }),
    row('GET', stylePath, () => style, {
      summary: 'How the pages of the service look.',
      output: media('text/css'),
    }),
  ];
}

const style = bytesAnswer(stylesheet, 'text/css', 200, { 'cache-control': 'public, max-age=3600' });

function row(
  method: Method,
  path: string,
  answer: (context: EngineContext) => unknown,
  options: EngineRouteOptions,
): Route {
  return toRoute(
    method,
    path,
    { kind: 'control', answer },
    { plane: 'control', placement: 'owner', facts, ...options },
    sessionRoutes,
  );
}

const codeRecord = Type.Object(
  {
    code: Type.String({ description: 'A credential for `POST /session`, once.' }),
    lasts_ms: Type.Integer(),
  },
  { additionalProperties: false },
);

const sessionRecord = Type.Object(
  {
    id: Type.String(),
    authenticated: Type.Boolean(),
    scopes: Type.Array(Type.String()),
    expires_at_ms: Type.Union([Type.Integer(), Type.Null()], {
      description: 'When the session or token ends, epoch milliseconds; null where it does not.',
    }),
  },
  { additionalProperties: false },
);
