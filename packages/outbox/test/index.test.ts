import { expect, it } from 'vitest';
import * as outbox from '../src/index.ts';

it('exports these names', () => {
  expect(Object.keys(outbox).sort()).toEqual([
    'createNotices',
    'createOutbox',
    'notify',
    'notifyEvents',
    'notifyRules',
    'outboxFeature',
  ]);
});
