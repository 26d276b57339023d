import type { WireFormat } from '../wire/wire-format.ts';
import { closeSchema } from './close-schema.ts';
import { readFailure } from './read-failure.ts';
import { readReply } from './read-reply.ts';
import { createStreamReader } from './read-stream.ts';
import { writeRequest } from './write-request.ts';

/** Messages. */
export const anthropicFormat: WireFormat = {
  auth: 'x-api-key',
  // A base URL is taken with its version, too.
  url: ({ provider }) => `${provider.baseUrl.replace(/\/v1$/, '')}/v1/messages`,
  headers: ({ anthropicVersion = '' }) => ({ 'anthropic-version': anthropicVersion }),
  write: writeRequest,
  takesSchema: (schema) => closeSchema(schema) !== undefined,
  readReply,
  createStreamReader,
  readFailure,
};
