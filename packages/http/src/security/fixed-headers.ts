import type { ServerResponse } from 'node:http';
import { type HeaderBlock, toHeaderBlock } from '../response/header-block.ts';
import { type Keeping, keepings } from '../response/keeping.ts';
import { type CorsOptions, toCorsHeaders } from './cors.ts';
import { type SecurityHeadersOptions, toSecurityHeaders } from './security-headers.ts';

/** What a visitor shows that these headers depend on. */
export interface HeaderCircumstances {
  readonly origin: string | undefined;
  readonly https: boolean;
  /** What the route that is asked exposes to scripts, besides what all do. */
  readonly exposes?: readonly string[] | undefined;
}

/** Blocks by who may keep the answer. */
type ByKeeping = Readonly<Record<Keeping, HeaderBlock>>;

interface BothSchemes {
  readonly http: ByKeeping;
  readonly https: ByKeeping;
}

/** The headers of every answer, whoever gives it. All there can be are laid out at boot: a request only picks. */
export class FixedHeaders {
  readonly #plain: BothSchemes;
  readonly #byOrigin = new Map<string, BothSchemes>();
  readonly #anyOrigin: BothSchemes | undefined;
  readonly #layOut: (origin?: string, own?: readonly string[]) => BothSchemes;
  /** Of routes that expose something: one for each of the two or three there are, and each origin. */
  readonly #exposing = new WeakMap<readonly string[], Map<BothSchemes, BothSchemes>>();

  constructor(security: SecurityHeadersOptions = {}, cors: CorsOptions | undefined) {
    this.#layOut = (origin, own) => {
      const extra = cors ? toCorsHeaders(cors, origin, own) : [];
      return {
        http: byKeeping([...toSecurityHeaders(security, false), ...extra]),
        https: byKeeping([...toSecurityHeaders(security, true), ...extra]),
      };
    };
    this.#plain = this.#layOut();
    for (const origin of cors?.origins ?? []) this.#byOrigin.set(origin, this.#layOut(origin));
    // The same rule as `allowsOrigin`, asked ahead of time.
    this.#anyOrigin = this.#byOrigin.get('*');
  }

  /** @param keeping who may keep the answer; it says so itself where it has a `cache-control` of its own */
  of(visitor: HeaderCircumstances, keeping: Keeping = 'unsaid'): HeaderBlock {
    // Without `cors` the origin is not worth a look.
    const block = this.#byOrigin.size === 0 ? this.#plain : this.#exposed(visitor);
    return (visitor.https ? block.https : block.http)[keeping];
  }

  #exposed(visitor: HeaderCircumstances): BothSchemes {
    const { origin } = visitor;
    const block = this.#blockOf(origin);
    const own = block === this.#plain ? undefined : visitor.exposes;
    if (own === undefined) return block;
    const known = this.#exposing.get(own) ?? new Map<BothSchemes, BothSchemes>();
    const found = known.get(block) ?? this.#layOut(origin, own);
    this.#exposing.set(own, known.set(block, found));
    return found;
  }

  #blockOf(origin: string | undefined): BothSchemes {
    if (origin === undefined) return this.#plain;
    const listed = this.#byOrigin.get(origin);
    if (listed) return listed;
    return (origin === 'null' ? undefined : this.#anyOrigin) ?? this.#plain;
  }
}

function byKeeping(flat: readonly string[]): ByKeeping {
  const entries = Object.entries(keepings).map(([keeping, value]) => [
    keeping,
    toHeaderBlock(value === undefined ? flat : [...flat, 'cache-control', value]),
  ]);
  // The same names as `keepings`.
  return Object.fromEntries(entries) as ByKeeping;
}

/** Sets them on an answer that somebody else will write. Doing it twice changes nothing. */
export function setFixedHeaders(res: ServerResponse, { flat }: HeaderBlock): void {
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string;
    const value = flat[i + 1] as string;
    if (name === 'vary' && res.hasHeader(name)) addVary(res, value);
    else res.setHeader(name, value);
  }
}

function addVary(res: ServerResponse, value: string): void {
  const current = String(res.getHeader('vary'));
  if (current !== '*' && !current.split(/\s*,\s*/).includes(value))
    res.setHeader('vary', `${current}, ${value}`);
}
