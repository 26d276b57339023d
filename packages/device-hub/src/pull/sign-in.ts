import { readChallenges } from './challenges.ts';
import { DigestLogin, type DigestRequest, isKnownDigest, type Login } from './digest.ts';

/**
 * Says to a camera who asks, in the way that it wants: digest where it offers that, since a password that is sent can be
 * read. Once it has said what it wants, it is told at once.
 */
export class SignIn {
  readonly #login: Login;
  /** Whoever has offered digest once is never sent the password: an answer on the way may have been changed. */
  #knowsDigest = false;
  #answer: ((request: DigestRequest) => string) | undefined;

  constructor(login: Login) {
    this.#login = login;
  }

  /** The value of `Authorization`; undefined until the camera has said what it wants. */
  authorization(request: DigestRequest): string | undefined {
    return this.#answer?.(request);
  }

  /** Takes in `WWW-Authenticate` of a 401. @returns false when it wants what nobody here can give */
  challenged(header: string): boolean {
    const challenges = readChallenges(header);
    const digests = challenges.filter(isKnownDigest);
    const [digest = digests[0]] = digests.filter(({ parameters }) =>
      /^sha/i.test(parameters['algorithm'] ?? ''),
    );
    if (digest) {
      this.#knowsDigest = true;
      const login = new DigestLogin(this.#login, digest);
      this.#answer = (request) => login.authorization(request);
    } else if (!this.#knowsDigest && challenges.some(({ scheme }) => scheme === 'basic')) {
      const { username, password } = this.#login;
      const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      this.#answer = () => basic;
    } else this.#answer = undefined;
    return this.#answer !== undefined;
  }
}
