import type { Values } from '@waymark/contract';
import { isRecord } from './envelope.ts';
import type { Refusal } from './refusal.ts';
import { missingCapability } from './rpc-text.ts';

/** The keyword at the root of an input schema: what a client must be able to do, as in `{ sampling: {} }`. */
const keyword = 'x-mcp-client-capabilities';

/** What a tool needs of its client; undefined where it needs nothing. */
export function requiredCapabilities(inputSchema: object): Values | undefined {
  const required = (inputSchema as Values)[keyword];
  return isRecord(required) && Object.keys(required).length > 0 ? required : undefined;
}

/** Refuses a call whose client did not say that it can do what the tool needs. */
export function checkCapabilities(required: Values, declared: Values): Refusal | undefined {
  const missing = without(required, declared);
  if (!missing) return undefined;
  const message = `the client lacks the capability ${Object.keys(missing).join(', ')}`;
  return { status: 400, code: missingCapability, message, data: { requiredCapabilities: missing } };
}

/** The part of `required` that is not declared. */
function without(required: Values, declared: Values): Values | undefined {
  const missing = Object.entries(required).flatMap(([name, wanted]): [string, unknown][] => {
    const had = declared[name];
    if (!isRecord(had)) return [[name, wanted]];
    const rest = isRecord(wanted) ? without(wanted, had) : undefined;
    return rest ? [[name, rest]] : [];
  });
  return missing.length > 0 ? Object.fromEntries(missing) : undefined;
}
