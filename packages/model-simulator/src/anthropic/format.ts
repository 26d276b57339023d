import type { WireFormat } from '../wire-format.ts';
import { checkRequest } from './check-request.ts';
import { checkVersion } from './check-version.ts';
import { readConversation } from './read-conversation.ts';
import { errorType } from './refuse.ts';
import { toBlocks } from './to-blocks.ts';
import { writeEvents, writeMessage } from './write-reply.ts';

/** Messages. */
export const anthropicFormat: WireFormat = {
  name: 'anthropic',
  serves: /\/v1\/messages$/,
  requestIdHeader: 'request-id',
  checkHeaders: checkVersion,
  unauthorized: ({ form }) => ({
    status: 401,
    message:
      form === 'none'
        ? 'x-api-key header is required'
        : `invalid ${form === 'bearer' ? 'bearer token' : 'x-api-key'}`,
  }),
  unknownModel: (model) => ({ status: 404, message: `model: ${model}` }),
  promptTooLong: (tokens, window) => ({
    status: 400,
    message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
  }),
  notJson: () => ({ status: 400, message: 'The request body is not valid JSON.' }),
  read: readConversation,
  check: checkRequest,
  toBlocks,
  readCache: (cache, model, blocks) => cache.readAtBreakpoints(model, blocks),
  toBody: writeMessage,
  toEvents: writeEvents,
  toErrorBody: (members, requestId) => ({
    type: 'error',
    error: { type: errorType(members), message: members.message },
    request_id: requestId,
  }),
  toErrorEvent: (members, requestId) =>
    `event: error\ndata: ${JSON.stringify(anthropicFormat.toErrorBody(members, requestId))}\n\n`,
};
