import type { WireFormat } from '../wire/wire-format.ts';
import { readFailure } from './read-failure.ts';
import { readReply } from './read-reply.ts';
import { createStreamReader } from './read-stream.ts';
import { writeRequest } from './write-request.ts';

/** Chat Completions. */
export const openaiFormat: WireFormat = {
  auth: 'bearer',
  url: ({ provider }) => `${provider.baseUrl}/chat/completions`,
  headers: () => ({}),
  write: writeRequest,
  takesSchema: () => true,
  readReply,
  createStreamReader,
  readFailure,
};
