import { verifies } from '@waymark/contract/testing';
import { expect, it } from 'vitest';
import { createModels, models, pricing, provider } from '../src/index.ts';

const { client } = createModels([
  provider('desk', 'http://localhost:9/v1'),
  models({ first: ['desk/dear', 'desk/cheap'] }),
  pricing('desk/dear', 10, 100),
]);

it.each([
  [1, 1],
  [255, 255],
  [256, 256],
  [257, 256],
  [16_000, 256],
])('a call that nobody heard the end of has, of %i tokens at most, an answer of %i', (maxTokens, output) => {
  verifies('ledger.cut-off');
  expect(client.estimateSpend({ model: 'first', maxTokens }, 1_000)).toEqual({
    ...{ provider: 'desk', model: 'dear', inputTokens: 1_000, outputTokens: output },
    ...{ cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true },
    costMicros: 1_000 * 10 + output * 100,
  });
});

it('has no price where none is declared, and is nothing for a model that there is not', () => {
  expect(client.estimateSpend({ model: 'desk/cheap', maxTokens: 9 }, 5)?.costMicros).toBeNull();
  expect(client.estimateSpend({ model: 'nobody/none', maxTokens: 9 }, 5)).toBeUndefined();
});
