import { Partner } from './partner.ts';
import type { Trouble } from './trouble.ts';

/** The kinds of those whom a service asks. */
export type PartnerKind = 'issuer' | 'upstream' | 'model' | 'webhook' | 'camera';

/** What a list of partners works with. */
export interface PartnersParts {
  /** Milliseconds of a clock that is never set; default: `performance.now`. */
  readonly monotonic?: () => number;
  /** Whom nobody has asked for so long after a failure is not told of any more, milliseconds; default: 60,000. */
  readonly forgottenMs?: number;
}

/** So many are named in a trouble; of the others it says how many they are. */
const namedPartners = 8;

/** Of a name so much is shown. */
const nameLength = 64;

const sentences: Readonly<Record<PartnerKind, string>> = {
  issuer: 'Issuers of tokens cannot be asked for their keys, and tokens that need them are 503',
  upstream: 'Upstreams of proxies fail',
  model: 'Providers of models fail',
  webhook: 'Receivers of webhooks fail, and their messages wait',
  camera: 'Cameras that are asked for pictures give none',
};

/** Those of one kind whom a service asks, by the names that they are declared with. */
export class Partners {
  readonly #kind: PartnerKind;
  readonly #monotonic: () => number;
  readonly #forgottenMs: number | undefined;
  readonly #byName = new Map<string, Partner>();

  constructor(kind: PartnerKind, { monotonic = () => performance.now(), forgottenMs }: PartnersParts = {}) {
    this.#kind = kind;
    this.#monotonic = monotonic;
    this.#forgottenMs = forgottenMs;
  }

  /** The partner of that name, the same each time. @param name a declared one, never a caller's; everybody may read it */
  of(name: string): Partner {
    const known = this.#byName.get(name);
    if (known) return known;
    const partner = new Partner(this.#monotonic, this.#forgottenMs);
    this.#byName.set(name, partner);
    return partner;
  }

  /** One trouble of those that fail, `upstream-failing`, with the names of the first eight and what they do. */
  troubles(): readonly Trouble[] {
    const named: string[] = [];
    let failing = 0;
    for (const [name, partner] of this.#byName) {
      const { failure } = partner;
      if (!failure || ++failing > namedPartners) continue;
      const seconds = Math.floor(failure.forMs / 1000);
      named.push(`"${name.slice(0, nameLength)}" (${failure.fault}, for ${seconds} s)`);
    }
    if (failing === 0) return [];
    const others = failing > named.length ? ` and ${failing - named.length} more` : '';
    const message = `${sentences[this.#kind]}: ${named.join(', ')}${others}.`;
    return [{ code: `${this.#kind}-failing`, message, outside: true }];
  }
}
