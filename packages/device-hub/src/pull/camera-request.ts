import type { Outbound, OutboundResponse } from '@waymark/contract/http';
import { pullError } from './pull-error.ts';
import { SignIn } from './sign-in.ts';
import type { Credentials } from './source.ts';

/** What requests to a camera are made with. */
export interface CameraRequestParts {
  readonly device: string;
  readonly url: string;
  readonly credentials: Credentials;
  readonly outbound: Outbound;
  /** To the headers of an answer, and between two pieces of it. */
  readonly timeoutMs: number;
}

/** More than a camera needs to send us round. */
const maxRedirects = 3;
/** To the same place; where it may be another method, GET is what we send anyway. */
const redirects = new Set([301, 302, 303, 307, 308]);

/** Asks a camera for its picture: signs in, and follows it around its own house. */
export class CameraRequest {
  readonly #parts: CameraRequestParts;
  readonly #signIn: SignIn | undefined;

  constructor(parts: CameraRequestParts) {
    this.#parts = parts;
    const { login } = parts.credentials;
    this.#signIn = login && new SignIn(login);
  }

  /**
   * Sends a GET.
   *
   * @returns an answer with status 200, whose body the caller reads or cancels
   * @throws {HTTPError} 502, 504 as `pullError`, or what the outbound client throws
   */
  async send(signal: AbortSignal): Promise<OutboundResponse> {
    const { device } = this.#parts;
    let url = new URL(this.#parts.url);
    for (let hops = 0; ; hops++) {
      const response = await this.#sendSigned(url, signal);
      const { status, headers, body } = response;
      if (status === 200) return response;
      await passOver(body);
      if (status === 401 || status === 403) throw pullError(device, 'camera_credentials');
      if (!redirects.has(status)) throw pullError(device, 'camera_answer', new Error(`status ${status}`));
      const { location = '' } = headers;
      if (!URL.canParse(location, url.href) || hops === maxRedirects)
        throw pullError(device, 'camera_answer', new Error('redirects'));
      const next = new URL(location, url);
      if (next.origin !== url.origin) throw pullError(device, 'camera_address', new Error('a redirect'));
      next.username = '';
      next.password = '';
      url = next;
    }
  }

  /** Once more where the camera says who may come in, or that what it said before is over. */
  async #sendSigned(url: URL, signal: AbortSignal): Promise<OutboundResponse> {
    const first = await this.#sendOnce(url, signal);
    const challenge = first.headers['www-authenticate'];
    if (first.status !== 401 || challenge === undefined || !this.#signIn?.challenged(challenge)) return first;
    await passOver(first.body);
    return this.#sendOnce(url, signal);
  }

  #sendOnce(url: URL, signal: AbortSignal): Promise<OutboundResponse> {
    const { credentials, outbound, timeoutMs } = this.#parts;
    const authorization = this.#signIn?.authorization({ method: 'GET', target: url.pathname + url.search });
    return outbound.request({
      method: 'GET',
      url: url.href,
      headers: {
        accept: 'image/*, multipart/x-mixed-replace',
        ...credentials.headers,
        ...(authorization !== undefined && { authorization }),
      },
      timeoutMs,
      idleTimeoutMs: timeoutMs,
      // A stream has no end; a picture is cut where it is read.
      maxBytes: Number.POSITIVE_INFINITY,
      allow: 'declared',
      signal,
    });
  }
}

/** The words that go with a refusal or a redirect. */
const maxWords = 65_536;

/** Nobody reads them; but a connection whose answer is over can be used again, and one that is cut cannot. */
async function passOver(body: OutboundResponse['body']): Promise<void> {
  let length = 0;
  try {
    for await (const piece of body) {
      length += piece.length;
      if (length > maxWords) return;
    }
  } catch {
    // What comes next fails as well, and says why.
  }
}
