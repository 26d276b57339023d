import { describe, expect, it } from 'vitest';
import * as exports from '../src/index.ts';

describe('@waymark/core-routes', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(exports).toSorted()).toEqual([
      'createAuditLog',
      'createDispatcher',
      'createHost',
      'createIds',
      'createRouter',
      'dispatcherLimits',
      'requireAdmin',
      'startPlugins',
      'staticRoute',
      'staticRules',
    ]);
  });
});
