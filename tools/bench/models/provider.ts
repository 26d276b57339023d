// A model provider that says one thing, as cheaply as node can.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from '../lib/announce.ts';

const said = 'The printer of ticket 4 burns. Somebody with an extinguisher is on the way. '.repeat(8);

const chat = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_780_000_000,
  model: 'model',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: said, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 900,
    completion_tokens: 120,
    total_tokens: 1020,
    prompt_tokens_details: { cached_tokens: 0 },
  },
};

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'model',
  content: [{ type: 'text', text: said, citations: null }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 900,
    output_tokens: 120,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  },
};

const answers = {
  '/v1/chat/completions': Buffer.from(JSON.stringify(chat)),
  '/v1/messages': Buffer.from(JSON.stringify(message)),
};

const server = createServer((request, response) => {
  const answer = answers[request.url as keyof typeof answers];
  request.on('end', () => {
    response.writeHead(answer ? 200 : 404, {
      'content-type': 'application/json',
      'content-length': answer?.length ?? 0,
    });
    response.end(answer);
  });
  request.resume();
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
