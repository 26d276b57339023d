import { checkOptions, type Problem, type Shape, type Shapes, toProblems } from '@waymark/contract';
import type { CorsOptions, RateLimitOptions, SecurityHeadersOptions } from '@waymark/http';

/** An option of every policy declaration. */
export interface Placed {
  /** `file:line` for messages. Found by itself; a function that wraps the declaration call passes its caller's. */
  readonly declaredAt?: string;
}

/** The policies of the door; each is declared once, and a later declaration replaces an earlier one. */
export interface Policies {
  readonly cors?: CorsOptions & Placed;
  readonly rateLimit?: RateLimitOptions & Placed;
  readonly securityHeaders?: SecurityHeadersOptions & Placed;
}

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
export function readPolicies(declared: Policies): PolicyReading {
  const { rateLimit, securityHeaders } = declared;
  // JavaScript can leave the origins out; the door says that none is listed.
  const cors = declared.cors && { ...declared.cors, origins: declared.cors.origins ?? [] };
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
