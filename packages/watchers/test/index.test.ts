import { expect, it } from 'vitest';
import * as watchers from '../src/index.ts';

it('exports these names', () => {
  expect(Object.keys(watchers).sort()).toEqual([
    'createWatchers',
    'rehearseWatch',
    'watch',
    'watchRules',
    'watcherToday',
    'watchersFeature',
  ]);
});
