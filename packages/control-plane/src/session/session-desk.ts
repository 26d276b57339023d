import { HTTPError } from '@waymark/contract';
import { type EngineContext, type Host, jsonResponse, RouteResponse } from '@waymark/contract/engine';
import type { BrowserSide, Principal, Sessions } from '@waymark/contract/principal';
import type { Face } from '../face/face.ts';
import { signInPage } from '../face/sign-in-page.ts';
import { forwardedElsewhere } from '../forwarded-elsewhere.ts';
import { loopbackAddresses } from '../loopback-addresses.ts';
import { localPath } from './local-path.ts';
import { ledOn, pageAnswer } from './session-answers.ts';
import { readShown, readTo, type Shown } from './shown-credential.ts';
import { SignInCodes } from './sign-in-codes.ts';

/** What the routes of sessions work with. */
export interface SessionDeskOptions {
  /** Name of the application, and its path as browsers see it, without a slash at the end. */
  readonly name: string;
  readonly basePath: string;
  /** The sessions; undefined without authentication. Asked at each request. */
  sessions(): Sessions | undefined;
  /** Milliseconds of a clock that is never set. */
  monotonic(): number;
  /** Asked at each request. @throws {HTTPError} 503 it was not started */
  host(): Pick<Host, 'emit' | 'log' | 'now' | 'stores'>;
}

/** Where browsers sign in and out. What it throws is for whoever asked. */
export class SessionDesk {
  readonly #options: SessionDeskOptions;
  readonly #codes: SignInCodes;
  readonly #isLoopback = loopbackAddresses();
  readonly #forwardedBy = forwardedElsewhere();

  constructor(options: SessionDeskOptions) {
    this.#options = options;
    this.#codes = new SignInCodes(() => options.monotonic());
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
    const shown = this.#redeemed(readShown(context.request), context);
    const opened = await sessions.open(shown.credentials);
    if (!opened.ok) return this.#refuse(opened.error, shown, context);
    const { id, principal } = opened;
    const host = this.#options.host();
    host.emit({
      ...{ kind: 'session_opened', principal: principal.id, session: id },
      expires_at_ms: principal.expiresAtMs,
    });
    // The one before would go on, and nobody could end it. Whoever signs in need not wait for a store that fails.
    await this.#end(sessions, browser).catch((error: unknown) =>
      host.log('error', 'the session before a sign-in ended for this process alone', { error }),
    );
    const cookie = sessions.setCookie(browser.https, opened);
    return shown.form
      ? ledOn(shown.to, this.#options.basePath, cookie)
      : jsonResponse(toWire(principal), 200, { 'set-cookie': cookie });
  }

  /**
   * Hands out a code for the key or token that is shown in a header, to programs of this machine that open a browser on it
   * (decision 12.1). Whoever has a session alone gets none, so that nobody stays for ever.
   */
  code(context: EngineContext): object {
    this.#sessions();
    const { credentials } = readShown(context.request);
    if (Object.keys(credentials.headers).length === 0)
      throw new HTTPError(401, 'a code is given for a key or a token that is shown in a header');
    if (!this.#isHere(context))
      throw new HTTPError(403, 'codes to sign in with are for programs and browsers of this machine');
    const { code, lastsMs } = this.#codes.issue(credentials);
    return { code, lasts_ms: lastsMs };
  }

  async close(context: EngineContext): Promise<RouteResponse> {
    return new RouteResponse(204, { kind: 'empty' }, { 'set-cookie': await this.#signOut(context) });
  }

  /** The same for a page without scripts. */
  async leave(context: EngineContext): Promise<RouteResponse> {
    const cookie = await this.#signOut(context);
    return ledOn(readTo(context.request), this.#options.basePath, cookie);
  }

  page(context: EngineContext): RouteResponse {
    this.#sessions();
    const { principal, request } = context;
    const to = localPath(request.query['to']);
    return pageAnswer(signInPage(this.#face(context), { principal, to }));
  }

  /** What is shown, with the credential in place of a code that stands for it. */
  #redeemed(shown: Shown, context: EngineContext): Shown {
    const { accessToken } = shown.credentials;
    if (accessToken === undefined || !this.#isHere(context)) return shown;
    const credentials = this.#codes.redeem(accessToken);
    return credentials ? { ...shown, credentials } : shown;
  }

  #isHere({ clientAddress, request }: EngineContext): boolean {
    return this.#isLoopback(clientAddress) && this.#forwardedBy(request.headers) === undefined;
  }

  #sessions(): Sessions {
    const sessions = this.#options.sessions();
    if (sessions) return sessions;
    throw new HTTPError(
      404,
      'there are no sessions: no authentication is configured, declare an apiKey or a jwt',
    );
  }

  /** @returns the cookie that takes it back @throws {HTTPError} 503 it is ended, and that is not stored */
  async #signOut(context: EngineContext): Promise<string> {
    const sessions = this.#sessions();
    const browser = ownBrowser(context);
    const cookie = sessions.setCookie(browser.https);
    try {
      await this.#end(sessions, browser);
    } catch (cause) {
      const headers = { 'set-cookie': cookie };
      throw new HTTPError(503, notStored, { cause, headers });
    }
    return cookie;
  }

  /** Refuses a session from now on, and once it resolves after a restart, too. */
  async #end(sessions: Sessions, { session = '' }: BrowserSide): Promise<void> {
    const whose = sessions.read(session);
    const ended = whose && sessions.end(session);
    if (!ended) return;
    const { emit, now, stores } = this.#options.host();
    const { id, holder, issuedAtMs, expiresAtMs } = ended;
    emit({
      ...{ kind: 'session_ended', principal: whose.principal.id, session: id, holder },
      ...{ issued_at_ms: issuedAtMs, expires_at_ms: expiresAtMs },
    });
    await stores.endedSessions.add(ended, now());
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

const notStored =
  'the session is ended, and that could not be stored yet: if the service starts anew before it is, the session is good again';
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
