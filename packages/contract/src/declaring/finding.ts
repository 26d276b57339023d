import type { Problem } from '../engine/http-error.ts';
import type { Finding } from '../engine/plugin.ts';
import { parseCallSite } from './call-site.ts';

/** A problem as programs read it: `waymark check --json` prints these. It always says what to write, where that is known. */
export function toFinding({ code, severity, declaration, rule, nearest, fix, at }: Problem): Finding {
  const place = at === undefined ? undefined : parseCallSite(at);
  const advice = fix ?? (nearest === undefined ? undefined : `write ${JSON.stringify(nearest)}`);
  return {
    severity: severity ?? 'error',
    ...(code !== undefined && { code }),
    text: `${declaration}: ${rule}`,
    ...(nearest !== undefined && { nearest }),
    ...(advice !== undefined && { fix: advice }),
    ...(place && { at: place }),
  };
}
