import type { RpcRequest } from '../protocol/envelope.ts';
import { badParams } from '../protocol/methods.ts';
import { metaOf } from '../protocol/request-meta.ts';

/** Where a call of a tool names itself: headers are those of a whole connection. */
const metaKey = 'waymark/idempotency-key';

/** Characters of such a name: as of the header `idempotency-key`. */
const maxKeyLength = 255;

/** What a call is named by its client. @throws -32602 what stands there is no key */
export function idempotencyKeyOf(request: Pick<RpcRequest, 'params'>): string | undefined {
  const key = metaOf(request)?.[metaKey];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key !== '' && key.length <= maxKeyLength) return key;
  throw badParams(`_meta["${metaKey}"] must be a string of 1 to ${maxKeyLength} characters`);
}
