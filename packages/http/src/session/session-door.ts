import type { BrowserSide, SessionHolder, Sessions } from '@waymark/contract/principal';
import type { Visit } from '../door/visit.ts';
import type { OuterGuards } from '../security/outer-guards.ts';
import { cookieValue, withoutCookies } from './cookie-value.ts';

/** Where MCP is, below the control prefix: its clients are no browsers, so that neither cookies nor pages are for them. */
export const mcpPath = '/mcp';

/** The sessions of browsers, as the door reads them off requests (decision 12.1). */
export class SessionDoor {
  readonly #sessions: Sessions;
  readonly #guards: OuterGuards;
  readonly #names: readonly string[];

  constructor(sessions: Sessions, guards: OuterGuards) {
    this.#sessions = sessions;
    this.#guards = guards;
    this.#names = [sessions.cookieName(true), sessions.cookieName(false)];
  }

  /**
   * The holder of the session that a request carries, where it counts. One that counts and is worth nothing is taken back
   * with the answer: whoever sent it is nobody, and can sign in.
   */
  holder(visit: Visit, upgrade: boolean): SessionHolder | undefined {
    const value = this.#value(visit, upgrade);
    if (value === undefined) return undefined;
    const holder = this.#sessions.read(value);
    if (!holder) visit.takesBack = this.#sessions.setCookie(visit.https);
    visit.session = holder?.id;
    return holder;
  }

  /** What a route that opens and ends sessions is told. To end a session, who has it must not be another origin's page. */
  browser(visit: Visit): BrowserSide {
    const { https } = visit;
    const foreign = this.#guards.isForeign(visit);
    const { cookie } = visit.req.headers;
    return {
      ...{ https, foreign },
      session: foreign ? undefined : cookieValue(cookie, this.#sessions.cookieName(https)),
    };
  }

  /** Headers for handlers: a session is as good as a key, which no page of theirs may show to a script. */
  withoutSession(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { cookie, ...others } = headers;
    if (cookie === undefined || !this.#names.some((name) => cookie.includes(name))) return headers;
    const rest = withoutCookies(cookie, this.#names);
    return rest === undefined ? others : { ...others, cookie: rest };
  }

  #value(visit: Visit, upgrade: boolean): string | undefined {
    const { cookie } = visit.req.headers;
    if (cookie === undefined) return undefined;
    // Written in another way, a path below the prefix may be that of MCP, too.
    if (visit.control === mcpPath || visit.control?.includes('%')) return undefined;
    const value = cookieValue(cookie, this.#sessions.cookieName(visit.https));
    return value !== undefined && this.#guards.isOwn(visit, upgrade) ? value : undefined;
  }
}
