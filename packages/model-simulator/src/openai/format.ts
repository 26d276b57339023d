import { objectsOf } from '../json.ts';
import { toPromptBlock } from '../reply/prompt.ts';
import type { WireFormat } from '../wire-format.ts';
import { checkRequest } from './check-request.ts';
import { readConversation } from './read-conversation.ts';
import { errorType } from './refuse.ts';
import { writeChunks, writeCompletion } from './write-reply.ts';

/** Chat Completions. */
export const openaiFormat: WireFormat = {
  name: 'openai',
  serves: /\/chat\/completions$/,
  requestIdHeader: 'x-request-id',
  checkHeaders: () => undefined,
  unauthorized: ({ form }) =>
    form === 'none'
      ? {
          status: 401,
          message:
            "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
        }
      : { status: 401, message: 'Incorrect API key provided.', code: 'invalid_api_key' },
  unknownModel: (model) => ({
    status: 404,
    message: `The model \`${model}\` does not exist or you do not have access to it.`,
    code: 'model_not_found',
  }),
  promptTooLong: (tokens, window) => ({
    status: 400,
    message: `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    param: 'messages',
    code: 'context_length_exceeded',
  }),
  notJson: () => ({ status: 400, message: 'We could not parse the JSON body of your request.' }),
  read: readConversation,
  check: checkRequest,
  toBlocks: ({ tools, messages }) =>
    [...objectsOf(tools), ...objectsOf(messages)].map((block) => toPromptBlock(block)),
  readCache: (cache, model, blocks) => cache.readAutomatic(model, blocks),
  toBody: writeCompletion,
  toEvents: writeChunks,
  toErrorBody: (members) => ({
    error: {
      message: members.message,
      type: errorType(members),
      param: members.param ?? null,
      code: members.code ?? null,
    },
  }),
  toErrorEvent: (members, requestId) =>
    `data: ${JSON.stringify(openaiFormat.toErrorBody(members, requestId))}\n\n`,
};
