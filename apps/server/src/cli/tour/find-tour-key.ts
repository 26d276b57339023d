import { isLoopback } from '../../check/is-loopback.ts';
import { findKey, isVariable, toVariable } from '../call/find-key.ts';
import type { Target } from '../call/target.ts';
import { standIns } from '../dev/stand-ins.ts';
import { readVariables } from '../load/read-variables.ts';
import { UsageError } from '../output/usage-error.ts';

/** Keys that are tried. */
const maxTried = 8;

const longestName = 40;

/** Whose key the lines of a tour show. */
export interface TourKey {
  /** `OPERATOR_KEY`; undefined where nobody has to show one. */
  readonly variable: string | undefined;
  /** File that has it, if one has. */
  readonly file: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Finds who may see what there is: the key that is named, else nobody where nobody has to be, else the first of
 * `.waymark/dev.env` that is let in: of a server on this machine, as no other is shown what is not meant for it.
 *
 * @param file of the application, if one is known
 * @param as the id of a key, or its variable
 * @throws {UsageError} a key itself, which the lines would show
 */
export async function findTourKey(target: Target, file: string | undefined, as?: string): Promise<TourKey> {
  const { keysFile = '' } = standIns(file);
  const kept = Object.keys(readVariables(keysFile)).slice(0, maxTried);
  const tried = isHere(target.url) ? kept : [];
  const variables = as === undefined ? [undefined, ...tried] : [isVariable(as) ? nameOf(as) : ''];
  if (variables[0] === '' || (as !== undefined && Buffer.byteLength(as) > longestName))
    throw new UsageError('--as is not the name of a key; the lines of a tour show its variable');
  for (const variable of variables) {
    const headers = findKey(variable, file);
    const { status, body } = await target.send(`${target.controlPrefix}/routes`, { headers });
    await body?.cancel();
    const isKept = variable !== undefined && kept.includes(variable);
    if (status === 200 || as !== undefined) return { variable, file: isKept ? keysFile : undefined, headers };
  }
  return { variable: undefined, file: undefined, headers: {} };
}

function isHere(url: string): boolean {
  // An address of IPv6 stands in brackets.
  return isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
}

function nameOf(as: string): string {
  return /^[A-Z_][A-Z0-9_]*$/.test(as) ? as : toVariable(as);
}
