import * as mcp from '@waymark/mcp';
import { expect, it } from 'vitest';

it('exports what its README lists', () => {
  expect(Object.keys(mcp).sort()).toEqual(['checkTools', 'createMcp', 'mcpLimits', 'mcpRoute', 'toolRules']);
});
