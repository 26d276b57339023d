import type { Problem } from '@waymark/contract';
import { checkOptions, type Feature, type Shape, type Shapes, toProblems } from '@waymark/contract/declaring';
import {
  type CorsOptions,
  policyRules,
  type RateLimitOptions,
  type SecurityHeadersOptions,
} from '@waymark/http';

/** An option of every policy declaration. */
export interface Placed {
  /**
   * Place of the call as `file:line`, named in problems. Found by itself; a function that wraps the call passes its
   * caller's.
   */
  readonly declaredAt?: string;
}

/** The policies of the door; each is declared once, and a later declaration replaces an earlier one. */
export interface Policies {
  readonly cors?: CorsOptions & Placed;
  readonly rateLimit?: RateLimitOptions & Placed;
  readonly securityHeaders?: SecurityHeadersOptions & Placed;
}

/** One declared policy, by its name. */
export type PolicyDeclaration = {
  readonly [Name in keyof Policies]-?: Required<Pick<Policies, Name>>;
}[keyof Policies];

/** The words `cors`, `rateLimit` and `securityHeaders`. They are for the door. */
export const policiesFeature = {
  name: 'policies',
  kinds: [
    {
      method: 'cors',
      declare: (origins: readonly string[], options: Omit<CorsOptions, 'origins'> & Placed) => ({
        // JavaScript can leave the origins out; the door says that none is listed.
        cors: { ...options, origins: origins ?? [] },
      }),
      options: 1,
    },
    {
      method: 'rateLimit',
      declare: (perSecond: number | undefined, options: Pick<RateLimitOptions, 'burst'> & Placed) => ({
        rateLimit: { ...options, ...(perSecond !== undefined && { perSecond }) },
      }),
      options: 1,
    },
    {
      method: 'securityHeaders',
      declare: (securityHeaders: SecurityHeadersOptions & Placed) => ({ securityHeaders }),
      options: 0,
    },
  ],
  rules: policyRules,
} as const satisfies Feature<PolicyDeclaration>;

/** The policies that can be used, and what is wrong with the others. */
export interface PolicyReading {
  readonly policies: Policies;
  readonly policyProblems: readonly Problem[];
}

type ShapesOf<T> = Readonly<Record<keyof T, Shape>>;

const corsShapes: ShapesOf<CorsOptions & Placed> = {
  origins: 'texts',
  credentials: 'boolean',
  methods: 'texts',
  headers: 'texts',
  expose: 'texts',
  maxAge: 'number',
  declaredAt: 'text',
};
const rateLimitShapes: ShapesOf<RateLimitOptions & Placed> = {
  perSecond: 'number',
  burst: 'number',
  declaredAt: 'text',
};
const securityHeadersShapes: ShapesOf<SecurityHeadersOptions & Placed> = {
  enabled: 'boolean',
  frameOptions: 'text',
  referrerPolicy: 'text',
  contentSecurityPolicy: 'text',
  hstsMaxAge: 'number',
  declaredAt: 'text',
};

/** Reads what was declared: a policy that has an option of another type is left out, since nothing can be made of it. */
export function readPolicies(declared: readonly PolicyDeclaration[]): PolicyReading {
  const { cors, rateLimit, securityHeaders }: Policies = Object.assign({}, ...declared);
  const faulty = {
    cors: cors ? find('cors', cors, corsShapes) : [],
    rateLimit: rateLimit ? find('rateLimit', rateLimit, rateLimitShapes) : [],
    securityHeaders: securityHeaders ? find('securityHeaders', securityHeaders, securityHeadersShapes) : [],
  };
  return {
    policies: {
      ...(cors && faulty.cors.length === 0 && { cors }),
      ...(rateLimit && faulty.rateLimit.length === 0 && { rateLimit }),
      ...(securityHeaders && faulty.securityHeaders.length === 0 && { securityHeaders }),
    },
    policyProblems: [...faulty.cors, ...faulty.rateLimit, ...faulty.securityHeaders],
  };
}

function find(declaration: string, options: Placed, shapes: Shapes): readonly Problem[] {
  return toProblems(declaration, options.declaredAt, checkOptions(options, shapes));
}
