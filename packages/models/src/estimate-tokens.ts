import type { ModelRequest, Part } from '@waymark/contract/models';

/** Bytes of a token, roughly, in every language and model. */
const bytesPerToken = 4;

/** What providers count for an image of the largest size they do not shrink. */
const imageTokens = 1600;

/** Tokens that a message, a call and a result cost besides what they hold. */
const frameTokens = 4;

/** Guesses how many tokens a request will be counted as: a quarter of its bytes, 1,600 for each image. */
export function estimateTokens({ messages, tools = [], schema }: ModelRequest): number {
  const said = messages.flatMap(({ parts }) => parts).reduce((sum, part) => sum + estimatePart(part), 0);
  const offered = tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + textTokens(name) + textTokens(description) + textTokens(JSON.stringify(inputSchema)),
    0,
  );
  const answer = schema === undefined ? 0 : textTokens(JSON.stringify(schema));
  return said + offered + answer + messages.length * frameTokens;
}

/** Guesses how many tokens a model made of what it said. */
export function estimateOutput(parts: readonly Part[]): number {
  return Math.max(
    1,
    parts.reduce((sum, part) => sum + estimatePart(part), 0),
  );
}

/** Tokens of a text. */
function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

function estimatePart(part: Part): number {
  switch (part.type) {
    case 'text':
      return textTokens(part.text);
    case 'image':
      return imageTokens;
    case 'tool_call':
      return textTokens(part.name) + textTokens(JSON.stringify(part.arguments));
    case 'tool_result':
      return frameTokens + part.parts.reduce((sum, inner) => sum + estimatePart(inner), 0);
    case 'opaque':
      return textTokens(JSON.stringify(part.value));
  }
}
