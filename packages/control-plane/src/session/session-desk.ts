import { HTTPError } from '@waymark/contract';
import { type EngineContext, jsonResponse, RouteResponse } from '@waymark/contract/engine';
import type { BrowserSide, Principal, Sessions } from '@waymark/contract/principal';
import type { AuditEvent } from '@waymark/contract/stores';
import type { Face } from '../face/face.ts';
import { signInPage } from '../face/sign-in-page.ts';
import { localPath } from './local-path.ts';
import { ledOn, pageAnswer } from './session-answers.ts';
import { readShown, readTo, type Shown } from './shown-credential.ts';

/** What the routes of sessions work with. */
export interface SessionDeskOptions {
  /** Name of the application, and its path as browsers see it, without a slash at the end. */
  readonly name: string;
  readonly basePath: string;
  /** The sessions; undefined without authentication. Asked at each request. */
  sessions(): Sessions | undefined;
  /** Takes the events of the audit log. */
  emit(event: AuditEvent): void;
}

/** Where browsers sign in and out. What it throws is for whoever asked. */
export class SessionDesk {
  readonly #options: SessionDeskOptions;

  constructor(options: SessionDeskOptions) {
    this.#options = options;
  }

  /** Who it is. */
  tell({ principal }: EngineContext): object {
    this.#sessions();
    return toWire(principal);
  }

  /** Hands out a session for a credential that is shown; a session is none, so that nobody stays for ever. */
  async open(context: EngineContext): Promise<RouteResponse> {
    const sessions = this.#sessions();
    const browser = ownBrowser(context);
    const shown = readShown(context.request);
    const opened = await sessions.open(shown.credentials);
    if (!opened.ok) return this.#refuse(opened.error, shown, context);
    const { id, principal } = opened;
    this.#options.emit({
      ...{ kind: 'session_opened', principal: principal.id, session: id },
      expires_at_ms: principal.expiresAtMs,
    });
    // The one before would go on, and nobody could end it.
    this.#end(sessions, browser);
    const cookie = sessions.setCookie(browser.https, opened);
    return shown.form
      ? ledOn(shown.to, this.#options.basePath, cookie)
      : jsonResponse(toWire(principal), 200, { 'set-cookie': cookie });
  }

  close(context: EngineContext): RouteResponse {
    return new RouteResponse(204, { kind: 'empty' }, { 'set-cookie': this.#signOut(context) });
  }

  /** The same for a page without scripts. */
  leave(context: EngineContext): RouteResponse {
    const cookie = this.#signOut(context);
    return ledOn(readTo(context.request), this.#options.basePath, cookie);
  }

  page(context: EngineContext): RouteResponse {
    this.#sessions();
    const { principal, request } = context;
    const to = localPath(request.query['to']);
    return pageAnswer(signInPage(this.#face(context), { principal, to }));
  }

  #sessions(): Sessions {
    const sessions = this.#options.sessions();
    if (sessions) return sessions;
    throw new HTTPError(
      404,
      'there are no sessions: no authentication is configured, declare an apiKey or a jwt',
    );
  }

  /** @returns the cookie that takes it back */
  #signOut(context: EngineContext): string {
    const sessions = this.#sessions();
    const browser = ownBrowser(context);
    this.#end(sessions, browser);
    return sessions.setCookie(browser.https);
  }

  #end(sessions: Sessions, { session = '' }: BrowserSide): void {
    const whose = sessions.read(session);
    const ended = whose && sessions.end(session);
    if (!ended) return;
    const { id, holder, issuedAtMs, expiresAtMs } = ended;
    this.#options.emit({
      ...{ kind: 'session_ended', principal: whose.principal.id, session: id, holder },
      ...{ issued_at_ms: issuedAtMs, expires_at_ms: expiresAtMs },
    });
  }

  /** A page without scripts is shown again, and why. */
  #refuse(error: HTTPError, { form, to }: Shown, context: EngineContext): RouteResponse {
    if (!form) throw error;
    const { status, message, headers } = error;
    const failure = status === 401 ? (failures[message] ?? unknown) : `${message}.`;
    const { principal } = context;
    return pageAnswer(signInPage(this.#face(context), { principal, to, failure }), status, headers);
  }

  #face({ table }: EngineContext): Face {
    const { name, basePath } = this.#options;
    return { name, prefix: basePath + table.controlPrefix, home: `${basePath}/`, signIn: true };
  }
}

const unknown = 'This key or token is not known here.';
const failures: Readonly<Record<string, string>> = {
  'the token has expired': 'This token has expired.',
};

function toWire({ id, authenticated, scopes, expiresAtMs }: Principal): object {
  return { id, authenticated, scopes, expires_at_ms: expiresAtMs ?? null };
}

/** Nobody is signed in or out by a page of others, not even by one that `cors` lists. */
function ownBrowser({ browser }: EngineContext): BrowserSide {
  if (!browser) throw new HTTPError(404, 'there are no sessions here');
  if (browser.foreign) throw new HTTPError(403, 'pages of other origins open and end no sessions');
  return browser;
}
