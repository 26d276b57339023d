import type { Access, Operation } from '../model/api.ts';
import { asList, asText, isObject, memberOf } from '../model/json.ts';
import { keyOf } from './draft.ts';
import type { FormShape } from './fields.ts';

/** What went wrong, for people. */
export interface Complaint {
  readonly title: string;
  /** In the words of the service. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice: string | undefined;
  /** What is wrong with fields of the form, by their keys, and with what is none of them. */
  readonly faults: ReadonlyMap<string, readonly string[]>;
  readonly others: readonly string[];
}

/** Who made the call. */
export type Caller = 'key' | 'session' | 'nobody';

/** Reads an answer that is no success. */
export function toComplaint(
  status: number,
  body: unknown,
  { access }: Operation,
  shape: FormShape,
  caller: Caller,
): Complaint {
  const faults = new Map<string, string[]>();
  const others: string[] = [];
  for (const one of asList(memberOf(body, 'errors'))) {
    const [path, message] = [asText(memberOf(one, 'path')), asText(memberOf(one, 'message'))];
    const key = fieldAt(path, shape);
    if (key === undefined) others.push(`${path} ${message}`.trim());
    else {
      const below = path.split('/').slice(2).join('/');
      const said = below === '' ? message : `/${below} ${message}`;
      const known = faults.get(key) ?? [];
      if (!known.includes(said)) faults.set(key, [...known, said]);
    }
  }
  return {
    title: isObject(body) ? asText(body['title']) : '',
    detail: asText(memberOf(body, 'detail')),
    advice: adviceFor(status, access, caller),
    ...{ faults, others },
  };
}

/** The field that a JSON pointer leads into. */
function fieldAt(path: string, { fields, body }: FormShape): string | undefined {
  const name = (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
  const members = body.kind === 'json' ? body.members : [];
  const found = [...fields, ...members].find((one) => one.argument === name || one.name === name);
  return found && keyOf(found);
}

function adviceFor(status: number, access: Access, caller: Caller): string | undefined {
  if (status === 401)
    return caller === 'nobody'
      ? `This call needs a key${withScopes(access)}. Enter one above.`
      : 'The key is not known, or no longer valid. Check that it was copied whole.';
  if (status === 403)
    return access.scopes.length === 0
      ? undefined
      : `${caller === 'key' ? 'This key' : 'Who you are signed in as'} may not do that: it needs ${scopeWords(access)}.`;
  if (status === 429) return 'Too many calls at once. Wait a moment and send it again.';
  return undefined;
}

/** Why a call would be refused before anything is sent; undefined where it would not, as far as can be told from here. */
export function refusalAhead({ access }: Operation, caller: Caller): string | undefined {
  if (caller !== 'nobody' || access.open) return undefined;
  return `Without a key this call is refused: it needs one${withScopes(access)}.`;
}

function withScopes(access: Access): string {
  return access.scopes.length === 0 ? '' : ` with ${scopeWords(access)}`;
}

function scopeWords({ scopes }: Access): string {
  return `the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(', ')}`;
}
