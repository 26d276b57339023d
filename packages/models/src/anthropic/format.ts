import type { WireFormat } from '../wire/wire-format.ts';
import { readFailure } from './read-failure.ts';
import { readReply } from './read-reply.ts';
import { createStreamReader } from './read-stream.ts';
import { writeRequest } from './write-request.ts';

/** Messages. */
export const anthropicFormat: WireFormat = {
  path: '/v1/messages',
  headers: ({ anthropicVersion = '' }) => ({ 'anthropic-version': anthropicVersion }),
  write: writeRequest,
  readReply,
  createStreamReader,
  readFailure,
};
