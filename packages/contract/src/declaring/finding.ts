import type { CallSite } from './call-site.ts';
import { parseCallSite } from './call-site.ts';
import type { Problem } from './declaration-error.ts';

/** One line of a report: of the boot's checks, of the startup warnings, of the security report. */
export interface Finding {
  /** An error keeps the server from starting. */
  readonly severity: 'error' | 'warning' | 'info';
  /** The rule in a stable word: `unknown-option`. */
  readonly code?: string;
  readonly text: string;
  /** The valid name that looks most like the one given. */
  readonly nearest?: string;
  readonly fix?: string;
  /** Where the declaration stands. */
  readonly at?: CallSite;
}

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
